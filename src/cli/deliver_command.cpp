// capsule deliver: a whole plan, by parallel Developers, Critics and Auditors.
#include "cli/commands.h"
#include "cli/detach.h"
#include "cli/project_args.h"
#include "run/delivery_run.h"

namespace capsule::cli {
namespace {

constexpr Positional kDeliverPositionals[] = {
    {"PLAN", "A Markdown plan, or a feature or epic bead: its beads are the tasks"}};
constexpr Option kDeliverOptions[] = {
    kProjectDir,
    kProvider,
    kContain,
    {"developers", "N", "How many Developers work at once", "", "5"},
    {"critics", "N", "How many Critics work at once", "", "5"},
    {"auditors", "N", "How many Auditors work at once", "", "5"},
    {"experts", "", "Let a plan analyst create experts whom agents can ask"},
    {"answers", "FILE", "Answers to questions, for a delivery that nobody watches"},
    {"wait", "", "Keep running while it waits for a person's answer"},
    kIntegrate,
    kRecheck,
    kDetach,
    kJsonEvents,
    kScriptsDir,
};

Result<int> deliver(const Args& args) {
  world::Project project = TRY(open_checked_project(args));
  run::DeliveryOrder order;
  order.plan = args.positional(0).value_or("");
  order.experts = args.flag("experts");
  if (const auto file = args.option("answers"))
    order.answers = TRY(world::AnswersFile::read(std::string(*file)));
  order.wait = args.flag("wait");
  order.integrate = TRY(integrate_argument(args));
  if (wants_detach(args)) return run_detached(args);
  return run::deliver(std::move(project), std::move(order), ui::look_for(args.flag("json")));
}

}  // namespace

constexpr Command kDeliverCommand{
    .path = "deliver",
    .summary = "Deliver a whole plan, with many agents at once",
    .details =
        "Each task goes Developer, Critic, Auditor, merge, in a worktree of its own; what "
        "fails goes back to its Developer. Tasks run at the same time as far as the plan "
        "allows. Only what the Auditor passed and what the project's checks accept on the "
        "merged files reaches the main branch.\n\n"
        "Run again after a crash or Ctrl-C, it goes on: what is finished stays finished. "
        "Run again after failures, it tries those tasks again, from the work that they "
        "left. It keeps what was said by --provider, --contain, --developers, --critics "
        "and --auditors, unless that is said anew. Agents' questions wait for 'capsule "
        "answer'; in --answers=FILE each line is KEY: answer, KEY being a question's "
        "number, a task's id, or * for all others.\n\n"
        "With --integrate=ask a person approves each task before it is merged, while the "
        "others go on; with --integrate=branch the tasks are merged in turn into one "
        "branch of the plan, and the main branch is left alone.\n\n"
        "With --detach it goes on without this terminal: the command returns once the "
        "delivery is begun, and 'capsule attach' follows it. Together with --wait it stays "
        "while it waits for answers.\n\n"
        "Exit codes: 0 all tasks are complete; 1 some failed, or wait for a person; 2 it "
        "could not run.",
    .positionals = kDeliverPositionals,
    .options = kDeliverOptions,
    .run = deliver,
    .errors = Errors::two,
    .examples =
        "  capsule plan check PLAN.md\n  capsule deliver PLAN.md --developers=3\n"
        "  capsule deliver PLAN.md --json --answers=answers.txt",
    .people_only = true,
};

}  // namespace capsule::cli
