#include "ui/ledger_text.h"

#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {
namespace {

void count(LedgerRow& row, event::Verdict verdict) {
  int* const counts[] = {&row.held, &row.broken, &row.differed, &row.unchecked};
  static_assert(std::size(counts) == event::kVerdicts);
  ++*counts[static_cast<std::size_t>(verdict)];
}

std::string value_of(std::string_view column, const workflow::RunSummary& summary,
                     const workflow::ClaimSummary& claim, const workflow::AgentSummary* agent) {
  if (column == "workflow") return summary.workflow;
  if (column == "role" || column == "phase") return claim.role;
  const std::string provider =
      agent == nullptr || agent->provider.empty() ? summary.provider : agent->provider;
  if (column == "provider") return provider;
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
      key.push_back(value_of(column, summary, one, agent));
    key.push_back(one.claim.what);
    count(ledger.rows[std::move(key)], one.claim.verdict);
  }
}

std::string ledger_table(const Ledger& ledger) {
  if (ledger.rows.empty()) return "No claim has been checked yet.\n";
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
  return text;
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
    rows.push_back(std::move(one));
  }
  return rows.compact() + "\n";
}

}  // namespace capsule::ui
