// capsule init: makes an existing repository ready for runs. Says what it did; changes nothing that
// is there.
#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/setup_text.h"

namespace capsule::cli {
namespace {

constexpr Option kInitOptions[] = {kProjectDir, kJsonObject};

Result<int> init(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const world::InitSteps steps = TRY(world::initialise(project));
  print(args.flag("json") ? ui::steps_json(steps, project.root())
                          : ui::steps_text(steps, project.option));
  return 0;
}

}  // namespace

constexpr Command kInitCommand{
    .path = "init",
    .summary = "Make a repository ready: prompts, configuration, beads",
    .details =
        "Puts the prompts of the pipeline, of deliveries and of auto mode and the worklog "
        "template into the project, to be changed as you like; writes .capsule/config.yaml "
        "with the tracker and with the test command that the project's files suggest "
        "(go.mod, package.json, pyproject.toml, Cargo.toml, CMakeLists.txt, Makefile), and "
        "with what worktrees need before agents work there (package-lock.json, "
        ".gitmodules, git-lfs); keeps .capsule/ out of git by .git/info/exclude; makes a "
        "bead store where there is no tracker. What exists stays as it is, so it can be "
        "called again at any time.\n\n"
        "Exit codes: 0 ready; 2 an error.",
    .options = kInitOptions,
    .run = init,
    .errors = Errors::two,
    .examples = "  capsule init\n  capsule init --project-dir=../shop --json",
    .people_only = true,
};

}  // namespace capsule::cli
