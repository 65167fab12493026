// capsule ledger: how often what agents claimed was true.
#include <map>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "json/value.h"
#include "world/runs.h"

namespace capsule::cli {
namespace {

constexpr Option kLedgerOptions[] = {
    kProjectDir,
    {"by", "WHAT", "What to count by", "phase|provider|model|workflow", "phase"},
    kJson};

struct LedgerRow {
  int held = 0, differed = 0, broken = 0, unchecked = 0;
};
using Table = std::map<std::pair<std::string, std::string>, LedgerRow>;

void count(LedgerRow& row, event::Verdict verdict) {
  int* const counts[] = {&row.held, &row.broken, &row.differed, &row.unchecked};
  static_assert(std::size(counts) == event::kVerdicts);
  ++*counts[static_cast<std::size_t>(verdict)];
}

// A claim belongs to the agent that made it.
void read_run(Table& table, const workflow::RunSummary& summary, std::string_view by) {
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
    count(table[{key, one.claim.what}], one.claim.verdict);
  }
}

Result<int> show(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::string by(args.option("by").value_or("phase"));
  Table table;
  if (const auto store = TRY(world::journal_of(project))) {
    for (const engine::RunHead& head : TRY(store->runs())) {
      const world::Run run = TRY(world::read_run(*store, head));
      if (!run.unreadable.empty())
        print_error("capsule: " + head.run + ": " + printable(run.unreadable) + "\n");
      read_run(table, run.summary, by);
    }
  }
  if (args.flag("json")) {
    auto rows = json::Value::array();
    for (const auto& [key, row] : table)
      rows.push_back({{by, key.first},
                      {"claim", key.second},
                      {"true", row.held},
                      {"differs", row.differed},
                      {"false", row.broken},
                      {"unchecked", row.unchecked}});
    print(rows.compact() + "\n");
    return 0;
  }
  if (table.empty()) {
    print("No claim has been checked yet.\n");
    return 0;
  }
  print(padded(by, 18) + padded("claim", 36) + padded("true", 7) + padded("differs", 9) +
        padded("false", 7) + "unchecked\n");
  for (const auto& [key, row] : table)
    print(padded(printable(key.first), 18) + padded(printable(key.second), 36) +
          padded(std::to_string(row.held), 7) + padded(std::to_string(row.differed), 9) +
          padded(std::to_string(row.broken), 7) + std::to_string(row.unchecked) + "\n");
  return 0;
}

}  // namespace

Command ledger_command() {
  return {
      .path = "ledger",
      .summary = "Show how often the claims of agents were true",
      .details =
          "Every claim that Capsule checked, in all runs of the project, whatever their "
          "workflow: true, differs (no harm done, such as a file left out of files_changed), "
          "false (the work went back), unchecked (no test command). A delivery's roles count as "
          "phases.",
      .positionals = {},
      .options = kLedgerOptions,
      .run = show,
      .errors = Errors::two,
      .examples = "  capsule ledger\n  capsule ledger --by=provider"};
}

}  // namespace capsule::cli
