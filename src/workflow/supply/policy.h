// What the configuration says about who agents are, what they may cost and how long to wait for
// their service. Pure values; not recorded but for the caller's own words: a run that is taken up
// goes by what is configured then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/common.h"
#include "event/supply.h"
#include "workflow/step.h"

namespace capsule::supply {

using event::TokenUse;
using event::supply::Scope;

struct Choice {
  std::string provider;
  std::string model;  // empty: the provider's own
  bool operator==(const Choice&) const = default;
};

// In millionths of the currency, for a million tokens.
struct Price {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_written = 0;
};

// 0: there is no such limit. Money in millionths.
struct Budget {
  std::int64_t run = 0, task = 0, day = 0, tokens = 0;
  bool hard = false;  // who works when it is spent is ended
};

struct Policy {
  // For each phase and role that is configured: the first choice, then its fallbacks, in order.
  std::map<std::string, std::vector<Choice>, std::less<>> phases, roles;
  // For those that are not.
  std::vector<Choice> other_phases, other_roles;
  Budget budget;
  std::map<std::string, Price, std::less<>> prices;  // by model, or else by provider
  bool trailers = true;
  std::vector<std::string> given;  // what the caller said of the run; this is recorded

  // After a fault that is over soon: twice as long each time, and at most so often in a row.
  std::int64_t pause_first_ms = 5'000, pause_most_ms = 300'000;
  int tries = 10;
  int unanswered = 2;  // the same for a service that says nothing: each try costs many minutes
  // When a usage limit says no time, or a service nothing at all.
  std::int64_t guess_first_s = 900, guess_most_s = 14'400;
  // So often in a row a service that says nothing is believed to answer later; then a person is
  // asked.
  int silent_guesses = 6;
  // Who works that long with a provider that was parked has found it free.
  std::int64_t trial_s = 60;
};

// Who may do this: never empty. What the workflow itself states goes before what is configured.
std::vector<Choice> choices_for(const Policy& policy, const workflow::StartAgent& start);
// Whether any agent may be one of this provider; where nothing is configured, all may.
bool knows(const Policy& policy, std::string_view provider);

std::int64_t limit_of(const Budget& budget, Scope scope);
// What counts towards the budget of tokens: all but what a cache already had.
std::int64_t counted_tokens(const TokenUse& use);
// With its cost worked out, where the client told only tokens and there is a price.
TokenUse priced(const Policy& policy, TokenUse use, std::string_view model,
                std::string_view provider);

// Between try `tries` (from 1) and the next: never the same for two agents, always the same for
// one.
std::int64_t pause_ms(const Policy& policy, std::string_view run, int agent, int tries);
// For the n-th guess in a row, from 0.
std::int64_t guess_seconds(const Policy& policy, int guesses);

// Whether a model that answered is the one that was asked for: "sonnet" is answered by
// claude-sonnet-4-5-20250929, "gpt-5" by gpt-5-2025-08-07 and not by gpt-5-mini.
bool same_model(std::string_view asked, std::string_view answered);

// "2.50" in millionths, or "200k" tokens; nullopt: it is no amount.
std::optional<std::int64_t> amount_in(std::string_view text, Scope scope);
// "5.02", "0.0042", "1200000 tokens".
std::string amount_text(std::int64_t amount, Scope scope);

}  // namespace capsule::supply
