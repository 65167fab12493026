// Readies a tree before agents and checks work in it, by the user's own command (`npm ci`, `git
// submodule update --init`). Runs while other things go on, each in a process tree of its own; what
// it prints goes to a log, and its end is remembered. Nothing here waits.
//
// Single-threaded, on the thread of the Loop, which must outlive it. Once it is gone while a
// command runs, the loop must not be turned any more.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "gate/verify.h"
#include "gate/walls.h"
#include "gate/watch.h"
#include "process/tree.h"

namespace capsule::gate {

inline constexpr std::string_view kSetup = "setup";  // the name of its verdict

class Setup {
 public:
  // The command's verdict. Errors: interrupted (a person asked to stop), refused (the walls cannot
  // be put up: nothing ran), usage (a place of them), io.
  using Done = std::function<void(const Result<Verdict>&)>;

  // Without a command there is nothing to do, and nobody asks.
  Setup(
      process::Loop& loop, Command command, std::chrono::seconds timeout,
      std::function<bool()> interrupted = [] { return false; });
  ~Setup();
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  // Walls around the command, which may change the folder; left out: none.
  void contained_by(Walls walls) { walls_ = std::move(walls); }
  // Who is told while it runs; null: nobody. It must outlive the set-up.
  void watched_by(Watch* watch) { watch_ = watch; }

  bool any() const { return !command_.empty(); }
  const Command& command() const { return command_; }

  // In `folder`. `log` gets what it prints, both streams; closed: nobody keeps it. `done` is called
  // once, from a turn of the loop; when nothing can be started, from within.
  void run(const std::string& folder, File log, Done done);

 private:
  class Job;
  process::Loop& loop_;
  const Command command_;
  const std::chrono::seconds timeout_;
  const std::function<bool()> interrupted_;
  Watch* watch_ = nullptr;
  Walls walls_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Job>> jobs_;
};

}  // namespace capsule::gate
