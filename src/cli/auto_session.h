// Everything that a headless run of auto mode needs, connected: the real parts behind the engine's
// ports.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/auto_runner.h"
#include "engine/journal.h"
#include "store/store.h"
#include "ui/auto_view.h"
#include "world/interrupt.h"
#include "world/project.h"

namespace capsule::cli {

class AutoSession {
 public:
  // Opens the journal. Nothing is written but an empty journal.
  static Result<std::unique_ptr<AutoSession>> open(world::Project project, ui::AutoView::Face face);
  ~AutoSession();

  struct Newest {
    std::string run;
    auto_mode::Run state;
  };
  // The newest headless run of the project.
  Result<std::optional<Newest>> newest();

  // Claims auto mode for this process and makes the runner of `run`, which need not exist yet.
  // Error blocked: another process has it.
  Result<void> take(const std::string& run, bool in_place);
  engine::AutoRunner& runner() { return *runner_; }
  Result<void> preflight();
  bool has_checks() const;
  const world::Project& project() const { return project_; }
  store::Store& store() { return *store_; }
  int exit_code(const auto_mode::Run& run) const;

 private:
  struct Parts;
  explicit AutoSession(world::Project project);

  world::Project project_;
  ui::AutoView::Face face_ = ui::AutoView::Face::plain;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<process::Loop> loop_;
  std::unique_ptr<world::Interrupt> interrupt_;
  std::unique_ptr<engine::Claim> claim_;
  std::unique_ptr<engine::Probe> probe_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<engine::AutoRunner> runner_;
};

// Brings what the hook wrote into the journal, once for each state that is found. Does nothing for
// the state of a headless run, and where there is no repository.
Result<void> record_session(const std::string& folder);

}  // namespace capsule::cli
