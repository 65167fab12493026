// What an agent is told: the text of its prompt file, filled in with what the workflow gives and
// what the world alone knows. Values come from plans, agents and people: they are copied, and never
// read as a template. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workflow/step.h"

namespace capsule::world {

struct Surroundings {
  std::string verify;     // {{VERIFY}}: the project's commands, a line each
  std::string base;       // {{BASE}}: the commit that the work is compared with
  std::string history;    // {{HISTORY}}: earlier agents of the session, where the client keeps none
  std::string expertise;  // {{EXPERTISE}}: the expert's own file
  std::vector<std::string> conflicts = {};  // files that hold conflict markers; end {{CONTEXT}}
  bool goes_on = false;  // {{if .GoesOn}}: the client goes on with the session, and knows its task
};

// The whole prompt, from the text of its file. A prompt without values is no template: its text
// stays as it is, byte for byte, and the history follows it. What the workflow gives goes before
// what the world knows.
// Error damaged: the template.
Result<std::string> compose_prompt(std::string_view text, const workflow::Prompt& prompt,
                                   const Surroundings& around);

// What a session is told that goes on, with the feedback after it; under the first heading of its
// prompt's file, where that is no template, so that whoever reads it knows what it is about.
// Requires: the prompt has a follow_up.
std::string compose_follow_up(std::string_view text, const workflow::Prompt& prompt,
                              const Surroundings& around);

}  // namespace capsule::world
