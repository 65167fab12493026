// Runs the project's own commands while other things go on: one after the other, each in a process
// tree of its own. All that are asked for are run, whatever the ones before said, so that what
// fails can be held against what failed before. Nothing here waits; memory is bounded, however much
// a command prints.
//
// Single-threaded, on the thread of the Loop, which must outlive it. Once it is gone while a
// command runs, the loop must not be turned any more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/verify.h"
#include "gate/walls.h"
#include "gate/watch.h"
#include "process/tree.h"

namespace capsule::gate {

class Setup;

class Checks {
 public:
  // One verdict for each command, in the order of the configuration. Errors: not_found (no such
  // folder), interrupted (a person asked to stop: what a command says then says nothing), refused
  // (the walls cannot be put up: nothing ran), usage (a place of them), io.
  using Done = std::function<void(const Result<std::vector<Verdict>>&)>;

  Checks(
      process::Loop& loop, Verify verify, std::function<bool()> interrupted = [] { return false; });
  ~Checks();
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  // What readies a fresh checkout before the commands run there; nullptr: nothing has to. It must
  // outlive the checks.
  void ready_by(Setup& setup) { setup_ = &setup; }
  // Walls around each command; left out: none.
  void contained_by(Walls walls) { walls_ = std::move(walls); }
  // Who is told while they run; null: nobody. It must outlive the checks.
  void watched_by(Watch* watch) { watch_ = watch; }
  Watch* watch() const { return watch_; }
  Setup* setup() const { return setup_; }

  bool any() const { return !verify_.commands.empty(); }
  bool has(std::string_view name) const { return verify_.find(name) != nullptr; }
  std::vector<std::string> names() const;
  std::string text() const;  // of all commands, a line each

  // In `folder`/`verify.dir`; names without a command are passed over. `done` is called once, from
  // a turn of the loop; when nothing can be started, from within. Requires: `folder` stays until
  // then. `writes`: what becomes of what they write there, when they have walls.
  void run(const std::string& folder, const std::vector<std::string>& names, Done done,
           Writes writes = Writes::vanish);
  void run_all(const std::string& folder, Done done) { run(folder, names(), std::move(done)); }

 private:
  class Job;
  process::Loop& loop_;
  const Verify verify_;
  const std::function<bool()> interrupted_;
  Setup* setup_ = nullptr;
  Watch* watch_ = nullptr;
  Walls walls_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Job>> jobs_;
};

}  // namespace capsule::gate
