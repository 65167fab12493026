// Everything that a pipeline command needs for one bead, connected: the real parts behind the
// engine's ports. A command opens a session, decides which run it is about, takes it, and carries
// it on.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/bead_context.h"
#include "engine/journal.h"
#include "engine/pipeline_runner.h"
#include "engine/run_log.h"
#include "store/store.h"
#include "ui/view.h"
#include "workspace/workspace.h"
#include "world/interrupt.h"
#include "world/project.h"

namespace capsule::cli {

class Session {
 public:
  // Reads the bead and opens the journal. Nothing is written but an empty journal.
  static Result<std::unique_ptr<Session>> open(world::Project project, const std::string& bead,
                                               ui::Face face);
  ~Session();

  const world::Project& project() const { return project_; }
  const engine::Bead& bead() const { return bead_; }
  store::Store& store() { return *store_; }
  engine::Tracker& tracker() { return *tracker_; }

  // The newest run of the bead, if there is one, and what its facts say.
  struct Newest {
    std::string run;
    std::vector<event::PipelineFact> facts;
    pipeline::State state;
  };
  Result<std::optional<Newest>> newest();
  bool has_worktree() const;
  std::string worktree() const;

  // Claims the bead for this process and makes the runner of `run`, which need not exist yet.
  // Error blocked: another process has it.
  Result<void> take(const std::string& run);
  engine::PipelineRunner& runner() { return *runner_; }
  // Whether the agents, prompts and the test program that a run needs are there. Requires: take().
  Result<void> preflight();

  // "already merged as COMMIT", as people or programs want it.
  void tell_merged(const std::string& commit) const;

  // The start of a new run of this bead, with what the configuration says.
  event::RunStarted started() const;
  // Records a worktree that was made by other means as that of a new run. Requires: take() of a new
  // run.
  Result<void> adopt_worktree();

  // Makes the worktree of the taken run anew, from its newest snapshot.
  Result<void> bring_worktree_back(const pipeline::State& state);

  // The summary of the taken run, for people.
  std::string summary();
  void close_view();
  int exit_code(const pipeline::State& state) const;

 private:
  struct Parts;
  explicit Session(world::Project project);
  Result<workspace::Briefing> briefing();

  world::Project project_;
  std::unique_ptr<engine::Tracker> tracker_;
  engine::Bead bead_;
  engine::Ancestry ancestry_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<process::Loop> loop_;
  std::unique_ptr<world::Interrupt> interrupt_;
  ui::Face face_ = ui::Face::plain;
  std::unique_ptr<engine::Claim> claim_;
  std::string run_;
  std::unique_ptr<engine::Probe> probe_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<engine::PipelineRunner> runner_;
};

std::string new_run_id();

}  // namespace capsule::cli
