// The files of auto mode in a project's .caw/, written from the journal.
#pragma once

#include <string>

#include "engine/auto_ports.h"

namespace capsule::world {

class AutoFilesPort : public engine::AutoFiles {
 public:
  AutoFilesPort(std::string project, std::string run)
      : project_(std::move(project)), run_(std::move(run)) {}
  Result<void> write_state(const auto_mode::Run& run) override;
  Result<void> write_rounds(const std::vector<event::auto_run::Reviewed>& rounds) override;
  Result<void> add_learnings(const auto_mode::Run& run, const std::string& learnings) override;

 private:
  std::string project_;
  std::string run_;
};

// The run that a state file belongs to; empty: it is a session's.
std::string run_of_state(const std::string& project);

}  // namespace capsule::world
