// The wall clock, for what happens at a time of the day: the end of a parking, a day's budget. Its
// own small header, so that pure code is never tempted to ask.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "process/tree.h"

namespace capsule::world {

std::int64_t epoch_ms();
// A day of the machine's time zone, 2026-01-31, and the second in which it ends.
std::string local_day(std::int64_t epoch_seconds);
std::int64_t local_day_end(std::int64_t epoch_seconds);

// The time of the day there: 12:04:41.
std::string local_time(std::int64_t epoch_seconds);

// Calls `then` once the wall clock has reached that time, from a turn of the loop; at once when it
// has. Looks at least once a minute: the machine may sleep, and its clock may be set.
void at_wall_time(process::Loop& loop, std::int64_t epoch_ms, std::function<void()> then);

}  // namespace capsule::world
