// Which tracker a project has. See docs/decisions/0036-which-tracker.md for the rule and its
// reasons.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/tracker.h"

namespace capsule::task {

enum class Choice { automatic, native, bd };

// `automatic`: the native store where the project declares it (NativeStore::declared) or nothing on
// PATH is called bd; bd where `bd version` answers as beads does. In between, bd is used as far as
// it answers `bd show ID --json` with a bead, and the native store otherwise. The damage policy of
// the native store is OnDamage::refuse. Reasons: missing_program (bd was asked for by name and is
// not there), not_found (the folder).
Result<std::unique_ptr<engine::Tracker>> open_tracker(const std::string& project_dir,
                                                      Choice choice);

// Whether `capsule bead` works on bd rather than on the native store. A program that has not said
// that it is beads is asked only where there is no native store.
Result<bool> uses_bd(const std::string& project_dir, Choice choice);

// Makes a tracker for a fresh project and fills it from a JSON-lines file; says which one it is, to
// be written down. `automatic` prefers bd where it is beads, or where it proves itself by showing a
// bead that it was given. Requires: an absolute path of the file.
Result<Choice> set_up_tracker(const std::string& project_dir, Choice choice,
                              std::string_view prefix, const std::string& issues_file);

}  // namespace capsule::task
