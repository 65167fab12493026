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

}  // namespace

void count_claims(Ledger& ledger, const workflow::RunSummary& summary) {
  const std::string& by = ledger.by;
  std::map<int, const workflow::AgentSummary*> agents;
  for (const workflow::AgentSummary& agent : summary.agents) agents[agent.number] = &agent;
  for (const workflow::ClaimSummary& one : summary.claims) {
    std::string key = one.role;
    const auto found = agents.find(one.agent);
    const workflow::AgentSummary* agent = found == agents.end() ? nullptr : found->second;
    if (by == "provider")
      key = agent == nullptr || agent->provider.empty() ? summary.provider : agent->provider;
    if (by == "model") key = agent == nullptr || agent->model.empty() ? "(default)" : agent->model;
    if (by == "workflow") key = summary.workflow;
    count(ledger.rows[{key, one.claim.what}], one.claim.verdict);
  }
}

std::string ledger_table(const Ledger& ledger) {
  if (ledger.rows.empty()) return "No claim has been checked yet.\n";
  std::string text = padded(ledger.by, 18) + padded("claim", 36) + padded("true", 7) +
                     padded("differs", 9) + padded("false", 7) + "unchecked\n";
  for (const auto& [key, row] : ledger.rows)
    text += padded(printable(key.first), 18) + padded(printable(key.second), 36) +
            padded(std::to_string(row.held), 7) + padded(std::to_string(row.differed), 9) +
            padded(std::to_string(row.broken), 7) + std::to_string(row.unchecked) + "\n";
  return text;
}

std::string ledger_json(const Ledger& ledger) {
  auto rows = json::Value::array();
  for (const auto& [key, row] : ledger.rows)
    rows.push_back({{ledger.by, key.first},
                    {"claim", key.second},
                    {"true", row.held},
                    {"differs", row.differed},
                    {"false", row.broken},
                    {"unchecked", row.unchecked}});
  return rows.compact() + "\n";
}

}  // namespace capsule::ui
