// Whether a definition can be run, what it looks like, and what it can cost at most. Pure.
#pragma once

#include <string>
#include <vector>

#include "workflow/phases/phases.h"

namespace capsule::phases {

struct Problem {
  std::string phase;  // empty: the whole definition
  std::string text;
  bool error = true;  // else a warning
  bool operator==(const Problem&) const = default;
};

// Unknown names, phases that cannot be reached, loops without an end, and what contradicts itself.
std::vector<Problem> check(const Definition& definition);
bool runnable(const std::vector<Problem>& problems);

// The names that `checks` and `needs` may hold.
std::vector<std::string_view> known_checks();

// The most agent runs that a run can cost, found by playing every way in which it can go; where
// these are too many, a number that no way exceeds. Requires: runnable().
int most_runs(const Definition& definition, int max_retries);

// A line a phase: what runs, what is checked, where it leads.
std::string picture(const Definition& definition, int max_retries);

}  // namespace capsule::phases
