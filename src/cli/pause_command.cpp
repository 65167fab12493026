// capsule pause and capsule abort: what a person asks of a run that goes on elsewhere.
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "store/store.h"
#include "ui/view.h"
#include "world/requests.h"

namespace capsule::cli {
namespace {

constexpr Positional kPositionals[] = {{"BEAD", "The bead whose run is meant"}};
constexpr Option kOptions[] = {kProjectDir};
constexpr int kWaitMilliseconds = 30'000;

Result<engine::Holder> living_holder(store::Store& store, const std::string& bead) {
  const auto holder = TRY(store.holder(bead));
  if (holder) return *holder;
  return fail(Reason::not_found, "no run of " + bead + " is going on",
              "'capsule status' shows what there is");
}

Result<int> pause(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(store::Store::open(project.root(), store::Access::read_write));
  TRY_VOID(living_holder(*store, bead));
  TRY_VOID(world::leave_request(project.root(), bead, world::Request::pause));
  print("The run of " + bead + " pauses when its phase has ended; go on with: capsule run " + bead +
        project.option + " --resume\n");
  return 0;
}

// The knock is a signal to the very process that holds the claim: pid, start time and boot were
// compared.
Result<int> abort_run(const Args& args) {
  const std::string bead = TRY(bead_argument(args));
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(store::Store::open(project.root(), store::Access::read_write));
  const engine::Holder holder = TRY(living_holder(*store, bead));
  TRY_VOID(world::leave_request(project.root(), bead, world::Request::abort));
  ::kill(static_cast<pid_t>(holder.process.pid), SIGTERM);
  const std::int64_t began = monotonic_ms();
  while (TRY(store->holder(bead)) && monotonic_ms() - began < kWaitMilliseconds) ::usleep(50'000);
  if (TRY(store->holder(bead)))
    return fail(Reason::timed_out, "the run of " + bead + " (pid " +
                                       std::to_string(holder.process.pid) + ") does not end");
  print("Aborted the run of " + bead +
        "; its worktree and a snapshot are kept. Go on with: capsule run " + bead + project.option +
        " --resume\n");
  return 0;
}

int pause_main(const Args& args) {
  const auto code = pause(args);
  return code ? *code : report(code.error(), code.error().reason == Reason::not_found ? 1 : 2);
}

int abort_main(const Args& args) {
  const auto code = abort_run(args);
  return code ? *code : report(code.error(), code.error().reason == Reason::not_found ? 1 : 2);
}

}  // namespace

Command pause_command() {
  return {.path = "pause",
          .summary = "Let a run end at its next phase border",
          .details =
              "The agent that works now finishes its phase. Exit codes: 0 asked; 1 no such run; 2 "
              "an error.",
          .positionals = kPositionals,
          .options = kOptions,
          .run = pause_main,
          .examples = "  capsule pause demo-1.1.1\n  capsule run demo-1.1.1 --resume",
          .people_only = true};
}

Command abort_command() {
  return {.path = "abort",
          .summary = "End a run now, and keep everything it has done",
          .details =
              "The agent and all its processes are ended, what they left is kept as a snapshot, "
              "and the "
              "worktree stays. Exit codes: 0 aborted; 1 no such run; 2 an error.",
          .positionals = kPositionals,
          .options = kOptions,
          .run = abort_main,
          .examples = "  capsule abort demo-1.1.1",
          .people_only = true};
}

}  // namespace capsule::cli
