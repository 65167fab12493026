// How often what agents claimed was true, over many runs. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/summary.h"

namespace capsule::ui {

struct LedgerRow {
  int held = 0, differed = 0, broken = 0, unchecked = 0;
};
struct Ledger {
  // What claims are counted by: "role" (in the pipeline the phase; "phase" is the same),
  // "provider", "model", "workflow".
  std::vector<std::string> columns;
  std::map<std::vector<std::string>, LedgerRow> rows = {};         // their values, and the claim
  std::map<std::vector<std::string>, workflow::Usage> usage = {};  // of agents, by their values
};
// A claim belongs to the agent that made it. Also counts what the agents used.
void count_claims(Ledger& ledger, const workflow::RunSummary& summary);

std::string ledger_table(const Ledger& ledger);
std::string ledger_json(const Ledger& ledger);

}  // namespace capsule::ui
