// capsule demo: the whole pipeline for real, played by the rehearsal agent: no account, no network.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "config/write.h"
#include "git/remove_tree.h"
#include "process/command.h"
#include "ui/terminal.h"
#include "world/project.h"
#include "world/template_project.h"

namespace capsule::cli {
namespace {

constexpr Positional kDemoPositionals[] = {
    {"DIR", "Where to make the project; a new temporary folder when left out", false}};
constexpr const char* kBead = "demo-1.1.1";
constexpr const char* kCaught = "templates/demo-capsule/cassettes/demo-1.1.1-caught.yaml";
constexpr const char* kOwnCassette = ".capsule/cassette.yaml";

std::string program_on_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  const auto found = process::find_program(name, path != nullptr ? path : "", AT_FDCWD);
  return found ? *found : std::string();
}

// How a person can call this very program from here.
std::string spelled_self() {
  const auto found = real_path(program_on_path("capsule"));
  return found && *found == world::own_program() ? "capsule" : shell_word(world::own_program());
}

Result<void> check_go() {
  if (program_on_path("go").empty())
    return fail(Reason::missing_program, "the demo project is written in Go, and there is no go",
                "install it: apt-get install golang-go");
  // The Go that is here must do: nothing is fetched.
  ::setenv("GOTOOLCHAIN", "local", 1);
  ::setenv("GOPROXY", "off", 1);
  return {};
}

// The first test of a Go installation compiles its standard library; what the acts show is not
// that.
Result<void> warm_go(const std::string& project) {
  const std::string folder = project + "/.capsule/tmp/warm";
  TRY_VOID(make_folders(folder));
  TRY_VOID(write_file(folder + "/go.mod", "module example.com/warm\n\ngo 1.19\n"));
  TRY_VOID(
      write_file(folder + "/warm_test.go",
                 "package warm\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n\t\"testing\"\n)\n\n"
                 "func TestWarm(t *testing.T) { t.Log(fmt.Sprint(strings.ToUpper(\"x\"))) }\n"));
  const auto output = TRY(process::run({.argv = {"go", "test", "./..."}, .cwd = folder}));
  TRY_VOID(git::remove_tree(folder));
  if (output.ok()) return {};
  return fail(Reason::failed, "go test does not work here: " +
                                  printable(trimmed(output.err + output.out).substr(0, 500)));
}

Result<std::string> make_project(const world::Assets& assets, const std::string& folder,
                                 std::string_view cassette) {
  const std::string project =
      TRY(world::make_template_project(assets, folder, config::Tracker::native));
  std::vector<config::Assignment> settings{
      {"verify.test", std::vector<std::string>{"go", "test", "./..."}}, {"verify.dir", "src"}};
  if (!cassette.empty()) {
    TRY_VOID(write_file(project + "/" + kOwnCassette, cassette));
    settings.push_back({"providers.rehearsal.cassette", kOwnCassette});
  }
  TRY_VOID(config::record(project, settings));
  return project;
}

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
  TRY_VOID(check_go());
  const world::Assets assets("", "");
  const std::string caught = TRY(assets.read(kCaught));
  std::string folder;
  if (const auto given = args.positional(0)) folder = absolute_path(*given);

  print("Making a demo project, and warming the Go cache …\n");
  const std::string first = TRY(make_project(assets, folder, ""));
  TRY_VOID(warm_go(first));

  say("Act 1. One task, from the tracker to main",
      "A rehearsal agent plays the model's part; everything else is real: the worktree,\n"
      "the tests, the commits. The first review asks for more tests and gets them.");
  if (const int code = TRY(play(first)); code != 0) return code;

  const std::string second = TRY(make_project(assets, "", caught));
  say("Act 2. A lie is caught",
      "The same task once more. This time the agent says that all tests pass, and one\n"
      "does not. Capsule runs the tests itself before it pays a reviewer.");
  if (const int code = TRY(play(second)); code != 0) return code;

  const std::string self = spelled_self();
  print("\n" + toned(ui::style_for(STDOUT_FILENO), ui::Tone::strong, "Look around") + "\n  cd " +
        shell_word(first) + "\n  git log --graph --oneline\n  (cd src && go test ./...)\n  " +
        self + " log " + kBead + " --phase=test-review\n  " + self +
        " run demo-1.1.2 --provider=rehearsal\n\nThe lie, and what became of it:\n  cd " +
        shell_word(second) + "\n  " + self + " status " + kBead + "\n  " + self + " log " + kBead +
        " --phase=execute\n");
  return 0;
}

}  // namespace

Command demo_command() {
  return {.path = "demo",
          .summary = "Show the whole pipeline for real, without a model",
          .details =
              "Makes the demo project and takes one of its beads to main with the rehearsal agent, "
              "which plays a recorded session in the real worktree: tests that fail, a review that "
              "wants more of them, an implementation that makes them pass, sign-off, merge. Then "
              "the same in a second project with an agent that claims that all tests pass while "
              "one fails.\n\n"
              "Needs Go and no network. Says where the projects are; they are yours to look at. "
              "Exit codes: 0 both acts ended in a merge; otherwise that of the run, or 1.",
          .positionals = kDemoPositionals,
          .options = {},
          .run = demo,
          .examples = "  capsule demo\n  capsule demo ~/demo"};
}

}  // namespace capsule::cli
