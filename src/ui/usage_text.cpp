#include "ui/usage_text.h"

#include <array>
#include <cstdio>

#include "base/text.h"
#include "workflow/supply/policy.h"

namespace capsule::ui {
namespace {

using event::TokenUse;
using workflow::Usage;
using Json = json::Value;

bool no_cost(const Usage& usage) { return usage.calls_without_cost >= usage.calls; }
bool no_tokens(const Usage& usage) { return usage.calls_without_tokens >= usage.calls; }

std::string tokens_line(const TokenUse& use) {
  std::string text = short_count(use.input) + " tokens in, " + short_count(use.output) + " out";
  if (use.cache_read > 0) text += ", " + short_count(use.cache_read) + " from a cache";
  if (use.cache_written > 0) text += ", " + short_count(use.cache_written) + " into it";
  return text;
}

// Without those that a cache had, as budgets count and the board shows them.
std::int64_t all_tokens(const TokenUse& use) { return use.input + use.output + use.cache_written; }

bool is_written_untold(const TokenUse& use) { return use.cache_untold || use.written_untold; }

std::string cache_cell(const Usage& usage, std::int64_t count, bool untold) {
  if (!untold) return token_cell(usage, count);
  return no_tokens(usage) || count == 0 ? "unknown" : std::to_string(count) + "+";
}

}  // namespace

std::string money_text(std::int64_t micros) {
  return supply::amount_text(micros, event::supply::Scope::run);
}

std::string short_count(std::int64_t count) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits{{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const Unit& unit : kUnits) {
    // What would be rounded to a thousand of the smaller unit is one of this.
    const double value = static_cast<double>(count) / unit.size;
    if (value < 0.9995) continue;
    char text[32];
    std::snprintf(text, sizeof text, value < 99.95 ? "%.1f%s" : "%.0f%s", value, unit.name);
    return text;
  }
  return std::to_string(count);
}

std::string cost_cell(const Usage& usage) {
  if (no_cost(usage)) return "unknown";
  return money_text(usage.cost_micros) + (usage.calls_without_cost > 0 ? "+" : "");
}

std::string token_cell(const Usage& usage, std::int64_t count) {
  if (no_tokens(usage)) return "unknown";
  return std::to_string(count) + (usage.calls_without_tokens > 0 ? "+" : "");
}

std::string turns_cell(const Usage& usage) {
  return usage.tokens.turns > 0 ? std::to_string(usage.tokens.turns) : "unknown";
}

std::string compactions_cell(const Usage& usage) {
  const event::TokenUse& use = usage.tokens;
  if (!use.compactions_untold) return std::to_string(use.compactions);
  return use.compactions == 0 ? "unknown" : std::to_string(use.compactions) + "+";
}

std::string cache_read_cell(const Usage& usage) {
  return cache_cell(usage, usage.tokens.cache_read, usage.tokens.cache_untold);
}

std::string cache_written_cell(const Usage& usage) {
  return cache_cell(usage, usage.tokens.cache_written, is_written_untold(usage.tokens));
}

Json told_json(std::int64_t count, bool untold) {
  return untold && count == 0 ? Json() : Json(count);
}

std::string unknown_words(const Usage& usage) {
  const int cost = usage.calls_without_cost, tokens = usage.calls_without_tokens;
  if (cost == 0 && tokens == 0) return {};
  const auto calls = [](int count) { return counted(count, "call"); };
  if (cost == tokens) return calls(cost) + " told neither tokens nor cost";
  if (tokens == 0) return calls(cost) + " told no cost";
  if (cost == 0) return calls(tokens) + " told no tokens";
  return calls(cost) + " told no cost, " + std::to_string(tokens) + " no tokens";
}

std::string usage_words(const Usage& usage) {
  if (usage.calls == 0) return {};
  std::string text =
      "cost " + (no_cost(usage)                 ? std::string("unknown")
                 : usage.calls_without_cost > 0 ? "at least " + money_text(usage.cost_micros)
                                                : money_text(usage.cost_micros));
  if (!no_tokens(usage)) text += "; " + tokens_line(usage.tokens);
  if (usage.tokens.turns > 0) text += "; " + counted(usage.tokens.turns, "turn");
  if (usage.tokens.compactions > 0)
    text += "; shortened " + counted(usage.tokens.compactions, "time");
  if (usage.tokens.cache_rewrites > 0)
    text += "; cached anew " + counted(usage.tokens.cache_rewrites, "time");
  const std::string unknown = unknown_words(usage);
  return unknown.empty() ? text : text + "; " + unknown;
}

std::string short_usage(const Usage& usage) {
  if (usage.calls == 0) return {};
  if (!no_cost(usage))
    return (usage.calls_without_cost > 0 ? "cost at least " : "cost ") +
           money_text(usage.cost_micros);
  if (no_tokens(usage)) return {};
  return short_count(all_tokens(usage.tokens)) + " tokens, cost unknown";
}

std::string agent_use_words(const TokenUse& use) {
  std::string text = use.cost_known ? money_text(use.cost_micros) : std::string();
  if (use.tokens_known)
    text += (text.empty() ? "" : ", ") + short_count(all_tokens(use)) + " tokens";
  return text;
}

Json tokens_json(const TokenUse& use, bool known) {
  if (!known) return {};
  return {{"input", use.input},
          {"output", use.output},
          {"cache_read", told_json(use.cache_read, use.cache_untold)},
          {"cache_written", told_json(use.cache_written, is_written_untold(use))}};
}

Json usage_json(const Usage& usage) {
  // Of a journal that has no such facts nothing is known, unless nobody worked.
  const bool nobody = usage.calls == 0 && usage.agent_runs == 0;
  // Of calls alone nobody counted whose they are, nor checks.
  const bool of_calls = usage.calls > 0 && usage.agent_runs == 0;
  return {{"agent_runs", of_calls ? Json() : Json(usage.agent_runs)},
          {"calls", usage.calls},
          {"duration_ms", usage.duration_ms},
          {"checks_ms", of_calls ? Json() : Json(usage.checks_ms)},
          {"tokens", tokens_json(usage.tokens, nobody || !no_tokens(usage))},
          {"cost_micros",
           nobody || !no_cost(usage) || usage.cost_micros > 0 ? Json(usage.cost_micros) : Json()},
          {"turns", usage.tokens.turns > 0 || nobody ? Json(usage.tokens.turns) : Json()},
          {"compactions", told_json(usage.tokens.compactions, usage.tokens.compactions_untold)},
          {"cache_rewrites", told_json(usage.tokens.cache_rewrites, usage.tokens.rewrites_untold)},
          {"calls_without_tokens", usage.calls_without_tokens},
          {"calls_without_cost", usage.calls_without_cost}};
}

}  // namespace capsule::ui
