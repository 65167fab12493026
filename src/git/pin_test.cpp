// A worktree that an agent cut from its git dir is bound to it again, and its commits are its own.
#include "git/pin.h"

#include "git/test_support.h"

namespace capsule::git {
namespace {

class Pin : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    repository_ = open();
    worktree_ = make_worktree(repository_);
  }
  std::vector<std::string> pinned() {
    const auto wrong = pin_worktree(repository_, worktree_.path, "capsule-bead-1", worktree_.base);
    EXPECT_TRUE(wrong) << wrong.error().message;
    return wrong.value_or(std::vector<std::string>{});
  }
  // As everybody sees it: on its branch, in its own folder, and git is content.
  void expect_bound() {
    EXPECT_EQ(git(worktree_.path, {"rev-parse", "--show-toplevel"}), worktree_.path);
    EXPECT_EQ(git(worktree_.path, {"symbolic-ref", "HEAD"}), "refs/heads/capsule-bead-1");
    EXPECT_EQ(git(worktree_.path, {"status", "--porcelain"}), "");
    EXPECT_TRUE(pinned().empty());
  }
  Repository repository_;
  Worktree worktree_;
};

TEST_F(Pin, FindsNothingWrongWithASoundWorktree) {
  EXPECT_TRUE(pinned().empty());
  expect_bound();
}

TEST_F(Pin, PutsARemovedGitFileBack) {
  std::filesystem::remove(worktree_.path + "/.git");
  EXPECT_EQ(pinned(), std::vector<std::string>{"its .git was gone"});
  expect_bound();
}

TEST_F(Pin, PutsAGitFileBackThatLeadsElsewhere) {
  const std::string other = make_worktree(repository_, "bead-2").path;
  for (const std::string& text :
       {"gitdir: " + project_ + "/.git\n", std::string("gitdir: /nowhere\n"),
        std::string("nothing\n"), read(other + "/.git")}) {
    write(worktree_.path + "/.git", text);
    EXPECT_EQ(pinned().size(), 1U) << text;
    expect_bound();
  }
}

TEST_F(Pin, ReplacesARepositoryThatTheAgentMadeForItself) {
  std::filesystem::remove(worktree_.path + "/.git");
  git(worktree_.path, {"init", "-q"});
  EXPECT_EQ(pinned().size(), 1U);
  expect_bound();
}

TEST_F(Pin, MakesTheRecordAnewThatWasPruned) {
  std::filesystem::remove(worktree_.path + "/.git");
  git(project_, {"worktree", "prune"});
  EXPECT_EQ(pinned().size(), 1U);
  expect_bound();
}

TEST_F(Pin, MendsARecordThatWasChanged) {
  const std::string record = project_ + "/.git/worktrees/bead-1";
  std::filesystem::remove(record + "/index");
  EXPECT_EQ(pinned(), std::vector<std::string>{"its index was gone"});
  expect_bound();
  write(record + "/commondir", "/nowhere\n");
  EXPECT_EQ(pinned().size(), 1U);
  expect_bound();
  write(record + "/gitdir", "/nowhere/.git\n");
  EXPECT_EQ(pinned().size(), 1U);
  expect_bound();
}

TEST_F(Pin, ABranchThatIsGoneIsPutWhereItBegan) {
  git(project_, {"update-ref", "-d", "refs/heads/capsule-bead-1"});
  EXPECT_EQ(pinned(), std::vector<std::string>{"its branch was gone"});
  expect_bound();
  EXPECT_EQ(git(worktree_.path, {"rev-parse", "HEAD"}), worktree_.base);
}

TEST_F(Pin, CommitsOnABranchOfTheAgentsOwnAreTheBranchs) {
  git(worktree_.path, {"checkout", "-q", "-b", "feature"});
  write(worktree_.path + "/new.c", "int n;\n");
  commit(worktree_.path, {"new.c"}, "Mine");
  EXPECT_EQ(pinned(), std::vector<std::string>{"it was not on its own branch any more"});
  expect_bound();
  EXPECT_EQ(git(worktree_.path, {"log", "-1", "--format=%s"}), "Mine");
  git(worktree_.path, {"checkout", "-q", "--detach"});
  write(worktree_.path + "/more.c", "int m;\n");
  commit(worktree_.path, {"more.c"}, "More");
  EXPECT_EQ(pinned().size(), 1U);
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s", "capsule-bead-1"}), "More");
}

TEST_F(Pin, ACommitThatDoesNotContainTheBranchDoesNotReplaceIt) {
  write(worktree_.path + "/new.c", "int n;\n");
  commit(worktree_.path, {"new.c"}, "Mine");
  const std::string mine = git(worktree_.path, {"rev-parse", "HEAD"});
  git(worktree_.path, {"checkout", "-q", "--detach", worktree_.base});
  EXPECT_EQ(pinned().size(), 1U);
  EXPECT_EQ(git(project_, {"rev-parse", "capsule-bead-1"}), mine);
}

TEST_F(Pin, AFolderThatWasNeverAWorktreeIsLeftAlone) {
  const std::string folder = worktree_path("plain");
  write(folder + "/file", "x");
  const auto wrong = pin_worktree(repository_, folder, "capsule-plain", "");
  ASSERT_TRUE(wrong);
  EXPECT_TRUE(wrong->empty());
  EXPECT_FALSE(std::filesystem::exists(folder + "/.git"));
}

TEST_F(Pin, NoRepositoryAboveAFolderOfOursIsFound) {
  std::filesystem::remove(worktree_.path + "/.git");
  std::filesystem::create_directories(worktree_.path + "/deep");
  ASSERT_TRUE(ceiling_of(worktree_.path));
  ::setenv(kCeilingVariable, ceiling_of(worktree_.path)->c_str(), 1);
  const int here = git_code(worktree_.path, {"rev-parse", "HEAD"});
  const int below = git_code(worktree_.path + "/deep", {"rev-parse", "HEAD"});
  const int at_top = git_code(project_, {"rev-parse", "HEAD"});
  // The caller's own folders still count.
  EXPECT_EQ(*ceiling_of("/a/.capsule/tmp/b"),
            "/a/.capsule/tmp:" + worktree_path("").substr(0, worktree_path("").size() - 1));
  ::unsetenv(kCeilingVariable);
  EXPECT_NE(here, 0);
  EXPECT_NE(below, 0);
  EXPECT_EQ(at_top, 0);
  EXPECT_FALSE(ceiling_of(project_));
}

}  // namespace
}  // namespace capsule::git
