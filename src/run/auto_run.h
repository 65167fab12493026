// A headless run of auto mode, connected.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "run/conductor.h"
#include "ui/face.h"
#include "ui/terminal.h"
#include "workflow/auto/workflow.h"
#include "world/auto_files.h"
#include "world/held_session.h"

namespace capsule::run {

class AutoRun {
 public:
  // Opens the journal. Nothing is written but an empty journal.
  static Result<std::unique_ptr<AutoRun>> open(world::Project project, ui::Look look);
  ~AutoRun();

  struct Newest {
    std::string run;
    auto_mode::Run state;
    bool ended() const { return state.step == auto_mode::Step::ended; }
  };
  // The newest headless run of the project.
  Result<std::optional<Newest>> newest();

  // Claims auto mode for this process and connects `run`, which need not exist yet. Error blocked:
  // another process has it.
  Result<void> take(const std::string& run);
  // Whether the agents and prompts of all phases are there. Requires: take().
  Result<void> preflight(bool in_place);
  // Error not_found: the worktree that an ended run goes on in is gone. Requires: take().
  Result<void> has_place(const auto_mode::Run& state);
  // Records what a person decided, and carries out what follows. Requires: take().
  Result<void> give(event::auto_run::Fact fact);
  Result<void> give(std::vector<event::auto_run::Fact> facts);
  // Carries the taken run on, shows how it ended, and returns the exit code.
  Result<int> carry_on();

  const world::Project& project() const { return conductor_->project(); }
  Conductor& conductor() { return *conductor_; }
  bool has_checks() const;
  // Whether the client of its agents keeps sessions.
  bool keeps_sessions() const;

 private:
  AutoRun() = default;
  // Draws, and writes the files that follow the journal.
  class Audience;

  Result<std::string> describe();

  std::unique_ptr<Conductor> conductor_;
  ui::Look look_{};
  std::string run_;
  std::unique_ptr<engine::WorkflowOf<auto_mode::Rules>> workflow_;
  std::unique_ptr<Audience> audience_;
};

// What the caller wants of a new run.
struct AutoOrder {
  std::string task;
  auto_mode::Config config;
  std::int64_t max_iterations = auto_mode::kMaxIterations;
  bool in_place = false;         // in the checkout itself, and nothing is merged
  event::Integrate integrate{};  // unsaid: as the project says
  bool force = false;            // replace the state of a session that is active
};
// Goes on with a run of this task that was cut off; else begins one. Error refused: a run of
// another task was cut off, or a session is active.
Result<int> run_auto(AutoRun& run, const AutoOrder& order, const world::Warn& warn);
// Goes on with the newest run. Errors: not_found, refused (it is complete).
Result<int> continue_auto(AutoRun& run, event::Integrate integrate = {});
// Ends the newest run in the journal; one that another process carries on is told to stop. Returns
// what was done, for people.
Result<std::string> cancel_auto(AutoRun& run);

}  // namespace capsule::run
