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

// ---- For `capsule demo`

// Error missing_program: there is no go. Sets the environment so that nothing is fetched.
Result<void> check_go();
// The first test of a Go installation compiles its standard library; what the demo shows is not
// that.
Result<void> warm_go(const std::string& project);
// A template project with a test command, and with a cassette of its own unless that is empty.
Result<std::string> make_demo_project(const Assets& assets, const std::string& folder,
                                      std::string_view cassette);

}  // namespace capsule::world
