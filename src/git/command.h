// How git is called. Every call names its repository, work tree and index itself, inherits no GIT_*
// variable, asks nobody anything and reads no configuration but ours.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

struct Call {
  std::vector<std::string> args;           // from the subcommand on
  std::string input = {};                  // its stdin
  std::string work_tree = {};              // also the folder that it runs in; empty: none, and /
  std::string index = {};                  // file; must be given with commands that use one
  std::vector<std::string> settings = {};  // "key=value"
  std::vector<std::pair<std::string, std::string>> env = {};
  std::size_t most = 0;  // bytes of what it prints that are kept; 0: all of it, or an error
  bool magic = false;    // pathspecs are patterns of ours; otherwise they are names
  bool remote = false;   // reaches another repository, as the user's own configuration has it
};

// By the private git dir: nothing that the repository's configuration names can run. Any exit code
// is an answer; errors are missing_program, timed_out, io, not_found (the work tree).
Result<Answer> ask(const Repository& repository, const Call& call);

// The same, but an exit code other than 0 is an error (failed) with git's first complaint. Returns
// what it printed.
Result<std::string> tell(const Repository& repository, const Call& call);

// With the repository's and the user's own configuration in force, hooks and the like switched off:
// only for commands that run nothing by themselves (rev-parse, config, worktree remove --force).
// `work_tree` goes before what the configuration says about one.
enum class Patience { little, much };
Result<Answer> ask_plainly(const std::string& folder, const std::vector<std::string>& args,
                           Patience patience = Patience::little, const std::string& work_tree = {});

// In a repository that we have just made: its own configuration alone is in force, hooks and the
// like are switched off, and neither the user's nor the system's configuration has a say.
Result<Answer> ask_alone(const std::string& folder, const std::vector<std::string>& args);

// By the private git dir, to another repository: a path, ssh or http. The user's own configuration
// is in force (credentials, proxies), the repository's is not. Nobody is asked for a password.
Result<Answer> ask_remote(const Repository& repository, const std::vector<std::string>& args,
                          std::chrono::seconds patience);

// The first line of git's stderr that is a complaint, without "fatal: " or "error: ".
std::string first_complaint(std::string_view err);

Error git_failed(const Call& call, const Answer& answer);

}  // namespace capsule::git
