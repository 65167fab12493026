// Snapshots for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "world/snapshots.h"

namespace capsule::ui {

std::string snapshot_lines(const std::vector<world::Snapshot>& snapshots);
std::string snapshots_json(const std::vector<world::Snapshot>& snapshots);

// `capsule gc`: what goes, or would go, and what stays for the sake of runs that can go on.
// `option`: " --project-dir=…", where the commands to paste need it.
std::string collection_text(const world::Collection& collection, bool dry_run,
                            const std::string& option);

}  // namespace capsule::ui
