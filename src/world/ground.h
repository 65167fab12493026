// Watches the ground under the agents' feet (git/ground.h) for one run: looks before and after each
// agent and around each merge, and says what changed that Capsule did not do, with the agents that
// ran meanwhile. Which of several did it, or a person in between, cannot be known and is not said.
//
// Single-threaded. Looking costs no process as long as nothing has changed. Where an agent begins,
// a glance will do: what was written into a file before that is told by the next look, with those
// who ran when the file says that it was written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "git/ground.h"
#include "git/repository.h"
#include "workflow/step.h"

namespace capsule::world {

struct GroundParts {
  git::Repository repository;
  std::string run;
  std::string main_branch;           // configured; empty: main, else master
  std::vector<std::string> exclude;  // untracked files that nobody misses
  bool asks = true;                  // a moved main is a question
  // Whether the journal has it that this commit is the merge of a Capsule's run.
  std::function<bool(const std::string& run, const std::string& commit)> merged_by;
  // Whether main is at this commit because it followed that of a remote; not set: it follows none.
  std::function<bool(const std::string& commit)> followed = {};
};

class GroundWatch {
 public:
  explicit GroundWatch(GroundParts parts) : parts_(std::move(parts)) {}

  // The run's agents work in the user's checkout: what they do there is no difference.
  void in_place();
  // Since the last look, at which `agents` ran as they do until now. The first one sees nothing.
  // What Capsules have merged is no difference. More than one where different agents ran meanwhile.
  std::vector<workflow::GroundMoved> look(const std::vector<int>& agents);
  // The same right before an agent or a merge begins, and cheaper where nothing seems to have
  // happened.
  std::vector<workflow::GroundMoved> look_before(const std::vector<int>& agents);
  // The same right after a merge of our own.
  std::vector<workflow::GroundMoved> look_after(const workflow::Merged& merged,
                                                const std::vector<int>& agents);

 private:
  // Until then these agents ran, and no look has seen what was written meanwhile.
  struct Glance {
    std::int64_t until_ns = 0;
    std::vector<int> agents;
  };

  std::vector<workflow::GroundMoved> compare(const std::vector<int>& agents,
                                             const workflow::Merged* merged);
  std::vector<workflow::GroundMoved> by_time(std::vector<std::string> files, const git::Ground& now,
                                             const std::vector<int>& agents);
  std::string main_ref() const;
  bool by_capsules(const std::string& from, const std::string& to) const;

  const GroundParts parts_;
  git::Extent extent_ = git::Extent::all;
  std::optional<git::Ground> last_;
  std::vector<Glance> glances_;  // since then
  std::set<std::string> told_;   // files: each once
};

// GroundParts::merged_by for a project: a run that is going on may not have recorded its merge yet.
bool journal_has_merge(const std::string& project, const std::string& own_run,
                       const std::string& run, const std::string& commit);

}  // namespace capsule::world
