// The worktree of one run behind the engine's port: from the briefing in its worklog to the merge
// and the archive. Puts git and the worklog's texts together; decides nothing about the workflow.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/ports.h"
#include "git/merge.h"
#include "git/repository.h"

namespace capsule::workspace {

// What a new worklog is made from. Owns its texts.
struct Briefing {
  std::string epic_id, epic_title, epic_goal;
  std::string feature_id, feature_title, feature_goal;
  std::string task_id, task_title, task_description, acceptance_criteria;
};

struct Settings {
  std::string main_branch;           // empty: main, else master
  std::vector<std::string> exclude;  // patterns of files that never reach main
  std::string worklog_template;      // its text
  Briefing briefing;
  std::function<std::string()> utc_now;
  // Runs the project's checks on a merged tree that nobody has tested yet. Empty text: all is well.
  // Empty function: there are none.
  std::function<Result<std::string>(const std::string& commit)> verify_merged;
};

// Where things are kept, below the top folder of the project.
std::string worktree_path(const git::Repository& repository, std::string_view bead);
std::string branch_name(std::string_view bead);
std::string archive_path(const git::Repository& repository, std::string_view bead);

class RunWorkspace : public engine::Workspace {
 public:
  RunWorkspace(git::Repository repository, Settings settings)
      : repository_(std::move(repository)), settings_(std::move(settings)) {}

  Result<event::WorktreeIntended> plan_worktree(const engine::State& state) override;
  Result<void> make_worktree(const event::WorktreeIntended& intent) override;
  Result<void> before_phase(const engine::State& state) override;
  Result<void> note_in_worklog(const engine::State& state) override;
  Result<event::SnapshotTaken> snapshot(const std::string& run,
                                        const engine::State& state) override;
  Result<void> keep_unfinished(const std::string& run, const engine::State& state) override;
  Result<void> rewind(const std::string& run, const engine::State& state) override;
  Result<std::optional<event::MergeRefused>> sign_off_gate(const engine::State& state) override;
  Result<engine::MergeAnswer> plan_merge(const std::string& run,
                                         const engine::State& state) override;
  Result<engine::PublishAnswer> publish_merge(const engine::MergePlan& plan) override;
  Result<std::string> archive(const std::string& run, const engine::State& state) override;
  Result<void> remove_worktree(const engine::State& state) override;

  // Which excluded files the merge left out, for the summary.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  Result<std::string> fresh_worklog() const;
  Result<std::string> tree_for_review(const engine::State& state, const std::string& commit,
                                      const std::string& tree) const;
  Result<std::vector<std::string>> paths_between(const std::string& from,
                                                 const std::string& to) const;  // sorted
  Result<std::optional<event::MergeRefused>> accept(const engine::State& state,
                                                    const std::string& work) const;
  git::Repository repository_;
  Settings settings_;
  // The worklog when the phase began; not known in a process that took the run up later.
  std::optional<std::string> worklog_before_;
  std::optional<git::MergePlan> merge_;
  std::vector<std::string> left_out_;
};

}  // namespace capsule::workspace
