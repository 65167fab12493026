// What the agents of a delivery are told: the prompt file of their role, and the values for it from
// the plan, the state and the exact formats of the signals that the role may send. Texts of the
// plan and of other agents are values: they are never read as a template. Pure.
#pragma once

#include <string>
#include <vector>

#include "workflow/delivery/delivery.h"

namespace capsule::delivery {

// Who is told, and what is new.
struct Telling {
  Role role{};
  int task = -1;  // index; -1: none
  Why why{};
  std::string context;               // findings, answer, advice, conflict …
  std::vector<std::string> notices;  // coordination: files that others hold
  std::string expert, request;       // of an expert: its name, and what its advice has to name
  bool goes_on = false;              // in its session, which is told only what is new
  signal::Missed missed = {};        // why what was printed before did not count
};

std::string prompt_file(Role role);  // "prompts/delivery/critic.md"

// Every variable but those that the world alone knows: VERIFY, HISTORY, BASE, EXPERTISE. Open
// conflicts are the world's to add, to CONTEXT or in front of the follow-up.
workflow::Prompt prompt_for(const State& state, const Telling& telling);

// The formats of all signals that a role may send, each in a fence.
std::string signal_formats(Role role, std::string_view task, const std::string& request);

}  // namespace capsule::delivery
