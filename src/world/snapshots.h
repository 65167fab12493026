// What is kept of the work of every run, under refs/capsule/, and for how long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "world/runs.h"

namespace capsule::world {

struct Snapshot {
  // "<run>/<n>-<phase>", "<run>/<task>/<n>-<role>"; of what was removed by a clean-up
  // "rescue/<run>/<time>" or "rescue/<run>/<task>/<time>".
  std::string name;
  std::string ref, commit, subject;  // the subject is hostile
  std::string run, task;             // task: empty when the name has none
  bool rescued = false;              // no run ever goes on from it
  long time = 0;
  std::string tree = {}, parent = {};  // of the commit
};

// Those of the runs that the words stand for, as find_run() has it, oldest first, and of one moment
// by their number. A bead without a run may have some too: those that were rescued from a worktree
// that no run knew. `changed`: without those of agents that only looked and changed nothing.
enum class Listed { all, changed };
Result<std::vector<Snapshot>> snapshots_of(const Project& project,
                                           const std::vector<std::string>& words,
                                           Listed listed = Listed::all);

// Puts the files of a snapshot into a folder, which must be empty or not exist; empty: one below
// .capsule/restored. `wanted` is its name, the end of it, or the beginning of its commit. Returns
// the folder. Errors: not_found, usage (several tasks have it), those of git.
Result<std::string> restore(const Project& project, const std::vector<std::string>& words,
                            const std::string& wanted, std::string to);

struct Collection {
  std::vector<Snapshot> old;      // that go
  std::vector<Snapshot> needed;   // as old, but their runs can still go on
  std::vector<std::string> runs;  // of `needed`, as people name them
};
// Which snapshots are older than that. Those of runs that can still go on stay, whatever their
// workflow, also when their facts cannot be read. With words only those of that run; what was
// rescued from its trees then goes even if it can go on, unless a process works on it.
Result<Collection> old_snapshots(const Project& project, engine::Records& store, long age_seconds,
                                 const std::vector<std::string>& words);
Result<void> remove_snapshots(const Project& project, const std::vector<Snapshot>& snapshots);

// The seconds of "30d", "12h", "90m" or "10s". Error usage.
Result<long> age_in(std::string_view text);

}  // namespace capsule::world
