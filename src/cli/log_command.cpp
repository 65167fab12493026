// capsule log: what the agents of a run printed, from its worktree, its archive or its folder of
// logs.
#include <unistd.h>

#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_args.h"
#include "run/show_log.h"
#include "ui/terminal.h"

namespace capsule::cli {
namespace {

constexpr Option kLogOptions[] = {
    {"phase", "PHASE", "Only this phase, such as execute"},
    {"role", "ROLE", "Only agents of this role, such as developer; the same as --phase"},
    {"agent", "N", "Only the agent of this number: one attempt"},
    {"follow", "", "Keep printing while the run goes on; Ctrl-C ends it"},
    {"raw", "", "Print what the agents' clients printed as it is, events too"},
    kProjectDir,
};

Result<std::string> wanted_role(const Args& args) {
  for (const char* name : {"phase", "role"}) {
    const auto given = args.option(name);
    if (!given) continue;
    if (valid_id(*given)) return std::string(*given);
    return fail(Reason::usage,
                "'" + printable(given->substr(0, 120)) + "' is neither a phase nor a role",
                "phases: test-writer, test-review, execute, execute-review, sign-off, merge; "
                "roles: developer, critic, auditor, …");
  }
  return std::string();
}

// 0: all.
Result<int> wanted_agent(const Args& args) {
  const auto given = args.option("agent");
  if (!given) return 0;
  if (const auto number = command_line::number_in(*given, 1)) return static_cast<int>(*number);
  return fail(Reason::usage, "'" + printable(given->substr(0, 120)) + "' is no agent's number",
              "the first agent of a run is 1; 'capsule status RUN --json' has the numbers");
}

Result<int> log(const Args& args) {
  run::LogOrder order;
  order.words = words_of(args);
  order.role = TRY(wanted_role(args));
  order.agent = TRY(wanted_agent(args));
  order.look = {::isatty(STDOUT_FILENO) == 1, args.flag("raw"), args.flag("follow"),
                ui::style_for(STDOUT_FILENO)};
  const world::Project project = TRY(open_project(args));
  const auto store = TRY(world::journal_of(project));
  TRY_VOID(run::show_log(project, store.get(), order, [](std::string_view bytes) {
    return write_all(STDOUT_FILENO, bytes, "stdout");
  }));
  return 0;
}

}  // namespace

constexpr Command kLogCommand{
    .path = "log",
    .summary = "Show what the agents of a run did and said",
    .details =
        "One heading per file, in the order in which the agents were started: of a bead's "
        "newest run from the worktree while there is one, from the archive afterwards; of a "
        "delivery or auto mode from .capsule/logs/. With a plan and one of its tasks, only "
        "that task's agents; with --agent one attempt alone. What an agent wrote to stderr "
        "follows what it wrote to stdout. "
        "Last come what the agents said and what the checks found, with the reasons.\n\n"
        "The events of a client that prints such (claude, codex, …) are shown as a "
        "transcript: what the agent said, its tools and what came of them, waiting, failures, "
        "and what it used; --raw prints the stream itself. Other output is printed as it is: "
        "on a terminal with control characters as \\xNN, in a pipe or file unchanged.\n\n"
        "Exit codes: 0 shown; 1 there is none; 2 an error.",
    .positionals = kRunAndTask,
    .options = kLogOptions,
    .run = log,
    .examples =
        "  capsule log demo-1.1.1 --phase=execute\n  capsule log demo-1.1.1 --follow\n"
        "  capsule log demo-1.1.1 --phase=execute --raw\n"
        "  capsule log PLAN.md T-3 --role=critic\n"
        "  capsule log PLAN.md --agent=7 --follow\n  capsule log auto",
};

}  // namespace capsule::cli
