// What runs ask people, whatever their workflow.
#pragma once

#include <string>
#include <vector>

#include "world/runs.h"

namespace capsule::world {

struct OpenQuestion {
  Run run;
  workflow::Waiting wait;  // with its number
  bool answered = false;   // but not taken up yet
};
// Of runs that have not ended, the oldest run first.
Result<std::vector<OpenQuestion>> open_questions(const Project& project, engine::Records* store);

// How a caller names one: "3"; "RUN/3"; or a run, bead or plan, and then "3". Errors: usage
// (several runs ask a question of that number, or `number` is none), not_found.
Result<OpenQuestion> find_question(const Project& project, engine::Records* store,
                                   const std::string& named_run, const std::string& number);

// The run that a recorded answer to such a question would be of, as find_question() has it: the one
// that is named, or the only one that has not ended.
struct AskedBefore {
  Run run;
  int question = 0;
};
Result<AskedBefore> find_asked(const Project& project, engine::Records* store,
                               const std::string& run, const std::string& number);

// Wants an answer back that its run has recorded: the run alone knows whether an agent was told,
// and is waited for when it goes on. Error blocked: it has not looked yet, or cannot.
enum class TakenBack {
  later,     // the run decides about it when it goes on
  reopened,  // the question is open again
};
Result<TakenBack> ask_back(const Project& project, engine::Records* store,
                           const AskedBefore& asked);

// The one thing that the run, or the task, waits for approval of. Errors: not_found, usage (there
// are several).
Result<workflow::Waiting> find_approval(const Project& project, const Found& found);

}  // namespace capsule::world
