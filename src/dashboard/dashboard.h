// The dashboard of a project on this terminal, until the person leaves it. Everything that it shows
// or asks for is done by others and goes on without it.
#pragma once

#include <string>

#include "base/result.h"
#include "command_line/command.h"
#include "world/project.h"

namespace capsule::dashboard {

// The exit code. Errors: refused where there is no terminal that can show it; those of the journal.
// `commands`: of our own program, for the command line; must outlive the call.
Result<int> show(const world::Project& project, command_line::Table commands);

// A screen as an SVG picture, without a terminal: after these keys ("b down enter"), at this size.
// Keys that want something of the world have no effect.
struct Picture {
  std::string keys = {};
  int columns = 120, rows = 36;
};
Result<std::string> picture(const world::Project& project, command_line::Table commands,
                            const Picture& wanted);

// Whether there is anything to show: a journal, or beads.
bool has_something(const world::Project& project);

}  // namespace capsule::dashboard
