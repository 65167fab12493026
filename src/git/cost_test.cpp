// How many git processes each step starts, counted by a `git` on PATH that takes note of each call.
#include <sys/stat.h>

#include "git/test_support.h"

namespace capsule::git {
namespace {

class CostTest : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    const Result<std::string> real = process::find_program("git", std::getenv("PATH"), -1);
    ASSERT_TRUE(real);
    write(root_ + "/bin/git",
          "#!/bin/sh\necho >>'" + root_ + "/calls'\nexec '" + *real + "' \"$@\"\n");
    ::chmod((root_ + "/bin/git").c_str(), 0755);
    path_ = std::getenv("PATH");
    ::setenv("PATH", (root_ + "/bin:" + path_).c_str(), 1);
  }

  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    GitTest::TearDown();
  }

  std::size_t calls() {
    const std::size_t count = read(root_ + "/calls").size();
    write(root_ + "/calls", "");
    return count;
  }

  std::string path_;
};

TEST_F(CostTest, EveryStepStartsAsFewProcessesAsItCan) {
  const Repository repository = open();
  EXPECT_EQ(calls(), 1U);
  MUST_VOID(exclude_capsule_dir(repository));
  EXPECT_EQ(calls(), 0U);
  const Worktree worktree =
      MUST(create_worktree(repository, worktree_path(), "capsule-bead-1", repository.head));
  EXPECT_EQ(calls(), 3U);  // the settings, once; branch; files
  write(worktree.path + "/new.c", "int n;\n");
  MUST(take_snapshot(repository, worktree.path, "refs/capsule/r/1-x", "x", repository.head));
  EXPECT_EQ(calls(), 3U);
  commit(worktree.path, {"new.c"}, "bead-1: Do it");
  (void)calls();

  const Tips tips = MUST(find_tips(repository, "", "capsule-bead-1"));
  const BranchState state = MUST(branch_state(repository, tips, worktree.base, "r"));
  const WorkCommit work = MUST(work_commit(repository, state, "bead-1: Do it", {}));
  const MergePlan plan = MUST(plan_merge(repository, state, work, "Merge\n"));
  EXPECT_EQ(calls(), 4U);  // refs, history, changes, the commit
  EXPECT_EQ(MUST(publish_merge(repository, plan)).outcome, Publishing::done);
  EXPECT_EQ(calls(), 2U);  // the user's files, main
  MUST_VOID(remove_worktree(repository, worktree.path, "capsule-bead-1"));
  EXPECT_EQ(calls(), 2U);  // folder, branch
}

TEST_F(CostTest, MakingTheCommitAnewAndMergingOnAMovedMainCostFiveMore) {
  const Repository repository = open();
  const Worktree worktree = make_worktree(repository);
  write(worktree.path + "/worklog.md", "log\n");
  write(worktree.path + "/new.c", "int n;\n");
  commit(worktree.path, {"worklog.md", "new.c"}, "wip");
  write(project_ + "/other.c", "int o;\n");
  commit(project_, {"other.c"}, "Other");
  (void)calls();
  const Tips tips = MUST(find_tips(repository, "", "capsule-bead-1"));
  const BranchState state = MUST(branch_state(repository, tips, worktree.base, "r"));
  const WorkCommit work = MUST(work_commit(repository, state, "bead-1: Do it", {}));
  EXPECT_EQ(calls(), 6U);  // refs, history, changes; the tree's list, the tree, the commit
  const MergePlan plan = MUST(plan_merge(repository, state, work, "Merge\n"));
  EXPECT_EQ(calls(), 3U);  // merge, changes, the commit
  EXPECT_EQ(MUST(publish_merge(repository, plan)).outcome, Publishing::done);
  EXPECT_EQ(calls(), 2U);
}

}  // namespace
}  // namespace capsule::git
