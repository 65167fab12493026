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

constexpr Option kLedgerOptions[] = {kProjectDir,
                                     {"by", "WHAT", "Count by this alone (else: by model and role)",
                                      "role|phase|provider|model|workflow"},
                                     kJson};

struct LedgerRow {
  int held = 0, differed = 0, broken = 0, unchecked = 0;
};
// By the values of its columns; the claim is the last of them.
using Table = std::map<std::vector<std::string>, LedgerRow>;

void count(LedgerRow& row, event::Verdict verdict) {
  int* const counts[] = {&row.held, &row.broken, &row.differed, &row.unchecked};
  static_assert(std::size(counts) == event::kVerdicts);
  ++*counts[static_cast<std::size_t>(verdict)];
}

// A claim belongs to the agent that made it.
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

void read_run(Table& table, const workflow::RunSummary& summary,
              const std::vector<std::string>& columns) {
  std::map<int, const workflow::AgentSummary*> agents;
  for (const workflow::AgentSummary& agent : summary.agents) agents[agent.number] = &agent;
  for (const workflow::ClaimSummary& one : summary.claims) {
    const auto found = agents.find(one.agent);
    const workflow::AgentSummary* agent = found == agents.end() ? nullptr : found->second;
    std::vector<std::string> key;
    for (const std::string& column : columns) key.push_back(value_of(column, summary, one, agent));
    key.push_back(one.claim.what);
    count(table[std::move(key)], one.claim.verdict);
  }
}

Result<int> show(const Args& args) {
  const world::Project project = TRY(open_project(args));
  std::vector<std::string> columns{"model", "role"};
  if (const auto by = args.option("by")) columns = {std::string(*by)};
  Table table;
  if (const auto store = TRY(world::journal_of(project))) {
    for (const engine::RunHead& head : TRY(store->runs())) {
      const world::Run run = TRY(world::read_run(*store, head));
      if (!run.unreadable.empty())
        print_error("capsule: " + head.run + ": " + printable(run.unreadable) + "\n");
      read_run(table, run.summary, columns);
    }
  }
  if (args.flag("json")) {
    auto rows = json::Value::array();
    for (const auto& [key, row] : table) {
      json::Value one = json::Value::object();
      for (std::size_t i = 0; i < columns.size(); ++i) one[columns[i]] = key[i];
      one["claim"] = key.back();
      one["true"] = row.held;
      one["differs"] = row.differed;
      one["false"] = row.broken;
      one["unchecked"] = row.unchecked;
      rows.push_back(std::move(one));
    }
    print(rows.compact() + "\n");
    return 0;
  }
  if (table.empty()) {
    print("No claim has been checked yet.\n");
    return 0;
  }
  std::string text;
  for (const std::string& column : columns) text += padded(column, 20);
  text += padded("claim", 36) + padded("true", 7) + padded("differs", 9) + padded("false", 7) +
          "unchecked\n";
  for (const auto& [key, row] : table) {
    for (std::size_t i = 0; i < columns.size(); ++i) text += padded(printable(key[i]), 20);
    text += padded(printable(key.back()), 36) + padded(std::to_string(row.held), 7) +
            padded(std::to_string(row.differed), 9) + padded(std::to_string(row.broken), 7) +
            std::to_string(row.unchecked) + "\n";
  }
  print(text);
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
          "false (the work went back), unchecked (no test command). By model, role (in the "
          "pipeline: "
          "the phase) and claim, or by what --by names. A model that is not set is its provider's "
          "default.",
      .positionals = {},
      .options = kLedgerOptions,
      .run = show,
      .errors = Errors::two,
      .examples =
          "  capsule ledger\n  capsule ledger --by=provider\n  capsule ledger --json | jq "
          "'.[] | select(.false > 0)'"};
}

}  // namespace capsule::cli
