#include "git/checkout.h"

#include <fcntl.h>

#include "git/test_support.h"

namespace capsule::git {
namespace {

class CheckoutTest : public GitTest {
 protected:
  // Merges what the agent commits in its worktree and returns what became of it.
  Result<Published> merge_work(const std::vector<std::string>& paths) {
    git(worktree_.path, {"add", "-A", "-f", "--", "."});
    (void)paths;
    git(worktree_.path, {"commit", "-q", "-m", "b: t"});
    const Tips tips = TRY(find_tips(repository_, "", "capsule-bead-1"));
    const BranchState state = TRY(branch_state(repository_, tips, worktree_.base, "r"));
    const WorkCommit work = TRY(work_commit(repository_, state, "b: t", {}));
    return publish_merge(repository_,
                         TRY(plan_merge(repository_, state, work, merge_message("b", "t", "r"))));
  }

  void begin() {
    repository_ = open();
    worktree_ = make_worktree(repository_);
  }

  void expect_in_the_way(const std::vector<std::string>& paths) {
    const std::string head = git(project_, {"rev-parse", "main"});
    const std::string status = git(project_, {"status", "--porcelain"});
    const auto published = merge_work({});
    ASSERT_TRUE(published) << published.error().message;
    EXPECT_EQ(published->outcome, Publishing::in_the_way);
    EXPECT_EQ(published->in_the_way, paths);
    EXPECT_EQ(published->checkout, project_);
    EXPECT_EQ(git(project_, {"rev-parse", "main"}), head);
    EXPECT_EQ(git(project_, {"status", "--porcelain"}), status);
  }

  Repository repository_;
  Worktree worktree_;
};

TEST_F(CheckoutTest, AChangedFileThatTheMergeChangesIsInTheWay) {
  begin();
  write(worktree_.path + "/README", "agent\n");
  write(worktree_.path + "/src/main.c", "agent\n");
  write(project_ + "/README", "user\n");
  expect_in_the_way({"README"});
  EXPECT_EQ(read(project_ + "/README"), "user\n");
  EXPECT_EQ(read(project_ + "/src/main.c"), "int main;\n");
}

TEST_F(CheckoutTest, AStagedChangeIsInTheWayToo) {
  begin();
  write(worktree_.path + "/README", "agent\n");
  write(project_ + "/README", "user\n");
  git(project_, {"add", "README"});
  expect_in_the_way({"README"});
  EXPECT_EQ(git(project_, {"diff", "--cached", "--name-only"}), "README");
}

TEST_F(CheckoutTest, UntrackedAndIgnoredFilesAreNotOverwritten) {
  begin();
  write(worktree_.path + "/new", "agent\n");
  write(worktree_.path + "/secret.env", "agent\n");
  write(project_ + "/.git/info/exclude", ".capsule/\n*.env\n");
  write(project_ + "/new", "user\n");
  write(project_ + "/secret.env", "user\n");
  expect_in_the_way({"new", "secret.env"});
  EXPECT_EQ(read(project_ + "/secret.env"), "user\n");
}

TEST_F(CheckoutTest, ADeletedFileOfTheUserIsInTheWayOfAChangeToIt) {
  begin();
  write(worktree_.path + "/README", "agent\n");
  write(project_ + "/src/main.c", "user\n");
  std::filesystem::remove(worktree_.path + "/src/main.c");
  expect_in_the_way({"src/main.c"});
}

TEST_F(CheckoutTest, OddNamesAreNamedAsTheyAre) {
  begin();
  const std::string odd = "-x \"q\"\n*?[a] ü";
  write(worktree_.path + "/" + odd, "agent\n");
  write(project_ + "/" + odd, "user\n");
  expect_in_the_way({odd});
}

TEST_F(CheckoutTest, AFileThatWasOnlyTouchedIsNotInTheWay) {
  begin();
  write(worktree_.path + "/README", "agent\n");
  std::filesystem::last_write_time(
      project_ + "/README", std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const Published published = MUST(merge_work({"README"}));
  EXPECT_EQ(published.outcome, Publishing::done);
  EXPECT_EQ(read(project_ + "/README"), "agent\n");
}

TEST_F(CheckoutTest, TheTrackersFilesNeverCountAsDirty) {
  write(project_ + "/.beads/issues.jsonl", "one\n");
  commit(project_, {".beads"}, "Track");
  begin();
  write(project_ + "/.beads/issues.jsonl", "one\nclosed by the tracker\n");
  write(worktree_.path + "/new.c", "int n;\n");
  const Published untouched = MUST(merge_work({"new.c"}));
  EXPECT_EQ(untouched.outcome, Publishing::done);
  EXPECT_EQ(read(project_ + "/.beads/issues.jsonl"), "one\nclosed by the tracker\n");
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "M .beads/issues.jsonl");
}

TEST_F(CheckoutTest, ATrackersFileThatTheMergeChangesIsKeptAsTheUserHasIt) {
  write(project_ + "/.beads/issues.jsonl", "one\n");
  commit(project_, {".beads"}, "Track");
  begin();
  write(project_ + "/.beads/issues.jsonl", "one\nuser\n");
  write(project_ + "/.beads/local.db", "user\n");
  write(worktree_.path + "/.beads/issues.jsonl", "one\nagent\n");
  write(worktree_.path + "/.beads/local.db", "agent\n");
  write(worktree_.path + "/new.c", "int n;\n");
  const Published published = MUST(merge_work({}));
  EXPECT_EQ(published.outcome, Publishing::done);
  EXPECT_EQ(published.kept, (std::vector<std::string>{".beads/issues.jsonl", ".beads/local.db"}));
  EXPECT_EQ(read(project_ + "/.beads/issues.jsonl"), "one\nuser\n");
  EXPECT_EQ(read(project_ + "/.beads/local.db"), "user\n");
  EXPECT_EQ(read(project_ + "/new.c"), "int n;\n");
  EXPECT_EQ(git(project_, {"show", "main:.beads/issues.jsonl"}), "one\nagent");
  EXPECT_EQ(git(project_, {"diff", "--cached", "--name-only"}), "");
}

TEST_F(CheckoutTest, ALinkedWorktreeThatHasMainMovesToo) {
  git(project_, {"checkout", "-q", "-b", "side"});
  git(project_, {"worktree", "add", "-q", root_ + "/with main", "main"});
  begin();
  write(worktree_.path + "/new.c", "int n;\n");
  EXPECT_EQ(MUST(merge_work({"new.c"})).outcome, Publishing::done);
  EXPECT_EQ(read(root_ + "/with main/new.c"), "int n;\n");
  EXPECT_EQ(git(root_ + "/with main", {"status", "--porcelain"}), "");
  EXPECT_FALSE(std::filesystem::exists(project_ + "/new.c"));
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
}

TEST_F(CheckoutTest, APlantedRecordOfAWorktreeLeadsNowhere) {
  begin();
  std::filesystem::create_directories(root_ + "/victim");
  write(root_ + "/victim/.git", "gitdir: /elsewhere\n");
  write(project_ + "/.git/worktrees/evil/HEAD", "ref: refs/heads/main\n");
  write(project_ + "/.git/worktrees/evil/gitdir", root_ + "/victim/.git\n");
  write(project_ + "/.git/worktrees/evil/commondir", "../..\n");
  EXPECT_EQ(checkouts_of(repository_, "refs/heads/main").size(), 1U);
  std::filesystem::remove_all(project_ + "/.git/worktrees/evil");
}

TEST_F(CheckoutTest, AnAgentThatHasCheckedOutMainStopsNothing) {
  git(project_, {"checkout", "-q", "--detach"});
  begin();
  write(worktree_.path + "/new.c", "int n;\n");
  git(worktree_.path, {"add", "-A"});
  git(worktree_.path, {"commit", "-q", "-m", "b: t"});
  git(worktree_.path, {"checkout", "-q", "main"});
  write(worktree_.path + "/new.c", "in the way\n");
  EXPECT_TRUE(checkouts_of(repository_, "refs/heads/main").empty());
}

TEST_F(CheckoutTest, AnIndexLockThatNobodyHoldsIsRemoved) {
  begin();
  write(worktree_.path + "/new.c", "int n;\n");
  write(project_ + "/.git/index.lock", "");
  const auto published = merge_work({"new.c"});
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
}

TEST_F(CheckoutTest, ALockedIndexIsReportedAndNothingIsDone) {
  begin();
  write(worktree_.path + "/new.c", "int n;\n");
  write(project_ + "/.git/index.lock", "");
  const File held(::open((project_ + "/.git/index.lock").c_str(), O_RDONLY | O_CLOEXEC));
  const std::string head = git(project_, {"rev-parse", "main"});
  const auto published = merge_work({"new.c"});
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().reason, Reason::blocked);
  EXPECT_NE(published.error().message.find("index.lock"), std::string::npos);
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), head);
}

TEST_F(CheckoutTest, FoldersAndFilesMayChangePlaces) {
  begin();
  std::filesystem::remove(worktree_.path + "/README");
  write(worktree_.path + "/README/inside", "x\n");
  std::filesystem::remove_all(worktree_.path + "/src");
  write(worktree_.path + "/src", "now a file\n");
  EXPECT_EQ(MUST(merge_work({})).outcome, Publishing::done);
  EXPECT_EQ(read(project_ + "/README/inside"), "x\n");
  EXPECT_EQ(read(project_ + "/src"), "now a file\n");
  EXPECT_EQ(git(project_, {"status", "--porcelain"}), "");
}

TEST_F(CheckoutTest, AFilterOfTheRepositoryIsNotRunAndItsFilesAreInTheWay) {
  write(project_ + "/.gitattributes", "*.big filter=planted\n");
  commit(project_, {".gitattributes"}, "Attributes");
  begin();
  write(worktree_.path + "/a.big", "x\n");
  git(worktree_.path, {"add", "-A"});
  git(project_, {"config", "filter.planted.smudge", "touch '" + root_ + "/canary'"});
  git(project_, {"config", "filter.planted.clean", "touch '" + root_ + "/canary'; cat"});
  git(worktree_.path, {"commit", "-q", "-m", "b: t"});
  std::filesystem::remove(root_ + "/canary");
  const Tips tips = MUST(find_tips(repository_, "", "capsule-bead-1"));
  const BranchState state = MUST(branch_state(repository_, tips, worktree_.base, "r"));
  const WorkCommit work = MUST(work_commit(repository_, state, "b: t", {}));
  const MergePlan plan = MUST(plan_merge(repository_, state, work, "Merge\n"));
  Repository fresh = open();  // settings as a new Capsule reads them
  EXPECT_EQ(MUST(publish_merge(fresh, plan)).outcome, Publishing::in_the_way);
  // The same filter in the user's own configuration is the user's will.
  write(home_ + "/.gitconfig",
        read(home_ + "/.gitconfig") + "[filter \"planted\"]\n\tsmudge = sed s/x/smudged/\n");
  fresh = open();
  EXPECT_EQ(MUST(publish_merge(fresh, plan)).outcome, Publishing::done);
  EXPECT_EQ(read(project_ + "/a.big"), "smudged\n");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/canary"));
}

}  // namespace
}  // namespace capsule::git
