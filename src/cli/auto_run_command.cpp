// capsule auto run | continue: auto mode without a session, driven by Capsule itself.
#include "base/print.h"
#include "cli/auto_args.h"
#include "cli/commands.h"
#include "cli/detach.h"
#include "cli/project_args.h"
#include "run/auto_run.h"

namespace capsule::cli {
namespace {

constexpr Option kAutoRunOptions[] = {
    kSkipExpansion,
    kSkipQa,
    kSkipReview,
    kSkipReflect,
    kMaxIterationsOption,
    kNoParallelValidation,
    {"in-place", "", "Work in the checkout itself, and merge nothing"},
    kProvider,
    kContain,
    kIntegrate,
    kJsonEvents,
    {"force", "", "Replace an active state"},
    kProjectDir,
    kRecheck,
    kDetach,
};
constexpr Option kContinueOptions[] = {
    kProvider, kContain, kIntegrate, kJsonEvents, kProjectDir, kRecheck, kDetach,
};

Result<std::unique_ptr<run::AutoRun>> open_run(const Args& args) {
  return run::AutoRun::open(TRY(open_checked_project(args)), ui::look_for(args.flag("json")));
}

Result<int> auto_run(const Args& args) {
  run::AutoOrder order;
  order.task = TRY(task_argument(args));
  const AutoWords words = TRY(auto_words(args));
  order.config = words.config;
  order.max_iterations = words.max_iterations;
  order.in_place = args.flag("in-place");
  order.integrate = TRY(integrate_argument(args));
  order.force = args.flag("force");
  if (wants_detach(args)) return run_detached(args);
  return run::run_auto(*TRY(open_run(args)), order, warn_of);
}

Result<int> go_on(const Args& args) {
  const std::string folder = TRY(auto_folder(args));
  if (!auto_state::has_state(folder) || !world::run_of_state(folder).empty())
    return wants_detach(args)
               ? run_detached(args)
               : run::continue_auto(*TRY(open_run(args)), TRY(integrate_argument(args)));
  if (wants_detach(args))
    return fail(Reason::refused,
                "auto mode is a session's here: it goes on where its client is, and nothing runs "
                "beside this terminal",
                "in a session of its client: capsule auto continue");
  print(TRY(world::continue_session(folder, TRY(session_argument(args)))));
  return 0;
}

constexpr Command kAutoRunRows[] = {
    {.path = "auto run",
     .summary = "Take a task through nine phases without a session",
     .details =
         "Drives expansion, init, planning, execution, qa, review, fix, check and reflect with any "
         "provider. Each phase ends in its signal; a missing one is asked for, up to "
         "--max-iterations. qa runs the verify commands; three reviewers look at the change at "
         "once, and what they raise is fixed, in at most three rounds. Works in a worktree that is "
         "merged at the end, once a person has approved it with --integrate=ask, or left on its "
         "branch with --integrate=branch.\n\n"
         "Exit codes: 0 complete; 1 not good enough, or a person has to decide; 2 an error. A run "
         "that was cut off goes on when it is started again, one that ended with 'auto continue'; "
         "it keeps its --provider and --contain, unless they are said anew.",
     .positionals = kAutoTask,
     .options = kAutoRunOptions,
     .run = auto_run,
     .examples = "  capsule auto run \"Validate phone numbers\"\n  capsule auto run \"Try it\" "
                 "--provider=rehearsal\n  capsule auto run \"Validate phone numbers\" --detach",
     .people_only = true},
    {.path = "auto continue",
     .summary = "Go on with auto mode where it stopped",
     .details = "A headless run goes on at its first unfinished phase. The state of a session "
                "becomes active again, for the session that this is called in, else for the next "
                "one that stops; the instructions of its phase are printed.\n\n"
                "Exit codes: as auto run.",
     .options = kContinueOptions,
     .run = go_on,
     .people_only = true},
};

}  // namespace

std::span<const Command> auto_run_commands() { return kAutoRunRows; }

}  // namespace capsule::cli
