// A run of phases for one bead: which one a command means, and everything that it needs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/bead_context.h"
#include "run/conductor.h"
#include "ui/face.h"
#include "ui/terminal.h"
#include "workflow/phases/phases.h"

namespace capsule::run {

class BeadRun {
 public:
  // Reads the bead and opens the journal. Nothing is written but an empty journal.
  static Result<std::unique_ptr<BeadRun>> open(world::Project project, const std::string& bead,
                                               ui::Look look);
  ~BeadRun();

  const world::Project& project() const { return conductor_->project(); }
  const engine::Bead& bead() const { return bead_; }
  Conductor& conductor() { return *conductor_; }
  engine::Tracker& tracker() { return *tracker_; }

  // The newest run of the bead, if there is one.
  struct Newest {
    std::string run;
    phases::State state;
    std::string home = {};  // empty: here
    bool ended() const { return state.step == phases::Step::ended; }
    bool merged() const { return state.outcome == event::Outcome::merged; }
  };
  Result<std::optional<Newest>> newest();
  // Has a run that was cut off elsewhere go on here, where that can be; else claiming it says why
  // not. Error blocked: somebody works on it there.
  Result<void> bring_here(const Newest& newest);
  // Makes the worktree of a run that was elsewhere. Requires: take().
  Result<void> arrive();
  std::string worktree() const;
  bool has_worktree() const;

  // Claims the bead for this process and connects `run`, which need not exist yet, with what is to
  // be known of it now. Error blocked: another process has the bead.
  Result<void> take(const std::string& run, const event::Definition& definition,
                    phases::Present present = {});
  // Whether the agents, prompts and the test program that a run needs are there. Requires: take().
  enum class Begins { with_what_there_is, at_head };
  Result<void> preflight(Begins begins = Begins::with_what_there_is);
  // Records what a person decided, and carries out what follows. Requires: take().
  Result<void> give(std::vector<event::PipelineFact> facts);
  // A worktree that was made by other means, as that of a new run, and what a person decided about
  // it. Requires: take() of a new run.
  Result<void> adopt_worktree(const std::vector<event::PipelineFact>& decided = {});
  // Carries the taken run on, shows how it ended, and returns the exit code.
  Result<int> carry_on();

  const phases::State& state() const { return workflow_->state(); }
  // The start of a new run of this bead, with what the configuration says.
  event::RunStarted started(const event::Definition& definition, std::string branch = "",
                            event::Integrate integrate = {}) const;
  // Where the work of a run waits, with its description, written anew when it is missing.
  Result<void> show_on_branch(const Newest& newest);
  // "already merged as COMMIT", as people or programs want it.
  Result<void> show_merged(const Newest& newest);

 private:
  BeadRun() = default;
  Result<world::WorldSettings> settings(const std::string& run);
  Result<void> describe(const std::string& run, const phases::State& state);
  Result<view::Run> view_of(const std::string& run);
  std::string summary();

  std::unique_ptr<Conductor> conductor_;
  std::unique_ptr<engine::Tracker> tracker_;
  engine::Bead bead_;
  engine::Ancestry ancestry_;
  ui::Look look_{};
  std::string run_;
  event::Definition definition_;
  std::unique_ptr<engine::WorkflowOf<phases::Rules>> workflow_;
  std::unique_ptr<ui::Face> face_;
};

}  // namespace capsule::run
