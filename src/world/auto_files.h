// The files of auto mode in a project's .caw/, written from the journal.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workflow/auto/run.h"

namespace capsule::world {

class AutoFiles {
 public:
  AutoFiles(std::string project, std::string run)
      : project_(std::move(project)), run_(std::move(run)) {}
  // All of them, as far as they differ from what was written last. Safe to repeat.
  Result<void> write(const auto_mode::Run& run);

 private:
  Result<void> write_state(const auto_mode::Run& run) const;
  Result<void> write_rounds(const std::vector<event::auto_run::Reviewed>& rounds) const;
  Result<void> add_learnings(const auto_mode::Run& run) const;

  std::string project_, run_;
  std::size_t rounds_ = 0;  // that were written
};

// The run that a state file belongs to; empty: it is a session's.
std::string run_of_state(const std::string& project);

}  // namespace capsule::world
