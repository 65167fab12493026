// What the files of this folder share among themselves.
#pragma once

#include "plan/plan.h"

namespace capsule::plan {

// Turns the text that stands in `blocked_by` into ids.
void read_references(Plan& plan);

// Adds what is wrong with the plan to errors and warnings, and sorts them by line.
void check(Checked& out, const ReadingExists& exists);

// The files that Files and Work name: what a task touches, as far as it says so.
std::vector<std::string> touched(const Task& task);

}  // namespace capsule::plan
