// capsule attach: follow a run that goes on elsewhere.
#include <signal.h>
#include <unistd.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "run/attach.h"
#include "world/live_runs.h"

namespace capsule::cli {
namespace {

constexpr Positional kAttachPositionals[] = {
    {kRun.name, "A bead, a plan, a run's id, or auto; left out: the only run that goes on", false},
    kNoTask};
constexpr Option kAttachOptions[] = {kProjectDir, kJsonEvents};

volatile sig_atomic_t had_enough = 0;

void leave_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { had_enough = 1; };  // without SA_RESTART: it ends a wait
  ::sigaction(SIGINT, &action, nullptr);
}

Result<world::Run> named_one(const Args& args, const world::Project& project,
                             engine::Records* store) {
  world::Found found = TRY(find_run(args, project, store));
  TRY_VOID(world::refuse_one_task(project, found, "followed",
                                  "see what its agents print: capsule log " +
                                      world::word_for(found.run) + " " + found.task + " --follow" +
                                      project.option + "; or follow the plan: capsule attach"));
  return std::move(found.run);
}

Result<int> attach(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  const world::Run run = TRY(args.positional(0) ? named_one(args, project, store.get())
                                                : world::only_live_run(project, store.get()));
  if (run.head.workflow == engine::kAutoSession)
    return fail(Reason::refused, "auto mode works in a session of its client",
                "look at it there, in the session");
  if (!run.unreadable.empty()) return fail(Reason::damaged, printable(run.unreadable));
  leave_on_interrupt();
  const bool json = args.flag("json");
  const ui::Style style = ui::style_for(STDOUT_FILENO);
  run::Attachment attachment;
  attachment.look = json ? ui::Look::json : ui::Look::plain;
  attachment.leave = [] { return had_enough != 0; };
  attachment.questions = [&](const world::Run& now) {
    return ui::questions_text(now.view, run_words(project, now));
  };
  const run::Followed followed = TRY(run::follow(project, *store, run, attachment));
  if (json) return followed.exit_code;
  const std::string name = world::word_for(followed.run);
  if (followed.left) {
    print("\nThe run of " + name + " goes on; look again: capsule attach " + name + project.option +
          "\n");
    return followed.exit_code;
  }
  print("\n" + name + ": " + ui::standing_line(followed.run.view, style) + "\n" +
        ui::questions_text(followed.run.view, run_words(project, followed.run)));
  if (const std::string go_on = world::go_on_command(project, followed.run);
      followed.exit_code != 0 && !go_on.empty())
    print("  go on with: " + go_on + "\n");
  print("  all about it: capsule status " + name + project.option + "\n");
  return followed.exit_code;
}

}  // namespace

constexpr Command kAttachCommand{
    .path = "attach",
    .summary = "Follow a run that goes on elsewhere",
    .details =
        "Prints what the run tells, from its newest lines on, until it ends: of one that "
        "was started with --detach, and of one in another terminal. Ctrl-C stops looking; "
        "the run goes on. Any number of terminals can look. What a person is asked is "
        "shown with the command that answers it. It only reads.\n\n"
        "Without RUN it is the only run that goes on. A plan is followed as a whole; "
        "'capsule log PLAN.md TASK --follow' shows what the agents of one task print. Of a "
        "run that has ended it tells how. Exit codes: those of the command that carries "
        "the run on (0 it succeeded; 1 not good enough, or a person is needed; 2 an error, "
        "or it was cut off); 130 after Ctrl-C.",
    .positionals = kAttachPositionals,
    .options = kAttachOptions,
    .run = attach,
    .examples =
        "  capsule run demo-1.1.1 --detach\n  capsule attach demo-1.1.1\n"
        "  capsule attach PLAN.md --json | jq .event",
};

}  // namespace capsule::cli
