// The project's own commands (build, lint, test) and how they can end. They come from the
// configuration outside the worktree, so no agent can change them; a text is run by /bin/sh, which
// is the only shell in Capsule, on the user's own words. Values and pure functions; checks.h runs
// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/common.h"
#include "gate/report.h"

namespace capsule::gate {

struct Command {
  std::vector<std::string> argv = {};  // run as it is
  std::string shell = {};              // or: a text for /bin/sh -c
  bool empty() const { return argv.empty() && shell.empty(); }
};

struct NamedCommand {
  std::string name;  // "build", "lint", "test"
  Command command;
};

struct Verify {
  std::vector<NamedCommand> commands = {};  // in the order in which they are run
  std::string dir = {};                     // below the folder that is verified
  std::chrono::seconds timeout{600};        // of each
  std::string test_report = "auto";         // how `test` names its tests; see plan_report

  // Leaves out what is empty: no command of that name is configured.
  void add(std::string name, Command command);
  const Command* find(std::string_view name) const;  // nullptr: there is none
};

// The name of the command that "red" and "green" are about.
inline constexpr std::string_view kTest = "test";

using Ending = event::CheckEnding;

struct Verdict {
  Ending ending = Ending::passed;
  int exit_code = 0;
  std::string command = {};  // for people
  std::string output = {};   // the useful part of what it printed: its beginning and its end
  std::string name = std::string(kTest);
  std::optional<TestReport> tests = {};  // of `test`, when it named them
  ReportFormat report_format = {};       // in which way it was asked to name them
  std::string report_problem = {};       // why it did not, although it was asked to; for people
  std::int64_t duration_ms = 0;
  // Of one inside walls: what it may lack there, and the line that gives it, for people.
  std::string walls = {};
  std::string excess = {};  // what it used too much of, and was ended for; after "it"
};

// The command as a person wrote it, and the words to run it with.
std::string spelled(const Command& command);
std::vector<std::string> words_of(const Command& command);

// The last lines of `text`, at most `bytes` of it, whole lines where that is possible.
std::string useful_end(std::string_view text, std::size_t bytes);
// The same with some of its first lines: that is where compilers say what is wrong.
std::string useful_ends(std::string_view text, std::size_t bytes);

// "exit status 1", "timed out", …
std::string describe(const Verdict& verdict);

}  // namespace capsule::gate
