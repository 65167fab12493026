// The gates of the pipeline: what a phase claims is held against git and the project's own test
// command, before a reviewer is paid. The world is seen through a few functions, so that the rules
// can be tested without one. Single-threaded.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/ports.h"
#include "gate/verify.h"

namespace capsule::gate {

struct Changed {
  char status = 'M';  // A, M, D, R, T
  std::string path;
  std::string from;  // where it was, if renamed
};

struct World {
  // What differs between two snapshots (commits), the worklog and files that never reach main left
  // out.
  std::function<Result<std::vector<Changed>>(const std::string& from, const std::string& to)>
      changes;
  std::function<bool(std::string_view path)> is_test_file;
  // The test command in a worktree, whose files are afterwards as they were; not called when there
  // is none. `commit` is the newest snapshot of that worktree.
  std::function<Result<Verdict>(const std::string& worktree, const std::string& commit)> test;
  // The same with build, lint and test, as far as there are such commands.
  std::function<Result<std::vector<Verdict>>(const std::string& worktree,
                                             const std::string& commit)>
      verify;
  // In a folder that holds exactly the files of a snapshot, and is removed afterwards.
  std::function<Result<std::vector<Verdict>>(const std::string& commit)> verify_clean;
  bool has_test = false;
};

class Gates : public engine::Checks {
 public:
  explicit Gates(World world) : world_(std::move(world)) {}
  Result<event::PhaseChecked> check(const std::string& run, const engine::State& state) override;

 private:
  // world_.changes, each question asked once; a snapshot that changed nothing is its predecessor.
  Result<std::vector<Changed>> changes(const std::string& from, const std::string& to);
  // The same without a process where two known answers about different files say it together.
  Result<std::vector<Changed>> changes_in_all(const std::string& from, const std::string& middle,
                                              const std::string& to);
  Result<void> as_signed_off(event::PhaseChecked& result, const engine::State& state);
  Result<void> tests_untouched(event::PhaseChecked& result, const engine::State& state);

  using Pair = std::pair<std::string, std::string>;
  Pair key_of(const std::string& from, const std::string& to) const;

  World world_;
  std::map<Pair, std::vector<Changed>> known_;
  std::map<std::string, std::string> same_as_;
};

// The usual names of test files, language by language; `patterns` replace them when there are any.
bool is_test_file(std::string_view path, const std::vector<std::string>& patterns);

}  // namespace capsule::gate
