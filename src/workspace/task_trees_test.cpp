#include "workspace/task_trees.h"

#include "git/test_support.h"

namespace capsule::workspace {
namespace {

class TaskTreesTest : public git::GitTest {
 protected:
  TaskTrees trees(const std::string& run = "20260101-000000-abc123") {
    return {open(), run, {"", {"*.tmp"}}};
  }
  std::string main_file(const std::string& name) { return git(project_, {"show", "main:" + name}); }
  // Everything up to the merge, for a task whose worktree is as it shall be.
  void merge(TaskTrees& all, const std::string& task) {
    MUST(all.keep(task, "developer"));
    const MergeTry tried = MUST(all.plan_merge(task, "Title"));
    ASSERT_TRUE(std::holds_alternative<PlannedMerge>(tried));
    const git::Published done = MUST(all.publish(std::get<PlannedMerge>(tried)));
    ASSERT_EQ(done.outcome, git::Publishing::done);
  }
};

TEST_F(TaskTreesTest, WorkThatNobodyCommittedReachesMainWithoutExcludedFiles) {
  TaskTrees all = trees();
  const std::string path = MUST(all.open("T-1"));
  write(path + "/new.txt", "new\n");
  write(path + "/scratch.tmp", "x");
  merge(all, "T-1");
  EXPECT_EQ(main_file("new.txt"), "new");
  EXPECT_NE(git_code(project_, {"show", "main:scratch.tmp"}), 0);
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s", "main"}), "Merge T-1: Title");
  const MergeTry again = MUST(all.plan_merge("T-1", "Title"));
  ASSERT_TRUE(std::holds_alternative<MergedAlready>(again));
  EXPECT_EQ(std::get<MergedAlready>(again).commit, git(project_, {"rev-parse", "main"}));
  MUST_VOID(all.remove("T-1"));
  EXPECT_FALSE(all.has("T-1"));
}

TEST_F(TaskTreesTest, CommitsOfTheAgentCountToo) {
  TaskTrees all = trees();
  const std::string path = MUST(all.open("T-1"));
  write(path + "/a.txt", "a\n");
  commit(path, {"a.txt"}, "mine");
  write(path + "/b.txt", "b\n");
  merge(all, "T-1");
  EXPECT_EQ(main_file("a.txt") + main_file("b.txt"), "ab");
}

TEST_F(TaskTreesTest, ATaskThatChangedNothingHasNothingToMerge) {
  TaskTrees all = trees();
  MUST(all.open("T-1"));
  MUST(all.keep("T-1", "developer"));
  const MergeTry tried = MUST(all.plan_merge("T-1", "Title"));
  ASSERT_TRUE(std::holds_alternative<MergedAlready>(tried));
  EXPECT_TRUE(std::get<MergedAlready>(tried).nothing);
}

TEST_F(TaskTreesTest, WhatAReaderWroteIsKeptAndTakenBack) {
  TaskTrees all = trees();
  const std::string path = MUST(all.open("T-1"));
  write(path + "/work.txt", "work\n");
  MUST(all.keep("T-1", "developer"));
  EXPECT_TRUE(MUST(all.take_back("T-1", "critic")).empty());
  write(path + "/work.txt", "meddled\n");
  write(path + "/extra.txt", "extra\n");
  const std::vector<std::string> paths = MUST(all.take_back("T-1", "critic"));
  EXPECT_EQ(paths, (std::vector<std::string>{"extra.txt", "work.txt"}));
  EXPECT_EQ(read(path + "/work.txt"), "work\n");
  EXPECT_FALSE(std::filesystem::exists(path + "/extra.txt"));
  EXPECT_EQ(git(project_, {"show", all.snapshots_of("T-1") + "/0003-critic-look:extra.txt"}),
            "extra");
}

TEST_F(TaskTreesTest, ACommitOfAReaderIsTakenBack) {
  TaskTrees all = trees();
  const std::string path = MUST(all.open("T-1"));
  write(path + "/work.txt", "work\n");
  MUST(all.keep("T-1", "developer"));
  commit(path, {"work.txt"}, "sneaked in");
  EXPECT_FALSE(MUST(all.take_back("T-1", "auditor")).empty());
  EXPECT_EQ(git(path, {"rev-parse", "HEAD"}), all.base_of("T-1"));
}

TEST_F(TaskTreesTest, AProcessThatTakesTheRunUpKnowsTheStateThatCounts) {
  std::string path;
  {
    TaskTrees all = trees();
    path = MUST(all.open("T-1"));
    write(path + "/work.txt", "work\n");
    MUST(all.keep("T-1", "developer"));
    write(path + "/work.txt", "meddled\n");
  }
  TaskTrees again = trees();
  EXPECT_EQ(MUST(again.open("T-1")), path);
  EXPECT_EQ(MUST(again.take_back("T-1", "critic")), std::vector<std::string>{"work.txt"});
  EXPECT_EQ(read(path + "/work.txt"), "work\n");
}

TEST_F(TaskTreesTest, AConflictComesToTheDeveloperAsMarkersAndMergesWhenSettled) {
  TaskTrees all = trees();
  const std::string one = MUST(all.open("T-1"));
  const std::string two = MUST(all.open("T-2"));
  write(one + "/README", "one\n");
  write(two + "/README", "two\n");
  write(two + "/two.txt", "2\n");
  merge(all, "T-1");
  MUST(all.keep("T-2", "developer"));
  const MergeTry tried = MUST(all.plan_merge("T-2", "Second"));
  ASSERT_TRUE(std::holds_alternative<MergeConflict>(tried));
  EXPECT_EQ(std::get<MergeConflict>(tried).files, std::vector<std::string>{"README"});
  const BroughtIn in = MUST(all.bring_main_in("T-2"));
  EXPECT_TRUE(in.moved);
  EXPECT_EQ(in.conflicts, std::vector<std::string>{"README"});
  EXPECT_NE(read(two + "/README").find("<<<<<<<"), std::string::npos);
  EXPECT_EQ(read(two + "/two.txt"), "2\n");
  write(two + "/README", "one and two\n");
  merge(all, "T-2");
  EXPECT_EQ(main_file("README"), "one and two");
  EXPECT_EQ(main_file("two.txt"), "2");
}

TEST_F(TaskTreesTest, TwoRunsMayUseTheSameTaskIds) {
  TaskTrees first = trees("r-aaa");
  TaskTrees second = trees("r-bbb");
  EXPECT_NE(MUST(first.open("1.1")), MUST(second.open("1.1")));
}

TEST_F(TaskTreesTest, TheLongestIdHasAWorktreeToo) {
  TaskTrees all = trees();
  const std::string id(100, 'x');
  const std::string path = MUST(all.open(id));
  write(path + "/x.txt", "x\n");
  merge(all, id);
  EXPECT_EQ(main_file("x.txt"), "x");
}

}  // namespace
}  // namespace capsule::workspace
