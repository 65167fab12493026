// What agents cost, over many runs, by what the caller wants to know. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/summary.h"
#include "world/spending.h"

namespace capsule::ui {

// What calls can be counted by: the choices of --by.
inline constexpr std::string_view kCostBy = "model|task|role|day|run|provider";

struct CostTable {
  std::string by;  // one of these
  std::map<std::string, workflow::Usage> rows = {};
  workflow::Usage all = {};
};
void count_call(CostTable& table, const world::Call& call);

// Each group on a line, the dearest first (days and runs: the oldest), and all of them.
std::string cost_table(const CostTable& table);
std::string cost_json(const CostTable& table);

}  // namespace capsule::ui
