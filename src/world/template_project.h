// The demo project, made from templates/demo-capsule: for setup-template and demo.
#pragma once

#include <string>

#include "config/config.h"
#include "world/assets.h"

namespace capsule::world {

// A fresh git repository with the template's files and beads, committed, and its tracker written
// down. `folder` is absolute; empty: a new one among the temporary files. Returns where it is.
// Errors: exists (a repository, or files of the template, are there), not_found (the template),
// missing_program, and others; what was made before an error is removed again.
Result<std::string> make_template_project(const Assets& assets, std::string folder,
                                          config::Tracker tracker);

}  // namespace capsule::world
