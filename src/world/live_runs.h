// Runs that a process carries on, for commands of another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "world/requests.h"
#include "world/runs.h"

namespace capsule::world {

// The only one that goes on. `store` may be null. Errors: not_found, usage (there are several).
Result<Run> only_live_run(const Project& project, engine::Records* store);

// For what only a whole run can do: error usage when one task of a plan was named, also when the
// task's id was the only word. `doing` as in "paused"; `instead` comes before the words of the run.
Result<void> refuse_one_task(const Project& project, const Found& found, std::string_view doing,
                             const std::string& instead);

// The run that is to be paused or aborted, by words as of find_run(). The tasks of a plan share the
// claim and the limits of one run: it stops as a whole. Errors: those of find_run(), not_found
// (nobody works on it), refused (not on this machine).
Result<Run> find_live_run(const Project& project, engine::Records& store,
                          const std::vector<std::string>& words, Request request);

// How it is gone on with once it has stopped.
std::string go_on_once_stopped(const Project& project, Run run);

// Leaves the request, knocks, and waits until nobody works on the run. Error timed_out: it does not
// end.
Result<void> abort_run(const Project& project, engine::Records& store, const Run& run);

struct Message {
  std::string text;
  bool for_next = false;  // not for who works now
};
struct LeftMessage {
  std::string id;
  workflow::MessageSummary state;  // as the run has recorded it
  bool heard_at_once = false;      // somebody is at work whose client hears words meanwhile
};
// Leaves a person's words for the agents of the run, or of the task, that was found; waits a few
// seconds at most for a run that goes on to take them up, and `found` is as it is then. Error
// refused: nobody would hear them.
Result<LeftMessage> leave_words(const Project& project, engine::Records& store, Found& found,
                                const Message& message);

}  // namespace capsule::world
