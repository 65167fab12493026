// capsule approve and capsule reject: what a person says to work that waits for them, whatever the
// workflow.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "world/answers.h"
#include "world/questions.h"

namespace capsule::cli {
namespace {

constexpr Option kRejectOptions[] = {
    kProjectDir, {"because", "TEXT", "What has to be different: the words go to who mends it"}};

Result<int> say(const Args& args, const std::string& answer, const char* done) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  const world::Found found = TRY(find_run(args, project, store.get()));
  const workflow::Waiting wait = TRY(world::find_approval(project, found));
  TRY_VOID(world::check_home(found.run.head));
  TRY_VOID(world::leave_answer(project.root(), found.run.head.run, wait.question, answer));
  const bool of_a_plan = found.run.head.workflow == engine::kDelivery;
  print((of_a_plan ? printable(wait.task) : world::word_for(found.run)) + " is " + done + ". " +
        (found.run.live() ? "The run goes on with it.\n"
                          : "Go on with: " + world::go_on_command(project, found.run) + "\n"));
  return 0;
}

Result<int> approve(const Args& args) { return say(args, "approve", "approved"); }

Result<int> reject(const Args& args) {
  const std::string words(trimmed(args.option("because").value_or("")));
  if (words.empty())
    return fail(Reason::usage, "what has to be different? --because=TEXT tells who mends it",
                "to end the run instead: capsule abort RUN");
  return say(args, "reject: " + words, "rejected");
}

}  // namespace

constexpr Command kApproveCommand{
    .path = "approve",
    .summary = "Let work that waits for approval go on",
    .details =
        "With integrate: ask, work that is ready waits here, tested as it would be merged. "
        "What you changed in its worktree meanwhile is kept, checked again and merged with "
        "it. When the main branch has moved since, it is tested again on that. The same "
        "command lets a phase go on that waits for approval, and a change of what the "
        "project's checks do.\n\n"
        "A run that goes on takes it up at once; one that has stopped, when it is started "
        "again: no agent is called again for it. Exit codes: 0 approved; 1 nothing waits, "
        "or it was answered before; 2 an error.",
    .positionals = kRunAndTask,
    .options = kProjectOnly,
    .run = approve,
    .examples =
        "  capsule approve demo-1.1.1\n  capsule approve PLAN.md T-3\n"
        "  capsule approve auto",
    .people_only = true,
};

constexpr Command kRejectCommand{
    .path = "reject",
    .summary = "Send work that waits for approval back",
    .details =
        "The words of --because are the feedback of the next attempt: of the phase that "
        "writes, of the task's Developer, or of auto mode's next turn.\n\n"
        "Exit codes: 0 rejected; 1 nothing waits, or it was answered before; 2 an error.",
    .positionals = kRunAndTask,
    .options = kRejectOptions,
    .run = reject,
    .examples =
        "  capsule reject demo-1.1.1 --because=\"The name should be parse_all\"\n"
        "  capsule reject PLAN.md T-3 --because=\"Handle an empty list, too\"",
    .people_only = true,
};

}  // namespace capsule::cli
