// capsule inbox: what needs a person, of all runs. Reads only.
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "follow/follower.h"
#include "ui/inbox_text.h"
#include "ui/terminal.h"
#include "world/wall_clock.h"

namespace capsule::cli {
namespace {

Result<int> inbox(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  const view::Project view = TRY(follow::look(project, store.get()));
  const std::int64_t now = world::epoch_ms();
  const ui::Looked looked{now, utc_now(), world::local_time(now / 1000), project.option};
  print(args.flag("json") ? ui::inbox_json(view, looked)
                          : ui::inbox_lines(view, looked, ui::style_for(STDOUT_FILENO)));
  return 0;
}

}  // namespace

constexpr Command kInboxCommand{
    .path = "inbox",
    .summary = "Show what needs you, most urgent first",
    .details =
        "Of the newest run of each bead and plan, and of auto mode: questions and choices of "
        "agents, work that waits for approval, tasks and runs that failed, merges that were "
        "refused, agents that stand still, runs that were cut off, budgets that are spent "
        "and providers that are parked. Each with its reason, since when, and the commands "
        "that settle it; what went wrong comes after what is asked, and within a kind the "
        "oldest first. Only reads, also while runs go on.\n\n"
        "Exit codes: 0 shown, also when nothing needs you; 1 there is no project; 2 an error.",
    .options = kProjectAndJson,
    .run = inbox,
    .examples =
        "  capsule inbox\n"
        "  capsule inbox --json | jq -r '.items[] | \"\\(.kind) \\(.name) \\(.text)\"'",
};

}  // namespace capsule::cli
