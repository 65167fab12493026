// What a person is asked before work reaches main, and what their words mean: one rule for all
// workflows. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "event/common.h"

namespace capsule::workflow {

// "approve", "yes", …; "reject", "no", …; or anything else: words for whoever has to mend it, which
// is a rejection, too. "reject: TEXT" is one whatever TEXT is.
struct Approved {
  bool yes = false;
  std::string words;  // of a rejection; empty: it says no more than that
};
Approved approved_by(std::string_view text);

// Before a merge. `folder`: where a person may still change files.
std::string merge_question(std::string_view folder);
// What they should know: files, and what the merged files were checked by. `changed`: how many
// files there are; `files` are the first of them.
std::string merge_evidence(std::string_view onto, const std::vector<std::string>& files,
                           int changed, const std::vector<event::CheckRun>& runs);
// "test (go test ./...): passed, 12 tests": one line a run, without its end.
std::vector<std::string> check_lines(const std::vector<event::CheckRun>& runs);

// About files that say what the project's checks do.
std::string guard_question(std::string_view who, const std::vector<std::string>& files);

// Whether a merge that was refused for this has to be approved anew: what is only in its way says
// nothing about the work.
bool voids_approval(event::MergeRefusal why);

// How many files a fact names; the rest is counted.
inline constexpr std::size_t kFilesNamed = 50;

}  // namespace capsule::workflow
