#include "ui/ledger_text.h"

#include "base/text.h"
#include "json/value.h"
#include "ui/usage_text.h"
#include "ui/view/view.h"

namespace capsule::ui {
namespace {

void count(LedgerRow& row, event::Verdict verdict) {
  int* const counts[] = {&row.held, &row.broken, &row.differed, &row.unchecked};
  static_assert(std::size(counts) == event::kVerdicts);
  ++*counts[static_cast<std::size_t>(verdict)];
}

std::string value_of(std::string_view column, const workflow::RunSummary& summary,
                     const std::string& role, const workflow::AgentSummary* agent) {
  if (column == "workflow") return summary.workflow;
  if (column == "role" || column == "phase") return role;
  const std::string provider =
      agent == nullptr || agent->provider.empty() ? summary.provider : agent->provider;
  if (column == "provider") return provider;
  if (agent != nullptr && !agent->answered.empty()) return agent->answered;
  if (agent != nullptr && !agent->model.empty()) return agent->model;
  return provider.empty() ? "(default)" : provider + " (default)";
}

}  // namespace

void count_claims(Ledger& ledger, const workflow::RunSummary& summary) {
  std::map<int, const workflow::AgentSummary*> agents;
  for (const workflow::AgentSummary& agent : summary.agents) agents[agent.number] = &agent;
  for (const workflow::ClaimSummary& one : summary.claims) {
    const auto found = agents.find(one.agent);
    const workflow::AgentSummary* agent = found == agents.end() ? nullptr : found->second;
    std::vector<std::string> key;
    for (const std::string& column : ledger.columns)
      key.push_back(value_of(column, summary, one.role, agent));
    key.push_back(one.claim.what);
    count(ledger.rows[std::move(key)], one.claim.verdict);
  }
  for (const workflow::AgentSummary& agent : summary.agents) {
    std::vector<std::string> key;
    for (const std::string& column : ledger.columns)
      key.push_back(value_of(column, summary, agent.role, &agent));
    view::add_usage(ledger.usage[std::move(key)], view::attempt_of(agent));
  }
}

namespace {

// What they cost, in the same groups.
std::string usage_table(const Ledger& ledger) {
  if (ledger.usage.empty()) return {};
  std::string text = "\n";
  for (const std::string& column : ledger.columns) text += padded(column, 20);
  text += padded("agents", 8) + padded("turns", 9) + padded("shortened", 11) + padded("input", 12) +
          padded("output", 12) + padded("cache read", 14) + padded("cache written", 15) + "cost\n";
  for (const auto& [key, usage] : ledger.usage) {
    const event::TokenUse& use = usage.tokens;
    for (const std::string& value : key) text += padded(printable(value), 20);
    text += padded(std::to_string(usage.agent_runs), 8) + padded(turns_cell(usage), 9) +
            padded(compactions_cell(usage), 11) + padded(token_cell(usage, use.input), 12) +
            padded(token_cell(usage, use.output), 12) + padded(cache_read_cell(usage), 14) +
            padded(cache_written_cell(usage), 15) + cost_cell(usage) + "\n";
  }
  return text;
}

}  // namespace

std::string ledger_table(const Ledger& ledger) {
  if (ledger.rows.empty()) return "No claim has been checked yet.\n" + usage_table(ledger);
  std::string text;
  for (const std::string& column : ledger.columns) text += padded(column, 20);
  text += padded("claim", 36) + padded("true", 7) + padded("differs", 9) + padded("false", 7) +
          "unchecked\n";
  for (const auto& [key, row] : ledger.rows) {
    for (std::size_t i = 0; i < ledger.columns.size(); ++i) text += padded(printable(key[i]), 20);
    text += padded(printable(key.back()), 36) + padded(std::to_string(row.held), 7) +
            padded(std::to_string(row.differed), 9) + padded(std::to_string(row.broken), 7) +
            std::to_string(row.unchecked) + "\n";
  }
  return text + usage_table(ledger);
}

std::string ledger_json(const Ledger& ledger) {
  auto rows = json::Value::array();
  for (const auto& [key, row] : ledger.rows) {
    json::Value one = json::Value::object();
    for (std::size_t i = 0; i < ledger.columns.size(); ++i) one[ledger.columns[i]] = key[i];
    one["claim"] = key.back();
    one["true"] = row.held;
    one["differs"] = row.differed;
    one["false"] = row.broken;
    one["unchecked"] = row.unchecked;
    // Of all agents of the group, whatever they claimed.
    const auto used = ledger.usage.find({key.begin(), key.end() - 1});
    one["usage"] = used == ledger.usage.end() ? json::Value() : usage_json(used->second);
    rows.push_back(std::move(one));
  }
  return rows.compact() + "\n";
}

}  // namespace capsule::ui
