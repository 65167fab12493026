// Runs for programs: one form for all workflows. Pure. Every text is one line of JSON, ended by a
// line feed, or several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ui/activity_text.h"
#include "ui/view/view.h"
#include "workflow/progress.h"

namespace capsule::ui {

// `capsule status --json`: an array of objects. `now_ms`: on the clock of what agents do.
std::string runs_json(const std::vector<view::Run>& runs, std::int64_t now_ms = 0);

// `capsule status RUN [TASK] --json`: the same object, with phases, agents, trees and remarks.
// `archive` may be empty.
std::string run_json(const view::Run& run, const std::string& archive, std::int64_t now_ms = 0);

// In --json: {"event":"check_started", …} and {"event":"check_finished", …}. `task`: what the run
// is about, for checks that name none.
std::string check_line(const std::string& run, const std::string& task,
                       const workflow::CheckProgress& check, const std::string& at);

// In --json: {"event":"agent_activity", …}: what an agent does now, by the events of its client.
std::string agent_activity_line(const std::string& run, const WhichAgent& agent,
                                const dialect::Activity& activity, const std::string& at);

// The end of --json: {"event":"run_finished", …}. Deliveries also tell which tasks are completed,
// failed and waiting, there and in a line "delivery_finished" before it.
std::string finished_lines(const view::Run& run, int exit_code, const std::string& at,
                           const std::vector<std::string>& completed_before = {});

// The same last line of a run that stopped because nothing more could be recorded: it has no
// outcome, and says why.
std::string cut_off_line(const view::Run& run, const Error& error, const std::string& at,
                         const std::vector<std::string>& completed_before = {});

// All of --json where there was nothing left to do: {"event":"already_merged", …} or
// {"event":"already_on_branch", …}, and the last line of the run that did it.
std::string already_merged_lines(const view::Run& run, const std::string& at);
std::string already_on_branch_lines(const view::Run& run, const std::string& description,
                                    const std::string& at);

}  // namespace capsule::ui
