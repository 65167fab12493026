// The summary that ends a run of phases. Pure: used at the end of a run, and by `capsule status`
// for any run of the journal.
#pragma once

#include <string>
#include <vector>

#include "ui/run_text.h"
#include "ui/style.h"

namespace capsule::ui {

// What the summary needs beyond the run itself.
struct Surroundings {
  std::string project_option;  // " --project-dir=…" where the commands to paste need it, else empty
  std::string provider_option;  // " --provider=…" for those that start agents, the same
  std::string main_branch;
  std::string last_words;             // of the agent that ended without a valid signal; empty: none
  bool worktree_gone = false;         // removed since the run ended: there is nothing to go on with
  std::vector<std::string> progress;  // "feature demo-1.1 Add input validation: 1 of 2 closed"
  std::vector<std::string> notes;     // "left out: 1 file, such as worklog.md"
};

// " --workflow=mine --branch=topic": what `capsule run BEAD` needs to start such a run anew; empty
// for the pipeline.
std::string start_options(const std::string& workflow, const std::string& looks_at);

std::string summary(const view::Run& run, const Surroundings& around, const Style& style);

}  // namespace capsule::ui
