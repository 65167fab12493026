// Runs the project's own commands (test, lint, build) and says how they ended. The commands come
// from the configuration outside the worktree, so no agent can change them; a text is run by
// /bin/sh, which is the only shell in Capsule, on the user's own words.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "process/tree.h"

namespace capsule::gate {

struct Command {
  std::vector<std::string> argv;  // run as it is
  std::string shell;              // or: a text for /bin/sh -c
  bool empty() const { return argv.empty() && shell.empty(); }
};

struct Verify {
  Command test, lint, build;
  std::string dir;  // below the folder that is verified
  std::chrono::seconds timeout{600};
  bool empty() const { return test.empty() && lint.empty() && build.empty(); }
};

enum class Ending {
  passed,
  failed,       // the command ran and said no
  not_run,      // 126 or 127: it, or what it needs, is not installed
  ended_badly,  // by a signal
  timed_out,
};

enum class Kind { build, lint, test };
std::string_view name_of(Kind kind);

struct Verdict {
  Ending ending = Ending::passed;
  int exit_code = 0;
  std::string command;  // for people
  std::string tail;     // the useful end of what it printed
  Kind kind = Kind::test;
};

// In `folder`/`verify.dir`. Errors: not_found (no such folder), interrupted never: the caller
// knows.
Result<Verdict> run_check(process::Loop& loop, const Command& command, const Verify& verify,
                          const std::string& folder);

// Those of build, lint and test that there are, in this order; nothing after a build that fails.
Result<std::vector<Verdict>> run_each_check(process::Loop& loop, const Verify& verify,
                                            const std::string& folder);

// The same, up to the first that does not pass.
Result<Verdict> run_all_checks(process::Loop& loop, const Verify& verify,
                               const std::string& folder);

// The last lines of `text`, at most `bytes` of it, whole lines where that is possible.
std::string useful_end(std::string_view text, std::size_t bytes);

// "exit status 1", "ended by signal 9", …
std::string describe(const Verdict& verdict);

}  // namespace capsule::gate
