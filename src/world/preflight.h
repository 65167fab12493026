// What is known at the start is refused at the start, for every workflow: what would cost every
// attempt, or stop the work at its end, is found before the first agent is paid.
#pragma once

#include <functional>
#include <string>

#include "world/project.h"

namespace capsule::world {

void print_warning(const std::string& sentence);  // to stderr

// A sentence for each budget that somebody does not count towards. Part of preflight().
void warn_of_budgets(const Project& project, const std::function<void(const std::string&)>& warn);

struct PreflightOf {
  bool merges = true;      // its work goes to main
  bool from_head = false;  // a new worktree begins at HEAD, not at the newest main
  // A sentence for people about what is no reason to refuse.
  std::function<void(const std::string&)> warn = print_warning;
};

// Errors: not_found (no main branch), refused (HEAD is ahead of main, a merge is unfinished where
// main is checked out), missing_program (of the project's commands), io (no worktree can be made).
// One git process when HEAD is not main, else none.
Result<void> preflight(const Project& project, const PreflightOf& of);

}  // namespace capsule::world
