#include "ui/supply_text.h"

#include "base/listed.h"
#include "base/text.h"
#include "event/supply.h"
#include "ui/view/view.h"
#include "workflow/summary.h"
#include "workflow/supply/state.h"

namespace capsule::ui {
namespace {

namespace supplied = event::supply;
using view::service_words;
using view::time_words;

// "5.25", or a number of tokens.
std::string amount_words(supplied::Scope scope, std::int64_t amount) {
  if (scope == supplied::Scope::tokens) return std::to_string(amount) + " tokens";
  const std::int64_t cents = (amount + 5'000) / 10'000;
  const std::string rest = std::to_string(cents % 100);
  return std::to_string(cents / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}

std::string quoted_words(const std::string& words) {
  return words.empty() ? "" : ": " + printable(words);
}

struct SupplyTeller {
  const AgentName& name;

  std::string called(int agent) const {
    const std::string known = name ? name(agent) : std::string();
    return known.empty() ? "agent " + std::to_string(agent) : printable(known);
  }
  std::string operator()(const supplied::AgentFaulted& f) const {
    if (f.fault == event::Fault::over_budget)
      return printable(f.role) + ": ended, since the budget is spent; its work is kept\n";
    if (f.fault == event::Fault::no_space)
      return printable(f.role) + ": ended, since the disk is nearly full; its work is kept\n";
    std::string text = printable(f.role) + ": the service of " + printable(f.provider) + ": " +
                       std::string(service_words(f.fault)) + quoted_words(f.words) + "\n";
    // How long a limit lasts is told with the parking; a fallback may take over at once.
    if (f.fault == event::Fault::usage_limit)
      text += "  it costs no attempt\n";
    else if (f.until > 0)
      text += "  it costs no attempt; again at " + time_words(f.until) + "\n";
    return text;
  }
  std::string operator()(const supplied::ProviderParked& f) const {
    return printable(f.provider) + " is parked " +
           (f.until > 0 ? "until " + time_words(f.until) + (f.guessed ? " (a guess)" : "")
                        : "until a person says so") +
           (f.elsewhere ? ", as another run found" : "") + ": " +
           std::string(service_words(f.fault)) + "\n";
  }
  std::string operator()(const supplied::ProviderFree& f) const {
    return printable(f.provider) + " is free again" +
           (f.by.empty() ? "" : ", says " + printable(f.by)) + "\n";
  }
  std::string operator()(const supplied::AgentReleased& f) const {
    if (!f.fallback) return {};
    return called(f.agent) + ": taken over by " + printable(f.provider) +
           (f.model.empty() ? "" : " (" + printable(f.model) + ")") + ", a fallback\n";
  }
  std::string operator()(const supplied::BudgetReached& f) const {
    const bool tokens = f.scope == supplied::Scope::tokens;
    return (tokens ? "budget" : "budget of the " + std::string(name_of(f.scope))) +
           (f.task.empty() ? "" : " " + printable(f.task)) + ": " + amount_words(f.scope, f.spent) +
           " of " + amount_words(f.scope, f.limit) +
           (f.all ? " spent; nothing new starts\n" : " spent\n");
  }
  std::string operator()(const supplied::PersonAsked& f) const {
    std::string text = "question " + std::to_string(f.question) + ": " + printable(f.text) + "\n";
    return text + "  capsule answer " + std::to_string(f.question) + " TEXT" +
           (f.options.empty() ? "" : "   (" + joined_words(f.options) + ")") + "\n";
  }
  std::string operator()(const supplied::MessageGiven& f) const {
    return "message" + (f.by.empty() ? "" : " from " + printable(f.by)) +
           (f.task.empty() ? "" : " to " + printable(f.task)) + ": " + message_words(f.text) + "\n";
  }
  std::string operator()(const supplied::MessageDelivered& f) const {
    return called(f.agent) + (f.live ? " has heard the message while it works\n"
                                     : " has the message in its prompt\n");
  }
  std::string operator()(const supplied::DiskStood& f) const {
    if (f.room == supplied::Room::enough) return "the disk has room again, and the run goes on\n";
    return supply::words_of(supply::Disk{f.room, f.folder, f.free, f.reserve, ""}) + "\n";
  }
  std::string operator()(const supplied::AgentStill& f) const {
    return called(f.agent) +
           (f.still ? " stands still: it prints nothing and does nothing\n" : " goes on\n");
  }
  // Walls as they were asked for stand in the summary.
  std::string operator()(const event::Contained& f) const {
    const std::string weaker = workflow::weaker_words({f});
    return weaker.empty() ? "" : "walls for " + printable(f.who) + ": " + weaker + "\n";
  }
  std::string operator()(const event::HostsRefused& f) const {
    return printable(f.role) + " was refused " + workflow::refused_words(f.hosts, f.others) + "\n";
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
  static std::string joined_words(const std::vector<std::string>& options) {
    return listed(options, printable);
  }
};

}  // namespace

std::string message_words(std::string_view text) {
  constexpr std::size_t kMostBytes = 200;
  text = trimmed(text);
  const std::string_view line = text.substr(0, text.find('\n'));
  return printable(cut(line, kMostBytes)) +
         (line.size() > kMostBytes || line.size() < text.size() ? " …" : "");
}

std::string supply_lines(const event::NewFact& fact, const AgentName& name) {
  if (!supplied::is_supply(fact.kind)) return {};
  const auto read = supplied::read_fact(fact.kind, fact.body);
  return read ? std::visit(SupplyTeller{name}, *read) : std::string();
}

}  // namespace capsule::ui
