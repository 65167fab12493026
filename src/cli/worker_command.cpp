// capsule worker: carries out agents of runs on other machines.
#include <charconv>

#include "cli/commands.h"
#include "cli/project_args.h"
#include "run/worker.h"
#include "world/elsewhere.h"
#include "world/journal.h"

namespace capsule::cli {
namespace {

constexpr int kMostSlots = 1'000;

constexpr Option kWorkerOptions[] = {
    kProjectDir,
    {"labels", "LIST", "What it can do besides what is found: gpu,big"},
    {"slots", "N", "How many agents at once (default: 1)"},
    {"once", "", "End after one agent"}};

Result<int> slots_in(std::string_view text) {
  int slots = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), slots);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || slots < 1 ||
      slots > kMostSlots)
    return fail(Reason::usage, "--slots must be a whole number from 1 to 1000");
  return slots;
}

Result<int> run_worker(const Args& args) {
  const world::Project project = TRY(open_project(args));
  run::WorkerOrder order;
  order.labels = TRY(world::with_labels({}, args.option("labels").value_or("")));
  if (const auto slots = args.option("slots")) order.slots = TRY(slots_in(*slots));
  order.once = args.flag("once");
  if (world::journal_address().empty())
    return fail(Reason::usage, "a worker needs the database that its runs are in",
                "export CAPSULE_JOURNAL=postgres://…, and see: capsule cluster --help");
  const auto records = TRY(world::open_journal_in(project.root()));
  return run::work(project, *records, order);
}

}  // namespace

constexpr Command kWorkerCommand{
    .path = "worker",
    .summary = "Carry out agents for runs on other machines",
    .details =
        "In a clone of the project whose origin is the repository that all of them share, with "
        "CAPSULE_JOURNAL as they have it. Takes what it can do by its labels: os:, arch: and "
        "client: for each agent client that is found, and those of --labels. An agent works in a "
        "worktree of this clone, with the configuration and the keys of this machine; what it "
        "leaves goes back to its run, which checks and merges it.\n\n"
        "The first Ctrl-C or SIGTERM lets the agents at work finish and takes nothing more; the "
        "second ends them, and others do their work.\n\n"
        "Exit codes: 0 it ended as it was asked to; 1 refused; 2 an error; 130, 143 its agents "
        "were ended.",
    .options = kWorkerOptions,
    .run = run_worker,
    .examples = "  capsule worker --labels=gpu --slots=2\n  capsule worker --once",
    .people_only = true,
};

}  // namespace capsule::cli
