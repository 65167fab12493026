// The runs of a project, whatever their workflow: read from the journal by the rules of each, and
// found by the words of a caller. Reads only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/journal.h"
#include "engine/run.h"
#include "engine/workflow.h"
#include "ui/view/view.h"
#include "world/project.h"

namespace capsule::world {

// With what is shown of it.
struct Run : engine::Run {
  view::Run view;
};

// The run with what its facts make up. Facts that cannot be read are no error of this call: the run
// says so itself, and what its head tells is there. Errors: those of the claims.
Result<Run> read_run(engine::Records& store, const engine::RunHead& head);

// Error refused: its worktrees are on another machine, or in another clone; only there it goes on,
// and hears what it is told.
Result<void> check_home(const engine::RunHead& head);

// For a run that begins now.
std::string new_run_id();

// The newest run of each subject, the newest of all last.
Result<std::vector<Run>> newest_runs(engine::Records& store);

// What the words of a caller mean.
struct Found {
  Run run;
  std::string task;                    // of a plan; empty: all of the run
  std::vector<engine::RunHead> heads;  // all runs that the words stand for, oldest first
};
// One or two words: a bead's id; a plan, by its path or by a bead whose beads were delivered;
// either of them and one of its tasks; a run's id; "auto", the newest run of auto mode; a task
// alone, when only one plan has it. `store` may be null: there are no runs. Errors: usage (no such
// word can name a run), not_found (with what to do next), refused (several have that task).
Result<Found> find_run(const Project& project, engine::Records* store,
                       const std::vector<std::string>& words);

// The typed state of a run; error damaged when a fact is none of that workflow's. `Rules` as
// engine::WorkflowOf wants them.
template <class Rules>
Result<engine::WorkflowOf<Rules>> replayed(engine::Records& store, const std::string& run) {
  typename Rules::State state;
  if constexpr (requires { state.run = run; }) state.run = run;
  if constexpr (requires { state.id = run; }) state.id = run;
  engine::WorkflowOf<Rules> workflow(std::move(state));
  for (const event::Fact& fact : TRY(store.read(run, 0))) TRY_VOID(workflow.apply(fact));
  return workflow;
}

// The id of the newest headless run of auto mode; empty: there is none.
Result<std::string> newest_auto_run(engine::Records& store);

// The word by which people name it: "demo-1", "PLAN.md" (its path, as a shell needs it), "auto".
std::string word_for(const Run& run);
// The command that brings it on, ready to be pasted; empty: nothing can.
std::string go_on_command(const Project& project, const Run& run);

// The file that describes work which waits on a branch, for a pull request.
std::string description_path(const Project& project, const std::string& run,
                             const std::string& subject);

// The run that a folder of .capsule/worktrees belongs to, and the task when it is one of a plan's.
struct TreeOwner {
  Run run;
  std::string task;
};
Result<std::optional<TreeOwner>> owner_of_tree(engine::Records& store, const Project& project,
                                               const std::string& name);

}  // namespace capsule::world
