// A delivery as a live board on a terminal: a row for each agent that works (task, role, attempt,
// elapsed, last line), above it how far the plan is. The picture is a pure function of the state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "ui/style.h"
#include "workflow/delivery/delivery.h"

namespace capsule::ui {

struct BoardTimes {
  std::int64_t now_ms = 0;
  std::map<int, std::int64_t> began_ms;  // by agent
};

// Lines, each fitted into `columns`, every one ended by a line feed; at most `rows` of them.
std::string board(const delivery::State& state, const BoardTimes& times,
                  const std::function<std::string(int agent)>& last_line, std::size_t columns,
                  std::size_t rows, const Style& style);

}  // namespace capsule::ui
