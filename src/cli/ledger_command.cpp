// capsule ledger: how often what agents claimed was true.
#include <map>
#include <nlohmann/json.hpp>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "engine/run_log.h"
#include "store/store.h"
#include "ui/view.h"

namespace capsule::cli {
namespace {

constexpr Option kOptions[] = {
    kProjectDir, {"by", "WHAT", "What to count by", "phase|provider|model", "phase"}, kJson};

struct Row {
  int held = 0, differed = 0, broken = 0, unchecked = 0;
};
using Table = std::map<std::pair<std::string, std::string>, Row>;

void count(Row& row, const std::string& verdict) {
  if (verdict == "true") ++row.held;
  if (verdict == "differs") ++row.differed;
  if (verdict == "false") ++row.broken;
  if (verdict == "unchecked") ++row.unchecked;
}

// A claim belongs to the phase that made it, whose start names provider and model.
void read_run(Table& table, const std::vector<event::PipelineFact>& facts, std::string_view by) {
  event::PhaseStarted started;
  for (const event::PipelineFact& fact : facts) {
    if (const auto* f = std::get_if<event::PhaseStarted>(&fact)) started = *f;
    const auto* checked = std::get_if<event::PhaseChecked>(&fact);
    if (checked == nullptr) continue;
    std::string key(name_of(checked->phase));
    if (by == "provider") key = started.provider;
    if (by == "model") key = started.model.empty() ? "(default)" : started.model;
    for (const event::Claim& claim : checked->claims)
      count(table[{key, claim.what}], claim.verdict);
  }
}

Result<int> show(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const std::string by(args.option("by").value_or("phase"));
  Table table;
  if (const auto store = store::Store::open(project.root(), store::Access::read_only)) {
    for (const engine::RunHead& head : TRY((*store)->runs()))
      if (head.workflow == "pipeline")
        read_run(table, TRY(engine::pipeline_facts(TRY((*store)->read(head.run, 0)))), by);
  } else if (store.error().reason != Reason::not_found) {
    return tl::unexpected(store.error());
  }
  if (args.flag("json")) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& [key, row] : table)
      rows.push_back({{by, key.first},
                      {"claim", key.second},
                      {"true", row.held},
                      {"differs", row.differed},
                      {"false", row.broken},
                      {"unchecked", row.unchecked}});
    print(rows.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
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

int ledger_main(const Args& args) {
  const auto code = show(args);
  return code ? *code : report(code.error(), 2);
}

}  // namespace

Command ledger_command() {
  return {.path = "ledger",
          .summary = "Show how often the claims of agents were true",
          .details =
              "Every claim that Capsule checked, in all runs of the project: true, differs (no "
              "harm done, such "
              "as a file left out of files_changed), false (the work went back), unchecked (no "
              "test command).",
          .positionals = {},
          .options = kOptions,
          .run = ledger_main,
          .examples = "  capsule ledger\n  capsule ledger --by=provider"};
}

}  // namespace capsule::cli
