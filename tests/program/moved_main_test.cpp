// Somebody else commits to main, with plain git, while Capsule merges. A check of the project does
// it, between the merge that was planned and the moment in which main would move: the merge is made
// anew on the newest main, tested again, and nothing of either is lost.
#include <algorithm>
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

// Three commits by somebody else, each during another check: the first during any check of the
// file that the agent makes, the others only while merged files are checked, which are in no
// worktree of an agent. `notes` gets the files that the last check of merged files saw.
std::string moving_check(const std::string& notes, const std::string& project,
                         const std::string& made) {
  std::filesystem::create_directories(notes);
  write_file(notes + "/check",
             "notes='" + notes + "'\n[ -e " + made +
                 " ] || exit 0\n"
                 "case $PWD in */worktrees/*) most=1 ;; *) most=3; ls >\"$notes/seen\" ;; esac\n"
                 "n=$(($(ls \"$notes\" | grep -c ^moved-) + 1))\n"
                 "[ $n -le $most ] || exit 0\n: >\"$notes/moved-$n\"\ncd '" +
                 project +
                 "'\necho theirs >theirs-$n.txt && git add theirs-$n.txt && "
                 "git commit -q -m \"Theirs $n\"\n");
  return "verify: {baseline: red-allowed, test: [sh, '" + notes + "/check']}\n";
}

constexpr const char* kTheirs = "Theirs 3\nTheirs 2\nTheirs 1\n";

void expect_nothing_lost(const std::string& notes, const std::string& project,
                         const std::string& made) {
  const std::string seen = read_file(notes + "/seen");
  for (const std::string& file : {made, std::string("theirs-1.txt"), std::string("theirs-2.txt"),
                                  std::string("theirs-3.txt")}) {
    EXPECT_HAS(seen, file) << "what was merged last was not tested";
    EXPECT_TRUE(std::filesystem::exists(project + "/" + file)) << file;
  }
}

class MovedMainInADelivery : public DeliveryTest {};

TEST_F(MovedMainInADelivery, TheTaskIsMergedOnTopOfIt) {
  const std::string notes = path("notes");
  configure(moving_check(notes, project(), "T-1.txt"));
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.list("completed"), (std::vector<std::string>{"T-1", "T-2"}));
  expect_delivered({"T-1", "T-2"});
  EXPECT_EQ(
      git({"log", "--first-parent", "--format=%s", "main"}).out,
      std::string("Merge T-2: Write T-2.txt\nMerge T-1: Write T-1.txt\n") + kTheirs + "Start\n");
  expect_nothing_lost(notes, project(), "T-1.txt");
  EXPECT_EQ(calls("developer", "T-1"), 1) << "nobody has to work again for it";
}

class MovedMainInAnAutoRun : public DemoProject {};

TEST_F(MovedMainInAnAutoRun, TheWorkIsMergedOnTopOfIt) {
  make_project();
  auto_agent();
  const std::string notes = path("notes");
  write_file(project() + "/.capsule/config.yaml", moving_check(notes, project(), "greeting.txt"));
  const Outcome outcome = in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git({"log", "--first-parent", "--format=%s", "main"}).out,
            std::string("Merge auto: Say hello\n") + kTheirs +
                "Add template project and bead fixtures\n");
  expect_nothing_lost(notes, project(), "greeting.txt");
  EXPECT_EQ(git({"status", "--porcelain"}).out, "");
  EXPECT_TRUE(std::filesystem::is_empty(project() + "/.capsule/worktrees"));
}

class MovedMainInARun : public ProjectTest {};

TEST_F(MovedMainInARun, TheBeadIsMergedOnTopOfIt) {
  make_project(Way::binary);
  const std::string notes = path("notes");
  configure(moving_check(notes, project(), "feature.txt") + "tracker: native\n");
  // Its own tests fail before the feature is there, as the gates ask.
  write_file(notes + "/check", "[ -e feature.txt ] || [ ! -e tests/feature_test.sh ] || exit 1\n" +
                                   read_file(notes + "/check"));
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(is_closed());
  const std::string log = git({"log", "--first-parent", "--format=%s", "main"}).out;
  EXPECT_TRUE(log.starts_with("Merge demo-1.1.1: Make it work\n" + std::string(kTheirs))) << log;
  expect_nothing_lost(notes, project(), "feature.txt");
}

}  // namespace
}  // namespace capsule::test
