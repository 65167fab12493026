// Which run the words of a command mean, and what commands say about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/project_args.h"
#include "ui/report.h"
#include "ui/run_text.h"
#include "world/runs.h"

namespace capsule::cli {

// Rows that the commands about runs share.
inline constexpr Positional kRun{
    "RUN", "A bead, a plan, a run's id, or auto: the newest run of auto mode"};
inline constexpr Positional kTask{"TASK", "One task of the plan", false};
inline constexpr Positional kRunAndTask[] = {kRun, kTask};
// Of a command that refuses it, with what to do instead: see world::refuse_one_task().
inline constexpr Positional kNoTask{"TASK", "Not alone: a plan goes as a whole", false};

// The positionals from `first` on, as find_run() wants them.
std::vector<std::string> words_of(const Args& args, std::size_t first = 0);
Result<world::Found> find_run(const Args& args, const world::Project& project,
                              engine::Records* store);

// The words for what people paste.
ui::RunWords run_words(const world::Project& project, const world::Run& run);

// What the summary of a run of phases needs of its project; options and notes are the caller's.
ui::Surroundings surroundings(const world::Project& project, const view::Run& run);

}  // namespace capsule::cli
