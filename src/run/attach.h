// Follows a run that another process carries on: what its facts tell, as the journal gets them.
#pragma once

#include <functional>
#include <string>

#include "ui/terminal.h"
#include "world/runs.h"

namespace capsule::run {

struct Attachment {
  ui::Look look{};              // plain or json
  std::function<bool()> leave;  // asked after each wait, which a signal ends: the caller had enough
  std::function<std::string(const world::Run&)> questions;  // what a person is asked, with commands
};

struct Followed {
  world::Run run;  // as it was read last
  bool left = false;
  int exit_code = 0;  // that the command which carried it on has, or would have had
};

// Writes to stdout: the newest lines of what was told so far (as JSON: all of them), and then each
// fact as it comes, until nobody carries the run on any more. Reads only. Errors: damaged, io.
Result<Followed> follow(const world::Project& project, engine::Records& store,
                        const world::Run& run, const Attachment& attachment);

}  // namespace capsule::run
