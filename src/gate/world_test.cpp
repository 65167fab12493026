#include <optional>

#include "gate/gates.h"
#include "git/test_support.h"
#include "process/test_support.h"

namespace capsule::gate {
namespace {

namespace fs = std::filesystem;
using workflow::Check;
using workflow::Checked;

// The gates with a real repository and real commands.
class GateWorld : public git::GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    repository_ = open();
    worktree_ = make_worktree(repository_).path;
  }
  Checked checked(const Check& check, const Verify& verify) {
    Checks checks(*loop_, verify);
    Seen known("", verify, "");
    Gates gates(world_of(repository_, checks, {"", {"*.tmp"}, {}, {}},
                         [&](const std::string& tree) -> Result<std::string> {
                           return tree == "checkout" ? project_ : worktree_;
                         }),
                known);
    std::optional<workflow::Observation> answer;
    gates.check(check, [&](workflow::Observation seen) { answer = std::move(seen); });
    loop_->run_while([&] { return !answer; });
    if (const auto* failed = std::get_if<workflow::CommandFailed>(&*answer))
      ADD_FAILURE() << failed->detail;
    return std::holds_alternative<Checked>(*answer) ? std::get<Checked>(*answer) : Checked{};
  }
  Check in_tree(std::vector<std::string> names) const {
    Check check;
    check.tree = "bead-1";
    check.names = std::move(names);
    return check;
  }
  static Verify testing_with(const std::string& text) {
    Verify verify;
    verify.add("test", {{}, text});
    return verify;
  }
  git::Repository repository_;
  std::string worktree_;
  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
};

TEST_F(GateWorld, ACommandLeavesTheTreeAsItWas) {
  write(worktree_ + "/work.txt", "work\n");
  const Checked result = checked(
      in_tree({"green"}), testing_with("cat work.txt; rm work.txt README; echo x >left; exit 1"));
  EXPECT_NE(result.feedback.find("work"), std::string::npos);
  EXPECT_EQ(read(worktree_ + "/work.txt"), "work\n");
  EXPECT_EQ(read(worktree_ + "/README"), "hello\n");
  EXPECT_FALSE(fs::exists(worktree_ + "/left"));
}

TEST_F(GateWorld, ThePersonsOwnCheckoutIsNeverPutBack) {
  Check check = in_tree({"green"});
  check.tree = "checkout";
  checked(check, testing_with("echo theirs >left"));
  EXPECT_EQ(read(project_ + "/left"), "theirs\n");
}

TEST_F(GateWorld, ACleanCheckSeesTheCommitAloneAndLeavesNoFolder) {
  write(worktree_ + "/work.txt", "work\n");
  Check check = in_tree({"all"});
  check.clean = true;
  EXPECT_EQ(checked(check, testing_with("test ! -e work.txt && cat README >/dev/null")).feedback,
            "");
  EXPECT_TRUE(fs::is_empty(project_ + "/.capsule/tmp"));
}

TEST_F(GateWorld, TheLastLineOfAFloodIsInTheFeedback) {
  const Checked result =
      checked(in_tree({"green"}),
              testing_with("yes noise | head -c 22000000; echo '3 tests FAILED: a, b, c'; exit 1"));
  EXPECT_TRUE(result.feedback.ends_with("3 tests FAILED: a, b, c"));
}

TEST_F(GateWorld, FilesAreComparedWithGitAndExcludedOnesDoNotCount) {
  write(worktree_ + "/a_test.go", "a\n");
  write(worktree_ + "/x.tmp", "x\n");
  write(worktree_ + "/-option", "hostile\n");
  const git::Snapshot taken =
      MUST(git::take_snapshot(repository_, worktree_, "refs/capsule/r/1-x", "x", repository_.head));
  Check check = in_tree({"only-tests"});
  check.claims_files = true;
  check.base = check.previous = repository_.head;
  check.commit = taken.commit;
  check.files_changed = {"a_test.go", "worklog.md"};
  const Checked result = checked(check, {});
  ASSERT_EQ(result.claims.size(), 2U);
  EXPECT_EQ(result.claims[0].detail, "left out: -option");
  EXPECT_EQ(result.claims[1].what, "only test files changed");
  EXPECT_EQ(result.claims[1].verdict, event::Verdict::broken);
}

TEST_F(GateWorld, ASignOffIsReadFromTheWorklogAndNotThroughALink) {
  write(worktree_ + "/worklog.md", "## Phase 5: sign-off\n\nVerdict: PASS\n");
  EXPECT_EQ(checked(in_tree({"signed-off"}), {}).feedback, "");
  write(root_ + "/elsewhere.md", "## Phase 5: sign-off\n\nVerdict: PASS\n");
  fs::remove(worktree_ + "/worklog.md");
  fs::create_symlink(root_ + "/elsewhere.md", worktree_ + "/worklog.md");
  EXPECT_TRUE(
      checked(in_tree({"signed-off"}), {}).feedback.starts_with("worklog.md has no sign-off"));
}

}  // namespace
}  // namespace capsule::gate
