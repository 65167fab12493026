// capsule auto run | continue: auto mode without a session, driven by Capsule itself.
#include "auto_state/state_file.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/auto_project.h"
#include "cli/auto_run.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "world/auto_files.h"
#include "world/auto_prompt.h"
#include "world/held_session.h"

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
    {"json", "", "One event a line on stdout, nothing else"},
    {"force", "", "Replace a state that is active"},
    kProjectDir,
};
constexpr Option kContinueOptions[] = {
    kProvider,
    {"json", "", "One event a line on stdout, nothing else"},
    kProjectDir,
};

// A run that was cut off.
Result<int> take_up(AutoRun& run, const AutoRun::Newest& newest) {
  TRY_VOID(run.take(newest.run));
  TRY_VOID(run.preflight(newest.state.begun.in_place));
  TRY_VOID(run.conductor().runner().take_up());
  return run.carry_on();
}

// A session that the hook holds on course must not lose its state.
Result<void> refuse_active_session(const std::string& folder) {
  const auto document = auto_state::load(folder);
  if (!document && document.error().reason == Reason::damaged) {
    print_error("capsule: " + document.error().message + "; " + document.error().hint + "\n");
    return {};
  }
  if (!document) return tl::unexpected(document.error());
  if (!*document || !(*document)->state.active || !world::run_of_state(folder).empty()) return {};
  return fail(
      Reason::refused,
      "auto mode is active in a session: " + printable((*document)->state.task.substr(0, 200)),
      "end it: capsule auto cancel; or replace it with --force");
}

Result<int> auto_run(const Args& args) {
  const std::string task = TRY(task_argument(args));
  const AutoWords words = TRY(auto_words(args));
  const auto run = TRY(AutoRun::open(TRY(open_project(args)), ui::look_for(args.flag("json"))));
  const std::string& root = run->project().root();
  const auto newest = TRY(run->newest());
  if (newest && !newest->ended()) {
    if (newest->state.begun.task != task)
      return fail(Reason::refused,
                  "a run of auto mode was cut off, or goes on: " +
                      printable(newest->state.begun.task.substr(0, 200)),
                  "go on with it: capsule auto continue; or end it: capsule auto cancel");
    return take_up(*run, *newest);
  }
  TRY_VOID(world::record_session(root));
  if (!args.flag("force")) TRY_VOID(refuse_active_session(root));
  event::auto_run::Started started;
  started.task = task;
  started.provider = run->project().config.provider;
  started.in_place = args.flag("in-place");
  started.has_checks = run->has_checks();
  started.sessions = run->keeps_sessions();
  started.skip_expansion = words.config.skip_expansion;
  started.skip_qa = words.config.skip_qa;
  started.skip_review = words.config.skip_review;
  started.skip_reflect = words.config.skip_reflect;
  started.parallel = words.config.parallel_validation;
  started.max_iterations = words.max_iterations;
  TRY_VOID(run->take(new_run_id()));
  TRY_VOID(run->preflight(started.in_place));
  TRY_VOID(run->give(started));
  return run->carry_on();
}

// Makes a session's state active again.
Result<int> continue_session(const std::string& folder) {
  const auto lock = TRY(auto_state::Lock::take(folder));
  const auto document = TRY(auto_state::load(folder));
  if (!document) return fail(Reason::not_found, "there is no auto mode to go on with");
  const auto phase = auto_mode::unfinished_phase(document->state);
  if (!phase) return fail(Reason::refused, "auto mode is complete: there is nothing to go on with");
  const auto_mode::State state = document->state.active
                                     ? document->state
                                     : auto_mode::continued(document->state, second_now());
  if (!document->state.active) TRY_VOID(auto_state::save(folder, document->json, state));
  TRY_VOID(world::record_session(folder));
  print(world::next_phase_prompt(folder, state, *phase));
  return 0;
}

Result<int> go_on(const Args& args) {
  const std::string folder = TRY(auto_folder(args));
  if (auto_state::has_state(folder) && world::run_of_state(folder).empty())
    return continue_session(folder);
  const auto run = TRY(AutoRun::open(TRY(open_project(args)), ui::look_for(args.flag("json"))));
  const auto newest = TRY(run->newest());
  if (!newest)
    return fail(Reason::not_found, "there is no auto mode to go on with",
                "start it: capsule auto run \"TASK\"");
  if (!newest->ended()) return take_up(*run, *newest);
  if (newest->state.outcome == auto_mode::Outcome::complete)
    return fail(Reason::refused, "auto mode is complete: there is nothing to go on with");
  TRY_VOID(run->take(newest->run));
  TRY_VOID(run->preflight(newest->state.begun.in_place));
  TRY_VOID(run->has_place(newest->state));
  TRY_VOID(run->give(event::auto_run::Resumed{}));
  return run->carry_on();
}

constexpr Command kAutoRunRows[] = {
    {.path = "auto run",
     .summary = "Carry a task through nine phases without a session",
     .details =
         "Drives expansion, init, planning, execution, qa, review, fix, check and reflect with any "
         "provider. Each phase ends in its signal; a missing one is asked for, up to "
         "--max-iterations. qa runs the verify commands; three reviewers look at the change at "
         "once, and what they raise is mended, at most three rounds. Works in a worktree that is "
         "merged at the end.\n\n"
         "Exit codes: 0 complete; 1 not good enough, or a person has to decide; 2 an error. A run "
         "that was cut off goes on when it is started again, one that ended with 'auto continue'.",
     .positionals = kAutoTask,
     .options = kAutoRunOptions,
     .run = auto_run,
     .examples = "  capsule auto run \"Validate phone numbers\"\n  capsule auto run \"Try it\" "
                 "--provider=rehearsal",
     .people_only = true},
    {.path = "auto continue",
     .summary = "Go on with auto mode where it stopped",
     .details = "A headless run goes on at its first unfinished phase. The state of a session "
                "becomes active again, for the next session that stops; the instructions of its "
                "phase are printed.\n\n"
                "Exit codes: as auto run.",
     .positionals = {},
     .options = kContinueOptions,
     .run = go_on,
     .people_only = true},
};

}  // namespace

std::span<const Command> auto_run_commands() { return kAutoRunRows; }

}  // namespace capsule::cli
