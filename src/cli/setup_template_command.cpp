// capsule setup-template: a fresh project to try the pipeline on.
#include <cstdlib>

#include "base/files.h"
#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "world/template_project.h"

namespace capsule::cli {
namespace {

constexpr Positional kSetupTemplatePositionals[] = {
    {"DIR", "Where to make it; a new temporary folder when left out", false}};
constexpr Option kSetupTemplateOptions[] = {kScriptsDir};

Result<std::string> set_up(const Args& args) {
  std::string folder;
  if (const auto given = args.positional(0)) {
    if (given->empty()) return fail(Reason::usage, "the folder's name is empty");
    folder = absolute_path(*given);
  }
  const config::Config config =
      TRY(config::load({"", [](const char* name) { return std::getenv(name); }}));
  return world::make_template_project(world::Assets(args.option(kScriptsDir.name).value_or(""), ""),
                                      folder, config.tracker);
}

Result<int> set_up_and_tell(const Args& args) {
  print(TRY(set_up(args)) + "\n");
  return 0;
}

}  // namespace

constexpr Command kSetupTemplateCommand{
    .path = "setup-template",
    .summary = "Make a demo project: a Go program with two gaps, and beads",
    .details =
        "The project is a git repository of its own, with the beads demo-1 (epic), "
        "demo-1.1 (feature), demo-1.1.1 and demo-1.1.2 (tasks). Which tracker holds them, "
        "bd or Capsule's own, is written to .capsule/config.yaml. No test command is "
        "configured: 'capsule init' there proposes one.\n\n"
        "Prints the absolute path of the project and nothing else. A folder that already "
        "holds a git repository is refused. Exit codes: 0 made; 1 anything else.",
    .positionals = kSetupTemplatePositionals,
    .options = kSetupTemplateOptions,
    .run = set_up_and_tell,
    .errors = Errors::one,
    .examples = "  cd \"$(capsule setup-template)\"\n  capsule run demo-1.1.1 --provider=rehearsal",
};

}  // namespace capsule::cli
