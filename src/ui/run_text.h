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

namespace capsule::ui {

// How it stands by the names that scripts know; Life tells it as faces do.
engine::RunState state_of(const view::Run& run);
// Whether it is a run of phases: the pipeline, or a user's own.
bool is_phases(const view::Run& run);

// "▶ running: execute (attempt 1/3), pid 4711 on host", "✓ merged", …; and what it waits for.
std::string standing_line(const view::Run& run, const Style& style);

// `capsule status`: a run on a line, in columns; what its agents do stands below. `now_ms`: on the
// clock of that.
std::string run_lines(const std::vector<view::Run>& runs, const Style& style,
                      std::int64_t now_ms = 0);

// The words of the caller's commands, for what can be pasted.
struct RunWords {
  std::string name;              // by which commands find the run
  std::string go_on;             // "capsule deliver PLAN.md"; empty: nothing brings it on
  std::string options;           // " --project-dir=…", or empty
  std::string description = {};  // the file that describes work on a branch
};
// What it used, and the walls that it had: a line each, where that is known.
std::string run_lines(const view::Run& run);
// `capsule status RUN`: roles or tasks, open questions, trees, and what to do next.
std::string run_page(const view::Run& run, const RunWords& words, const Style& style,
                     std::int64_t now_ms = 0);
// Of one task of a plan.
std::string task_page(const view::Run& run, const std::string& task, const RunWords& words,
                      const Style& style, std::int64_t now_ms = 0);

// What a person is asked now, with the commands that answer; empty: nothing.
std::string questions_text(const view::Run& run, const RunWords& words);

// How a run of phases, or any other, ended: "merged", "aborted by an error". By its name in the
// journal; a name that nobody knows is said as it is.
struct OutcomeWords {
  signal::Status tone{};
  std::string text;
};
OutcomeWords outcome_words(std::string_view workflow, std::string_view outcome,
                           workflow::Standing standing);

// "2026-01-31 23:59" of a time stamp in UTC.
std::string minute_of(std::string_view utc);

// "green", "red: some fail already", …
std::string baseline_words(event::Baseline baseline);

}  // namespace capsule::ui
