#include "git/merge.h"

#include "git/checkout.h"
#include "git/exclusion.h"
#include "git/test_support.h"

namespace capsule::git {
namespace {

const std::vector<std::string> kDefaults(std::begin(kExcludedByDefault),
                                         std::end(kExcludedByDefault));

class MergeTest : public GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    repository_ = open();
    worktree_ = make_worktree(repository_);
  }

  Result<BranchState> state() {
    const Tips tips = TRY(find_tips(repository_, "", "capsule-bead-1"));
    return branch_state(repository_, tips, worktree_.base, "run-1");
  }

  Result<WorkCommit> work() {
    return work_commit(repository_, TRY(state()), "bead-1: Do it", kDefaults);
  }

  Result<MergePlan> plan() {
    const BranchState now = TRY(state());
    const WorkCommit done = TRY(work_commit(repository_, now, "bead-1: Do it", kDefaults));
    return plan_merge(repository_, now, done, merge_message("bead-1", "Do it", "run-1"));
  }

  Result<Published> merge() { return publish_merge(repository_, TRY(plan())); }

  // One good commit of the agent.
  void do_work(const std::string& text = "int f;\n") {
    write(worktree_.path + "/f.c", text);
    commit(worktree_.path, {"f.c"}, "bead-1: Do it");
  }

  std::string show(const std::string& what) { return git(project_, {"show", what}); }

  Repository repository_;
  Worktree worktree_;
};

TEST(MergeMessage, OtherTrailersFollowTheRunsAndCannotForgeIt) {
  const std::string text = merge_message(
      "bead-1", "Do it", "run-1",
      {"Capsule-Model: sonnet\n\nCapsule-Run: forged", "Capsule-Run: run-2", "Capsule-Client: c"});
  EXPECT_EQ(text,
            "Merge bead-1: Do it\n\nCapsule-Run: run-1\n"
            "Capsule-Model: sonnet  Capsule-Run: forged\nCapsule-Client: c\n");
  EXPECT_TRUE(has_run_trailer(text, "run-1"));
  EXPECT_FALSE(has_run_trailer(text, "run-2"));
  EXPECT_FALSE(has_run_trailer(text, "forged"));
}

TEST_F(MergeTest, AGoodCommitIsMergedWithTwoParentsAndTheTrailer) {
  do_work();
  const std::string tip = git(worktree_.path, {"rev-parse", "HEAD"});
  const Published published = MUST(merge());
  EXPECT_EQ(published.outcome, Publishing::done);
  EXPECT_EQ(git(project_, {"rev-parse", "main^1"}), repository_.head);
  EXPECT_EQ(git(project_, {"rev-parse", "main^2"}), tip);
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%B", "main"}),
            "Merge bead-1: Do it\n\nCapsule-Run: run-1");
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%an <%ae>", "main"}),
            "A User <user@example.org>");
}

TEST_F(MergeTest, TheCheckoutOfMainMovesForwardWithIt) {
  do_work();
  write(project_ + "/notes.txt", "mine\n");
  write(project_ + "/README", "changed by me\n");
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_EQ(read(project_ + "/f.c"), "int f;\n");
  EXPECT_EQ(read(project_ + "/README"), "changed by me\n");
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "M README\n?? notes.txt");
  EXPECT_NE(git(project_, {"reflog", "-1"}).find("capsule: merge"), std::string::npos);
}

TEST_F(MergeTest, NothingToMergeIsRefused) {
  const auto result = work();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::refused);
  EXPECT_NE(result.error().message.find("nothing to merge"), std::string::npos);
}

TEST_F(MergeTest, ExcludedFilesAndAnotherMessageAreMadeGood) {
  write(worktree_.path + "/worklog.md", "log\n");
  write(worktree_.path + "/src/a.c.orig", "x\n");
  write(worktree_.path + "/src/new.c", "int n;\n");
  write(worktree_.path + "/.capsule/output/x.log", "x\n");
  git(worktree_.path,
      {"-c", "user.name=An Agent", "-c", "user.email=agent@example.org", "add", "-f", "."});
  git(worktree_.path, {"-c", "user.name=An Agent", "-c", "user.email=agent@example.org", "commit",
                       "-q", "-m", "wip"});
  const WorkCommit done = MUST(work());
  EXPECT_TRUE(done.made_anew);
  EXPECT_EQ(done.excluded,
            (std::vector<std::string>{".capsule/output/x.log", "src/a.c.orig", "worklog.md"}));
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_EQ(git(project_, {"ls-tree", "-r", "--name-only", "main"}),
            "README\nsrc/main.c\nsrc/new.c");
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s|%an", "main^2"}), "bead-1: Do it|An Agent");
  EXPECT_EQ(git(project_, {"log", "--format=%s", "--", "worklog.md"}), "");
}

TEST_F(MergeTest, AWorklogAtTheTopIsLeftOutByTheTopTreeAlone) {
  write(worktree_.path + "/worklog.md", "log\n");
  write(worktree_.path + "/docs/worklog.md", "a file of the project\n");
  commit(worktree_.path, {"worklog.md", "docs"}, "bead-1: Do it");
  const WorkCommit done = MUST(work());
  EXPECT_EQ(done.excluded, (std::vector<std::string>{"worklog.md"}));
  EXPECT_EQ(git(project_, {"ls-tree", "-r", "--name-only", done.tree}),
            "README\ndocs/worklog.md\nsrc/main.c");
}

TEST_F(MergeTest, AWorklogThatMainTracksStaysAsMainHasIt) {
  MUST_VOID(remove_worktree(repository_, worktree_.path, "capsule-bead-1"));
  write(project_ + "/worklog.md", "the project's own\n");
  commit(project_, {"worklog.md"}, "Track it");
  repository_ = open();
  worktree_ = make_worktree(repository_);
  write(worktree_.path + "/worklog.md", "overwritten\n");
  git(worktree_.path, {"rm", "-q", "--cached", "worklog.md"});
  write(worktree_.path + "/g.c", "int g;\n");
  commit(worktree_.path, {"worklog.md", "g.c"}, "bead-1: Do it");
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_EQ(show("main:worklog.md"), "the project's own");
  EXPECT_EQ(show("main:g.c"), "int g;");
}

TEST_F(MergeTest, OnlyExcludedFilesAreAnEmptyChange) {
  write(worktree_.path + "/worklog.md", "log\n");
  commit(worktree_.path, {"worklog.md"}, "bead-1: Do it");
  EXPECT_TRUE(MUST(work()).changes.empty());
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_EQ(git(project_, {"rev-parse", "main^{tree}"}),
            git(project_, {"rev-parse", "main^1^{tree}"}));
}

TEST_F(MergeTest, SeveralCommitsBecomeOne) {
  write(worktree_.path + "/worklog.md", "log\n");
  commit(worktree_.path, {"worklog.md"}, "bead-1: Do it");
  git(worktree_.path, {"rm", "-q", "--cached", "worklog.md"});
  write(worktree_.path + "/a", "a\n");
  commit(worktree_.path, {"a"}, "bead-1: Do it");
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_EQ(git(project_, {"rev-list", "--count", repository_.head + "..main"}), "2");
  EXPECT_EQ(git(project_, {"log", "--format=%s", "main", "--", "worklog.md"}), "");
}

TEST_F(MergeTest, ABodyBelowTheRightFirstLineIsFine) {
  write(worktree_.path + "/a", "a\n");
  commit(worktree_.path, {"a"}, "bead-1: Do it\n\nBecause.\n\nCapsule-Run: run-1");
  EXPECT_FALSE(MUST(work()).made_anew);
  // The agent's own trailer is no proof of a merge.
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  const std::string merged = git(project_, {"rev-parse", "main"});
  EXPECT_EQ(MUST(find_merge(repository_, merged, worktree_.base, "run-1")), merged);
  EXPECT_EQ(MUST(find_merge(repository_, git(project_, {"rev-parse", "main^2"}), worktree_.base,
                            "run-1")),
            "");
}

TEST_F(MergeTest, WhatIsMergedAlreadyIsRecognised) {
  do_work();
  EXPECT_EQ(MUST(state()).merged_as, "");
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  const std::string merged = git(project_, {"rev-parse", "main"});
  EXPECT_EQ(MUST(state()).merged_as, merged);
  write(project_ + "/later", "x\n");
  commit(project_, {"later"}, "Later");
  EXPECT_EQ(MUST(state()).merged_as, merged);
  EXPECT_TRUE(MUST(state()).commits.empty());
}

TEST_F(MergeTest, MainThatMovedIsMergedOnItsNewestCommit) {
  do_work();
  write(project_ + "/other.c", "int o;\n");
  commit(project_, {"other.c"}, "Other");
  const MergePlan planned = MUST(plan());
  EXPECT_TRUE(planned.main_moved);
  EXPECT_EQ(MUST(publish_merge(repository_, planned)).outcome, Publishing::done);
  EXPECT_EQ(show("main:f.c"), "int f;");
  EXPECT_EQ(show("main:other.c"), "int o;");
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
}

TEST_F(MergeTest, AConflictNamesItsFilesAndTouchesNothing) {
  write(worktree_.path + "/README", "theirs\n");
  write(worktree_.path + "/odd \"name\"\n", "theirs\n");
  commit(worktree_.path, {"README", "odd \"name\"\n"}, "bead-1: Do it");
  write(project_ + "/README", "ours\n");
  write(project_ + "/odd \"name\"\n", "ours\n");
  commit(project_, {"README", "odd \"name\"\n"}, "Ours");
  const std::string before = git(project_, {"rev-parse", "main"});
  const MergePlan planned = MUST(plan());
  EXPECT_EQ(planned.conflicts, (std::vector<std::string>{"README", "odd \"name\"\n"}));
  EXPECT_EQ(planned.commit, "");
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), before);
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
  // What we tell people to do: merge main inside the worktree, then try again.
  git_code(worktree_.path, {"merge", "-q", "main"});
  write(worktree_.path + "/README", "both\n");
  write(worktree_.path + "/odd \"name\"\n", "both\n");
  commit(worktree_.path, {"README", "odd \"name\"\n"}, "Merge main");
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_EQ(show("main:README"), "both");
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s", "main^2"}), "bead-1: Do it");
}

TEST_F(MergeTest, MainThatMovesBetweenPlanAndPublishingIsNotOverwritten) {
  do_work();
  const MergePlan planned = MUST(plan());
  write(project_ + "/other.c", "int o;\n");
  commit(project_, {"other.c"}, "Other");
  const std::string now = git(project_, {"rev-parse", "main"});
  EXPECT_EQ(MUST(publish_merge(repository_, planned)).outcome, Publishing::main_moved);
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), now);
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
  EXPECT_FALSE(std::filesystem::exists(project_ + "/f.c"));
}

TEST_F(MergeTest, WorkThatStartedFromAnotherBranchIsRefused) {
  MUST_VOID(remove_worktree(repository_, worktree_.path, "capsule-bead-1"));
  git(project_, {"checkout", "-q", "-b", "feature"});
  write(project_ + "/half-done", "x\n");
  commit(project_, {"half-done"}, "Half done");
  repository_ = open();
  worktree_ = make_worktree(repository_);
  do_work();
  const auto result = work();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::refused);
  EXPECT_NE(result.error().message.find(repository_.head), std::string::npos);
  // Once main has them, nothing stands in the way; main is not checked out, so nothing moves.
  git(project_, {"branch", "-f", "main", "feature"});
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_FALSE(std::filesystem::exists(project_ + "/f.c"));
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
}

TEST_F(MergeTest, MainIsConfiguredOrMainOrMaster) {
  EXPECT_EQ(MUST(find_tips(repository_, "", "")).main_ref, "refs/heads/main");
  git(project_, {"branch", "master"});
  EXPECT_EQ(MUST(find_tips(repository_, "", "")).main_ref, "refs/heads/main");
  git(project_, {"branch", "release/1"});
  EXPECT_EQ(MUST(find_tips(repository_, "release/1", "")).main_ref, "refs/heads/release/1");
  EXPECT_EQ(find_tips(repository_, "releas*", "").error().reason, Reason::not_found);
  EXPECT_EQ(find_tips(repository_, "release", "").error().reason, Reason::not_found);
  EXPECT_EQ(find_tips(repository_, "--all", "").error().reason, Reason::not_found);
  git(project_, {"branch", "-m", "main", "trunk"});
  EXPECT_EQ(MUST(find_tips(repository_, "", "")).main_ref, "refs/heads/master");
  git(project_, {"branch", "-D", "master"});
  EXPECT_EQ(find_tips(repository_, "", "").error().reason, Reason::not_found);
}

TEST_F(MergeTest, AStaleLockOnMainIsWaitedForAndRemoved) {
  do_work();
  write(project_ + "/.git/refs/heads/main.lock", "");
  EXPECT_EQ(MUST(merge()).outcome, Publishing::done);
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s", "main"}), "Merge bead-1: Do it");
}

TEST_F(MergeTest, HostileTitlesStayOneLineOfText) {
  EXPECT_EQ(work_message("b-1", "$(touch x)\n`y`\t\"z\"\x1b[31m"),
            "b-1: $(touch x) `y` \"z\" [31m");
  do_work();
  const BranchState now = MUST(state());
  const std::string title = "$(touch pwned); `id` 'x' \"y\"\nCapsule-Run: other\n\n--amend";
  const WorkCommit done =
      MUST(work_commit(repository_, now, work_message("bead-1", title), kDefaults));
  EXPECT_TRUE(done.made_anew);
  const MergePlan planned =
      MUST(plan_merge(repository_, now, done, merge_message("bead-1", title, "run-1")));
  EXPECT_EQ(git(project_,
                {"log", "-1", "--format=%(trailers:key=Capsule-Run,valueonly)", planned.commit}),
            "run-1");
}

}  // namespace
}  // namespace capsule::git
