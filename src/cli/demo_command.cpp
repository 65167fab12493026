// capsule demo: the whole pipeline for real, played by the rehearsal agent: no account, no network.
#include <unistd.h>

#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "ui/terminal.h"
#include "world/programs.h"
#include "world/template_project.h"

namespace capsule::cli {
namespace {

constexpr Positional kDemoPositionals[] = {
    {"DIR", "Where to make the project; a new temporary folder when left out", false}};
constexpr const char* kBead = "demo-1.1.1";
constexpr const char* kCaught = "templates/demo-capsule/cassettes/demo-1.1.1-caught.yaml";

void say(std::string_view title, std::string_view text) {
  const ui::Style style = ui::style_for(STDOUT_FILENO);
  print("\n" + toned(style, ui::Tone::strong, title) + "\n" + toned(style, ui::Tone::quiet, text) +
        "\n\n");
}

// In the project's own folder, so that the commands that are shown stay short.
Result<int> play(const std::string& project) {
  if (::chdir(project.c_str()) != 0) return tl::unexpected(io_error("enter", project, errno));
  print("$ cd " + shell_word(project) + "\n$ capsule run " + kBead + " --provider=rehearsal\n");
  const char* const words[] = {"run", kBead, "--provider=rehearsal"};
  return command_line::run_program(commands(), words);
}

Result<int> demo(const Args& args) {
  TRY_VOID(world::check_go());
  const world::Assets assets("", "");
  const std::string caught = TRY(assets.read(kCaught));
  std::string folder;
  if (const auto given = args.positional(0)) folder = absolute_path(*given);

  print("Making a demo project, and warming the Go cache …\n");
  const std::string first = TRY(world::make_demo_project(assets, folder, ""));
  TRY_VOID(world::warm_go(first));

  say("Act 1. One task, from the tracker to main",
      "A rehearsal agent plays the model's part; everything else is real: the worktree,\n"
      "the tests, the commits. The first review asks for more tests and gets them.");
  if (const int code = TRY(play(first)); code != 0) return code;

  const std::string second = TRY(world::make_demo_project(assets, "", caught));
  say("Act 2. A lie is caught",
      "The same task once more. This time the agent says that all tests pass, and one\n"
      "does not. Capsule runs the tests itself before it pays a reviewer.");
  if (const int code = TRY(play(second)); code != 0) return code;

  const std::string self = world::own_word();
  print("\n" + toned(ui::style_for(STDOUT_FILENO), ui::Tone::strong, "Look around") + "\n  cd " +
        shell_word(first) + "\n  git log --graph --oneline\n  (cd src && go test ./...)\n  " +
        self + " log " + kBead + " --phase=test-review\n  " + self +
        " run demo-1.1.2 --provider=rehearsal\n\nThe lie, and what became of it:\n  cd " +
        shell_word(second) + "\n  " + self + " status " + kBead + "\n  " + self + " log " + kBead +
        " --phase=execute\n");
  return 0;
}

}  // namespace

constexpr Command kDemoCommand{
    .path = "demo",
    .summary = "Show the whole pipeline for real, without a model",
    .details =
        "Makes the demo project and takes one of its beads to main with the rehearsal "
        "agent, which plays a recorded session in the real worktree: tests that fail, a "
        "review that wants more of them, an implementation that makes them pass, sign-off, "
        "merge. Then the same in a second project with an agent that claims that all tests "
        "pass while one fails.\n\n"
        "Needs Go and no network. Says where the projects are; they are yours to look at. "
        "Exit codes: 0 both acts ended in a merge; otherwise that of the run, or 1.",
    .positionals = kDemoPositionals,
    .run = demo,
    .examples = "  capsule demo\n  capsule demo ~/demo",
};

}  // namespace capsule::cli
