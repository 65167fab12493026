// capsule pause and capsule abort: what a person asks of a run that goes on elsewhere.
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "world/requests.h"

namespace capsule::cli {
namespace {

constexpr Positional kPausePositionals[] = {kRun, kNoTask};
constexpr Option kPauseOptions[] = {kProjectDir};
constexpr int kWaitMilliseconds = 30'000;

// What is asked, in the words of its sentences.
struct Asked {
  std::string_view command, done;
};
constexpr Asked kPause{"pause", "paused"};
constexpr Asked kAbort{"abort", "aborted"};

// The run that is meant, when a process works on it. The tasks of a plan share the claim and the
// limits of one run: it stops as a whole.
Result<world::Run> living_run(const Args& args, const world::Project& project,
                              engine::Records& store, const Asked& asked) {
  const std::string word(args.positional(0).value_or(""));
  auto found = find_run(args, project, &store);
  if (!found && (found.error().reason != Reason::not_found || args.positional(1)))
    return tl::unexpected(found.error());
  if (found)
    TRY_VOID(refuse_one_task(
        project, *found, asked.done,
        std::string(asked.command) + " the whole plan: capsule " + std::string(asked.command)));
  if (found) TRY_VOID(world::check_home(found->run.head));
  if (found && found->run.live()) return std::move(found->run);
  const std::string go_on = found ? world::go_on_command(project, found->run) : "";
  return fail(Reason::not_found, "no run of " + printable(word) + " is in progress",
              go_on.empty() ? "'capsule status" + project.option + "' lists all runs"
                            : "go on with it: " + go_on);
}

// How it is gone on with once it has stopped.
std::string afterwards(const world::Project& project, world::Run run) {
  run.holder.reset();
  run.summary.can_go_on = true;
  std::string command = world::go_on_command(project, run);
  if (engine::is_phases(run.head) && !command.ends_with(" --resume")) command += " --resume";
  return command;
}

Result<int> pause(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::open_journal(project));
  const world::Run run = TRY(living_run(args, project, *store, kPause));
  TRY_VOID(world::leave_request(project.root(), run.head.run, world::Request::pause));
  print("The run of " + world::word_for(run) +
        (engine::is_phases(run.head) ? " pauses when its phase has ended"
                                     : " pauses when the agents that work now have ended") +
        "; go on with: " + afterwards(project, run) + "\n");
  return 0;
}

// The knock is a signal to the very process that holds the claim: pid, start time and boot were
// compared.
Result<int> abort_run(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::open_journal(project));
  const world::Run run = TRY(living_run(args, project, *store, kAbort));
  const auto works = [&]() -> Result<bool> {
    const auto holder = TRY(store->holder(run.head.subject));
    return holder && holder->run == run.head.run;
  };
  TRY_VOID(world::leave_request(project.root(), run.head.run, world::Request::abort));
  ::kill(static_cast<pid_t>(run.holder->process.pid), SIGTERM);
  const std::int64_t began = monotonic_ms();
  while (TRY(works()) && monotonic_ms() - began < kWaitMilliseconds) ::usleep(50'000);
  if (TRY(works()))
    return fail(Reason::timed_out, "the run of " + world::word_for(run) + " (pid " +
                                       std::to_string(run.holder->process.pid) + ") did not end");
  print("Aborted the run of " + world::word_for(run) +
        "; its work is kept, in its worktree and as a snapshot. Go on with: " +
        afterwards(project, run) + "\n");
  return 0;
}

}  // namespace

constexpr Command kPauseCommand{
    .path = "pause",
    .summary = "Let a run stop where nothing is lost",
    .details =
        "Agents that work now finish; no other is started. A plan pauses as a whole, not "
        "one of its tasks. Exit codes: 0 asked; 1 no such run is going on; 2 an error.",
    .positionals = kPausePositionals,
    .options = kPauseOptions,
    .run = pause,
    .examples = "  capsule pause demo-1.1.1\n  capsule run demo-1.1.1 --resume",
    .people_only = true,
};

constexpr Command kAbortCommand{
    .path = "abort",
    .summary = "End a run now, and keep everything it has done",
    .details =
        "Its agents and all their processes are ended, what they left is kept as a "
        "snapshot, and the worktree stays. A plan is aborted as a whole, not one of its "
        "tasks. Exit codes: 0 aborted; 1 no such run is going on; 2 an error.",
    .positionals = kPausePositionals,
    .options = kPauseOptions,
    .run = abort_run,
    .examples = "  capsule abort demo-1.1.1\n  capsule abort PLAN.md\n  capsule abort auto",
    .people_only = true,
};

}  // namespace capsule::cli
