// Shows what the agents of a run printed, and goes on with it while the run does. Reads only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ui/log_text.h"
#include "world/project.h"

namespace capsule::run {

struct LogOrder {
  std::vector<std::string> words;  // of the run, as world::find_run() wants them; one at least
  std::string role;                // only of this one; empty: of all
  int agent = 0;                   // only the one of this number; 0: all
  ui::LogPrinter::Look look;       // follow: goes on until the run has ended
};

// `store` may be null: phases that were run by hand have no run. Errors: those of find_run() and of
// `write`; not_found: nothing of that was printed.
Result<void> show_log(const world::Project& project, engine::Records* store, const LogOrder& order,
                      ui::LogPrinter::Write write);

}  // namespace capsule::run
