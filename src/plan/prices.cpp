// What one run of each role costs: configured, else what it did cost here, else assumed.
#include <algorithm>
#include <cstdio>

#include "base/enum_count.h"
#include "base/text.h"
#include "plan/plan.h"

namespace capsule::plan {
namespace {

using From = RunPrices::From;

std::string price_text(double price) {
  char text[32];
  std::snprintf(text, sizeof text, price > 0 && price < 0.01 ? "%.4f" : "%.2f", price);
  return text;
}

void add_reason(std::string& because, const std::string& one) {
  because += (because.empty() ? "" : "; ") + one;
}

}  // namespace

std::string_view name_of(From from) {
  constexpr std::string_view kNames[] = {"unknown", "assumption", "journal", "configuration"};
  static_assert(std::size(kNames) == enum_count<From>());
  return kNames[static_cast<std::size_t>(from)];
}

RunPrices prices_of(const std::map<std::string, double>& configured, const Experience& experience,
                    const std::map<std::string, double>& assumed, const std::string& assumption) {
  RunPrices prices;
  std::vector<std::string> stated, measured, guessed;
  Experience::Cost all;
  for (const auto& [role, price] : configured) {
    prices.likely[role] = prices.most[role] = price;
    stated.push_back(role.empty() ? "others" : role);
  }
  for (const auto& [role, cost] : experience.costs) {
    if (cost.runs == 0) continue;
    all.runs += cost.runs;
    all.sum += cost.sum;
    all.most = std::max(all.most, cost.most);
    if (configured.contains(role)) continue;
    const double mean = cost.sum / static_cast<double>(cost.runs);
    prices.likely[role] = mean;
    prices.most[role] = cost.most;
    measured.push_back(role + " " + price_text(mean) + " (" + counted(cost.runs, "run") +
                       ", at most " + price_text(cost.most) + ")");
  }
  if (!stated.empty()) add_reason(prices.because, "configured: " + joined(stated));
  if (!measured.empty()) add_reason(prices.because, "as it was here: " + joined(measured));
  if (all.runs > 0 && !configured.contains("")) {
    prices.likely[""] = all.sum / static_cast<double>(all.runs);
    prices.most[""] = all.most;
    add_reason(prices.because,
               "others as the mean of all runs here, " + price_text(prices.likely[""]));
  } else {
    for (const auto& [role, price] : assumed)
      if (prices.likely.emplace(role, price).second) {
        prices.most[role] = price;
        guessed.push_back(role);
      }
    if (!guessed.empty()) add_reason(prices.because, assumption + ": " + joined(guessed));
  }
  prices.from = all.runs > 0 && !measured.empty() ? From::journal
                : !stated.empty()                 ? From::configuration
                : all.runs > 0                    ? From::journal
                : !guessed.empty()                ? From::assumption
                                                  : From::unknown;
  return prices;
}

}  // namespace capsule::plan
