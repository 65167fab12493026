#include "workflow/supply/policy.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "signal/vocabulary.h"

namespace capsule::supply {
namespace {

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kMostAmount = 1'000'000'000'000'000;
// Whatever a client tells of tokens: more would spoil every sum.
constexpr std::int64_t kMostOfACall = 1'000'000'000'000;

const std::vector<Choice>& configured(const Policy& policy, const workflow::StartAgent& start) {
  const bool role = start.settings == workflow::Settings::role;
  const auto& names = role ? policy.roles : policy.phases;
  const auto found = names.find(start.configured.empty() ? start.role : start.configured);
  if (found != names.end()) return found->second;
  return role ? policy.other_roles : policy.other_phases;
}

// The rest of a model's name that says only when it was made: "-20250929", "-2024-08-06",
// "@001", "-latest".
bool is_version(std::string_view rest) {
  while (!rest.empty()) {
    if (rest.front() != '-' && rest.front() != '@' && rest.front() != ':') return false;
    rest.remove_prefix(1);
    bool word = false;
    for (const std::string_view one : {"latest", "preview", "exp", "experimental"})
      if (!word && rest.starts_with(one) &&
          (rest.size() == one.size() || !is_letter(rest[one.size()]))) {
        rest.remove_prefix(one.size());
        word = true;
      }
    if (word) continue;
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    if (digits < 2) return false;
    rest.remove_prefix(digits);
  }
  return true;
}

// Without the vendor before it, "openai/gpt-5", and what the client wants to know besides,
// "sonnet[1m]".
std::string bare_model(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != name.npos) name.remove_prefix(slash + 1);
  name = name.substr(0, name.find('['));
  return lowered(trimmed(name));
}

bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

// `longer` is `shorter` with a version behind it, whatever stands before.
bool extends(std::string_view longer, std::string_view shorter) {
  const std::size_t at = longer.find(shorter);
  if (at == longer.npos) return false;
  const bool whole = at == 0 || !(is_letter(longer[at - 1]) || is_digit(longer[at - 1]));
  return whole && is_version(longer.substr(at + shorter.size()));
}

const Price* price_for(const Policy& policy, std::string_view name) {
  if (name.empty()) return nullptr;
  if (const auto exact = policy.prices.find(name); exact != policy.prices.end())
    return &exact->second;
  const Price* best = nullptr;
  std::size_t length = 0;
  for (const auto& [model, price] : policy.prices)
    if (model.size() > length && same_model(model, name)) best = &price, length = model.size();
  return best;
}

}  // namespace

std::vector<Choice> choices_for(const Policy& policy, const workflow::StartAgent& start) {
  std::vector<Choice> choices = configured(policy, start);
  if (choices.empty()) choices.emplace_back();
  if (!start.provider.empty()) {
    if (choices.front().provider != start.provider) choices.front() = {start.provider, ""};
  }
  if (!start.model.empty()) choices.front().model = start.model;
  return choices;
}

bool knows(const Policy& policy, std::string_view provider) {
  const auto has = [&](const std::vector<Choice>& choices) {
    return std::any_of(choices.begin(), choices.end(),
                       [&](const Choice& one) { return one.provider == provider; });
  };
  const auto any = [&](const auto& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& one) { return has(one.second); });
  };
  if (policy.phases.empty() && policy.roles.empty() && policy.other_phases.empty() &&
      policy.other_roles.empty())
    return true;
  return any(policy.phases) || any(policy.roles) || has(policy.other_phases) ||
         has(policy.other_roles);
}

std::int64_t limit_of(const Budget& budget, Scope scope) {
  switch (scope) {
    case Scope::run:
      return budget.run;
    case Scope::task:
      return budget.task;
    case Scope::day:
      return budget.day;
    case Scope::tokens:
      break;
  }
  return budget.tokens;
}

std::int64_t counted_tokens(const TokenUse& use) {
  return use.input + use.output + use.cache_written;
}

TokenUse priced(const Policy& policy, TokenUse use, std::string_view model,
                std::string_view provider) {
  if (use.cost_known || !use.tokens_known) return use;
  const Price* price = price_for(policy, model);
  if (price == nullptr) price = price_for(policy, provider);
  if (price == nullptr) return use;
  // In pieces: tokens times a price for a million of them can be a large number.
  const auto part = [](std::int64_t tokens, std::int64_t of_a_million) {
    const long double micros =
        static_cast<long double>(tokens) * static_cast<long double>(of_a_million) / kMicros;
    return static_cast<std::int64_t>(std::min<long double>(micros, kMostOfACall));
  };
  use.cost_known = true;
  use.cost_micros = part(use.input, price->input) + part(use.output, price->output) +
                    part(use.cache_read, price->cache_read) +
                    part(use.cache_written, price->cache_written);
  return use;
}

std::int64_t pause_ms(const Policy& policy, std::string_view run, int agent, int tries) {
  std::int64_t pause = policy.pause_first_ms;
  for (int i = 1; i < tries && pause < policy.pause_most_ms; ++i) pause *= 2;
  pause = std::min(pause, policy.pause_most_ms);
  const std::uint64_t hash =
      hash_of(std::string(run) + "/" + std::to_string(agent) + "/" + std::to_string(tries));
  const std::int64_t half = pause / 2;
  return pause - half +
         static_cast<std::int64_t>((hash >> 16) % static_cast<std::uint64_t>(half + 1));
}

std::int64_t guess_seconds(const Policy& policy, int guesses) {
  std::int64_t guess = policy.guess_first_s;
  for (int i = 0; i < guesses && guess < policy.guess_most_s; ++i) guess *= 2;
  return std::min(guess, policy.guess_most_s);
}

bool same_model(std::string_view asked, std::string_view answered) {
  const std::string a = bare_model(asked), b = bare_model(answered);
  if (a.empty() || b.empty() || a == b || a == "default") return true;
  // A family, such as "opus".
  if (!has_digit(a)) return b.find(a) != b.npos;
  return extends(b, a) || extends(a, b);
}

std::optional<std::int64_t> amount_in(std::string_view text, Scope scope) {
  text = trimmed(text);
  if (text.starts_with('+')) text = trimmed(text.substr(1));
  std::int64_t unit = scope == Scope::tokens ? 1 : kMicros;
  if (scope == Scope::tokens && !text.empty()) {
    const char last = lower(text.back());
    if (last == 'k' || last == 'm') {
      unit = last == 'k' ? 1'000 : kMicros;
      text.remove_suffix(1);
    }
  }
  std::int64_t amount = 0, digit = unit;
  bool any = false, fraction = false;
  for (const char byte : text) {
    if (byte == '.' && !fraction) {
      fraction = true;
    } else if (!is_digit(byte)) {
      return std::nullopt;
    } else if (fraction) {
      digit /= 10;
      amount += digit * (byte - '0');
      any = true;
    } else {
      if (amount > kMostAmount / 10) return std::nullopt;
      amount = amount * 10 + unit * (byte - '0');
      any = true;
    }
  }
  if (!any || amount <= 0 || amount > kMostAmount) return std::nullopt;
  return amount;
}

std::string amount_text(std::int64_t amount, Scope scope) {
  if (scope == Scope::tokens) return counted(amount, "token");
  std::string text = std::to_string(amount / kMicros) + ".";
  std::string rest = std::to_string(amount % kMicros);
  rest.insert(0, 6 - std::min<std::size_t>(rest.size(), 6), '0');
  // Two digits, as prices have them; more only where these say nothing.
  std::size_t digits = 2;
  if (amount < kMicros / 100 && amount > 0)
    while (digits < 6 && rest.substr(0, digits).find_first_not_of('0') == rest.npos) ++digits;
  return text + rest.substr(0, digits);
}

}  // namespace capsule::supply
