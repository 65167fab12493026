// Runs a program to its end and returns what it said. Blocks; may be called from any thread.
//
// run() is for short programs that are ours to trust (git): what such a program leaves running in
// the background is not looked for, and at our own death it runs to its end. run_tree() is for
// commands of the project (tests, builds): a process tree with a guardian, ended as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "process/program.h"
#include "process/tree.h"

namespace capsule::process {

struct Spec {
  std::vector<std::string> argv;          // argv[0] is looked up, see find_program
  std::string cwd = {};                   // empty: the current folder
  std::vector<EnvChange> env = {};        // on top of the inherited environment
  std::optional<std::string> input = {};  // its stdin, of any size; none: /dev/null
  int keep_fd = -1;                       // one of ours that stays open in it, as 3
  std::size_t max_out_bytes = 64UL * 1024 * 1024;
  std::size_t max_err_bytes = 1024UL * 1024;
  Clock::time_point deadline = Clock::time_point::max();  // then TERM, and KILL after the grace
  std::chrono::milliseconds grace = std::chrono::seconds(2);
  std::optional<contain::Wish> walls = {};  // of run_tree(); see TreeSpec
  // Takes stdout in pieces as it comes; Output::out stays empty then and no limit applies.
  std::function<void(std::string_view)> on_out = {};
};

struct Output {
  int exit_code = -1;   // -1 when a signal ended it
  int term_signal = 0;  // 0 when it exited
  bool timed_out = false;
  bool out_truncated = false;  // the limit was reached; the rest was read and thrown away
  bool err_truncated = false;
  std::string out = {};
  std::string err = {};
  bool ok() const { return exit_code == 0 && !timed_out; }
};

// Errors only when it could not be run: those of find_program, not_found for the folder, usage for
// words that exec does not take, io. Every way to end is an Output.
Result<Output> run(const Spec& spec);

// The same in a tree of `loop`, which turns meanwhile, so that its timers, watches and other
// children go on; a callback may end_all(). Not to be called from a callback of that loop.
Result<Output> run_tree(Loop& loop, const Spec& spec);

}  // namespace capsule::process
