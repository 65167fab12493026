// What the agents of a delivery are told: the prompt file of their role, filled in with the task,
// its surroundings and the exact formats of the signals that the role may send. Texts of the plan
// and of other agents are values: they are never read as a template.
#pragma once

#include <string>

#include "base/result.h"
#include "workflow/delivery/delivery.h"
#include "world/assets.h"

namespace capsule::world {

// What a prompt needs beyond the workflow's own state.
struct PromptSurroundings {
  std::string verify;     // the project's commands, a line each
  std::string base;       // the commit that the work is compared with
  std::string history;    // earlier runs of the same session, for providers without sessions
  std::string expertise;  // the expert's own file
  std::vector<std::string> conflicts = {};  // files that hold conflict markers
};

// The whole prompt. Errors: those of Assets::read, damaged (the prompt file's template).
Result<std::string> delivery_prompt(const Assets& assets, const delivery::StartAgent& start,
                                    const delivery::State& state, const PromptSurroundings& around);

// What an agent is told whose session goes on: only what is new, and the formats.
std::string follow_up_prompt(const delivery::StartAgent& start, const delivery::State& state,
                             const PromptSurroundings& around);

// "prompts/delivery/developer.md"
std::string prompt_file(signal::Role role);

// The formats of all signals that a role may send, each in a fence.
std::string signal_formats(signal::Role role, const std::string& task, const std::string& request);

}  // namespace capsule::world
