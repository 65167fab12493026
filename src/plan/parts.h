// What the files of this folder share among themselves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace capsule::plan {

// Where the parts of a task stand; empty for tasks that come from elsewhere. Parallel to the lists
// of the task.
struct Lines {
  std::vector<std::pair<std::string, int>> references;  // lines of Blocked By, not read yet
  std::vector<int> blocked_by, criteria, reading;
};

// Fills blocked_by of each task from the texts of its references.
void read_references(Plan& plan, std::vector<Lines>& lines);

// Adds what is wrong with the plan to errors and warnings, and sorts them by line.
void check(Checked& out, const std::vector<Lines>& lines, const ReadingExists& exists);

// The files that Files and Work name: what a task touches, as far as it says so.
std::vector<std::string> touched(const Task& task);

}  // namespace capsule::plan
