// What `bd --json` prints, made from the lines of issues.jsonl: indented by two, in bd's order of
// members, unknown ones included. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/tracker.h"
#include "task/issues_file.h"

namespace capsule::task {

// As `bd show ID --json`: an array of one, whose dependencies and dependents are beads with a
// dependency_type. Requires: the file has the bead.
std::string show_json(const IssuesFile& file, std::string_view id);

// As `bd list --json` and `bd ready --json`: lines of the file with counts and the parent.
std::string list_json(const IssuesFile& file, const std::vector<engine::Bead>& beads);

// As `bd create --json`: one object. Requires: the file has the bead.
std::string object_json(const IssuesFile& file, std::string_view id);

// As `bd close --json`, `bd reopen --json` and `bd update --json`: an array of one line of the
// file.
std::string array_json(const IssuesFile& file, std::string_view id);

// As `bd comments add --json`: the newest comment, or null. Requires: the file has the bead.
std::string last_comment_json(const IssuesFile& file, std::string_view id);

}  // namespace capsule::task
