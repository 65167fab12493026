#include <unistd.h>

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "config/write.h"
#include "git/remove_tree.h"
#include "process/command.h"
#include "world/programs.h"
#include "world/template_project.h"

namespace capsule::world {

static constexpr const char* kOwnCassette = ".capsule/cassette.yaml";

Result<void> check_go() {
  if (!on_path("go"))
    return fail(Reason::missing_program,
                "the demo project is written in Go, but go is not installed",
                "install it: apt-get install golang-go");
  // The Go that is here must do: nothing is fetched.
  ::setenv("GOTOOLCHAIN", "local", 1);
  ::setenv("GOPROXY", "off", 1);
  return {};
}

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

Result<std::string> make_demo_project(const Assets& assets, const std::string& folder,
                                      std::string_view cassette) {
  const std::string project = TRY(make_template_project(assets, folder, config::Tracker::native));
  std::vector<config::Assignment> settings{
      {"verify.test", std::vector<std::string>{"go", "test", "./..."}}, {"verify.dir", "src"}};
  if (!cassette.empty()) {
    TRY_VOID(write_file(project + "/" + kOwnCassette, cassette));
    settings.push_back({"providers.rehearsal.cassette", kOwnCassette});
  }
  TRY_VOID(config::record(project, settings));
  return project;
}

}  // namespace capsule::world
