// Runs for people, whatever their workflow: on a line, or a page. Pure. Every text of agents and
// plans is made harmless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run.h"
#include "ui/attempt_text.h"
#include "ui/style.h"
#include "world/activities.h"

namespace capsule::ui {

// Claims that were false or differ.
std::vector<std::string> remarks_of(const workflow::RunSummary& summary);

// "▶ running: execute (attempt 1/3), pid 4711 on host", "✓ merged", …; and what it waits for.
std::string standing_line(const engine::Run& run, const Style& style);

// `capsule status`: a run on a line, in columns.
std::string run_lines(const std::vector<engine::Run>& runs, const Style& style);

// The words of the caller's commands, for what can be pasted.
struct RunWords {
  std::string name;              // by which commands find the run
  std::string go_on;             // "capsule deliver PLAN.md"; empty: nothing brings it on
  std::string options;           // " --project-dir=…", or empty
  std::string description = {};  // the file that describes work on a branch
};
// `capsule status RUN`: roles or tasks, open questions, trees, and what to do next. `now`: what its
// agents do.
std::string run_page(const engine::Run& run, const RunWords& words, const Style& style,
                     const world::Activities& now = {});
// Of one task of a plan.
std::string task_page(const engine::Run& run, const std::string& task, const RunWords& words,
                      const Style& style, const world::Activities& now = {});

// How a run of phases, or any other, ended: "merged", "aborted by an error". By its name in the
// journal; a name that nobody knows is said as it is.
struct OutcomeWords {
  signal::Status tone{};
  std::string text;
};
OutcomeWords outcome_words(const workflow::RunSummary& summary);

// "2026-01-31 23:59" of a time stamp in UTC.
std::string minute_of(std::string_view utc);

// "green", "red: some fail already", …
std::string baseline_words(event::Baseline baseline);

}  // namespace capsule::ui
