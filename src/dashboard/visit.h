// A shell or an editor of the person's, in a worktree, on this terminal. No shell reads any word of
// ours: programs are started directly, with the worktree as their folder.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "process/spawn.h"

namespace capsule::dashboard {

enum class Visit { shell, editor };

struct Visiting {
  process::Start start;
  File folder;
};
// $SHELL, or sh; $VISUAL, $EDITOR, or the first of vi and nano that is there. Errors: not_found (no
// such folder), missing_program, usage (a quote in $EDITOR is not closed).
Result<Visiting> prepared(Visit visit, const std::string& folder);

// Starts it on the terminal of this process, which must be given back, and waits for its end. What
// a person should know then; empty: nothing.
std::string visited(const Visiting& visiting, Visit visit, const std::string& folder);

}  // namespace capsule::dashboard
