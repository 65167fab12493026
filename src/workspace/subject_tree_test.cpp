// The tree of a bead: planned, with a worklog, under the bead's own name.
#include "workspace/test_support.h"
#include "workspace/trees.h"

namespace capsule::workspace {
namespace {

namespace fs = std::filesystem;

class SubjectTree : public TreesFixture {
 protected:
  void SetUp() override {
    TreesFixture::SetUp();
    settings_.advice = Advice::bead;
    settings_.subject = "bead-1";
    settings_.worklog = Worklog{
        "# {{TASK_ID}} {{TIMESTAMP}}\n\n## Phase 1: test-writer\n\n"
        "## Phase 2: test-review\n",
        {},
        [] { return std::string("2026-01-01T00:00:00Z"); }};
    settings_.worklog->briefing.task_id = "bead-1";
  }
  // Opened as it was planned.
  std::string opened(Trees& all) {
    const auto planned = all.plan({"bead-1", ""});
    EXPECT_TRUE(planned);
    const auto made = all.open({planned->tree, planned->folder, planned->branch, planned->base});
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? made->folder : "";
  }
  workflow::Keep phase_kept(int number, const std::string& phase, const std::string& parent) const {
    workflow::Keep command = keeping("bead-1", std::to_string(number) + "-" + phase);
    command.message = phase + ": done";
    command.parent = parent;
    command.notes = {{phase, 1, signal::Status::pass, "a summary", ""}};
    return command;
  }
  workflow::StartAgent phase(const std::string& name) const {
    return agent("bead-1", name, workflow::Settle::leave);
  }
  std::string refs() {
    return git(project_, {"for-each-ref", "--format=%(refname)", "refs/capsule"});
  }
};

TEST_F(SubjectTree, IsPlannedAndOpenedUnderTheNameOfTheBeadWithItsWorklog) {
  const auto all = trees();
  const std::string path = opened(*all);
  EXPECT_EQ(path, project_ + "/.capsule/worktrees/bead-1");
  EXPECT_EQ(git(path, {"rev-parse", "--abbrev-ref", "HEAD"}), "capsule-bead-1");
  EXPECT_TRUE(read(path + "/worklog.md").starts_with("# bead-1 2026-01-01T00:00:00Z"));
}

TEST_F(SubjectTree, IsNotPlannedWhereSomethingIs) {
  write(project_ + "/.capsule/worktrees/bead-1", "a file\n");
  EXPECT_NE(message_of(trees()->plan({"bead-1", ""})).find("already exists"), std::string::npos);
}

TEST_F(SubjectTree, StartsFromTheBranchThatIsNamed) {
  git(project_, {"branch", "feature"});
  write(project_ + "/x", "x");
  commit(project_, {"x"}, "x");
  EXPECT_EQ(MUST(trees()->plan({"bead-1", "feature"})).base,
            git(project_, {"rev-parse", "feature"}));
  EXPECT_NE(message_of(trees()->plan({"bead-1", "--all"})).find("no branch"), std::string::npos);
}

TEST_F(SubjectTree, OneThatACutOffLeftIsOurs) {
  const auto planned = MUST(trees()->plan({"bead-1", ""}));
  const workflow::OpenTree command{planned.tree, planned.folder, planned.branch, planned.base};
  MUST(trees()->open(command));
  MUST(trees()->open(command));
  write(project_ + "/x", "x");
  commit(project_, {"x"}, "x");
  workflow::OpenTree other = command;
  other.base = git(project_, {"rev-parse", "HEAD"});
  EXPECT_NE(message_of(trees()->open(other)).find("already exists"), std::string::npos);
}

TEST_F(SubjectTree, APhaseThatLeftNoEntryGetsOneOnce) {
  const auto all = trees();
  const std::string path = opened(*all);
  MUST(all->prepare(phase("test-writer")));
  const auto first = MUST(all->keep(phase_kept(1, "test-writer", all->base_of("bead-1"))));
  EXPECT_EQ(first.ref, "refs/capsule/" + run_ + "/1-test-writer");
  const std::string noted = read(path + "/worklog.md");
  EXPECT_NE(noted.find("a summary"), std::string::npos);
  // Again, by a process that found it unrecorded: nothing is noted twice.
  MUST(trees()->keep(phase_kept(1, "test-writer", all->base_of("bead-1"))));
  EXPECT_EQ(read(path + "/worklog.md"), noted);
  EXPECT_EQ(refs(), first.ref);
  // Another phase writes its own.
  MUST(all->prepare(phase("test-review")));
  write(path + "/worklog.md", noted + "mine\n");
  MUST(all->keep(phase_kept(2, "test-review", first.commit)));
  EXPECT_EQ(read(path + "/worklog.md"), noted + "mine\n");
}

TEST_F(SubjectTree, AWorklogThatIsAFolderOrALinkIsNotWrittenThrough) {
  const auto all = trees();
  const std::string path = opened(*all);
  fs::remove(path + "/worklog.md");
  fs::create_directories(path + "/worklog.md");
  MUST(all->keep(phase_kept(1, "test-writer", all->base_of("bead-1"))));
  EXPECT_TRUE(fs::is_directory(path + "/worklog.md"));
  fs::remove(path + "/worklog.md");
  write(root_ + "/secret", "secret\n");
  fs::create_symlink(root_ + "/secret", path + "/worklog.md");
  MUST(all->keep(phase_kept(2, "test-review", all->base_of("bead-1"))));
  EXPECT_EQ(read(root_ + "/secret"), "secret\n");
}

TEST_F(SubjectTree, TreesThatDifferInTheWorklogAloneAreTheSameForAReview) {
  const auto all = trees();
  const std::string path = opened(*all);
  const auto first = MUST(all->keep(phase_kept(1, "test-writer", all->base_of("bead-1"))));
  write(path + "/worklog.md", "grown\n");
  workflow::Keep again = phase_kept(2, "test-review", first.commit);
  again.notes.clear();
  again.same_as = first.tree_id;
  EXPECT_EQ(MUST(all->keep(again)).tree_id, first.tree_id);
  write(path + "/other.c", "x\n");
  again.label = "3-test-review";
  EXPECT_NE(MUST(all->keep(again)).tree_id, first.tree_id);
}

TEST_F(SubjectTree, ACutOffPhaseStartsAgainOnWhatItStartedFrom) {
  const auto all = trees();
  const std::string path = opened(*all);
  write(path + "/tests.c", "tests\n");
  const auto first = MUST(all->keep(phase_kept(1, "test-writer", all->base_of("bead-1"))));
  write(path + "/tests.c", "half\n");
  MUST(trees()->take_back(taking_back("bead-1", "2-execute-unfinished", first.commit)));
  EXPECT_EQ(read(path + "/tests.c"), "tests\n");
  EXPECT_EQ(git(project_, {"show", "refs/capsule/" + run_ + "/2-execute-unfinished:tests.c"}),
            "half");
  // The folder may be gone altogether.
  fs::remove_all(path);
  MUST(trees()->take_back(taking_back("bead-1", "2-execute-unfinished", first.commit)));
  EXPECT_EQ(read(path + "/tests.c"), "tests\n");
}

TEST_F(SubjectTree, ACutOffFirstPhaseStartsAgainOnAFreshTreeAndItsLogIsKept) {
  const auto all = trees();
  const std::string path = opened(*all);
  write(path + "/half.c", "half\n");
  write(path + "/.capsule/output/test-writer.log", "the log\n");
  MUST(all->take_back(taking_back("bead-1", "1-test-writer-unfinished")));
  EXPECT_FALSE(fs::exists(path + "/half.c"));
  EXPECT_TRUE(read(path + "/worklog.md").starts_with("# bead-1"));
  EXPECT_EQ(read(project_ + "/.capsule/logs/bead-1/test-writer.log"), "the log\n");
  EXPECT_EQ(git(project_, {"show", "refs/capsule/" + run_ + "/1-test-writer-unfinished:half.c"}),
            "half");
}

TEST_F(SubjectTree, WhatAPersonInterruptedIsKeptAndStays) {
  const auto all = trees();
  const std::string path = opened(*all);
  write(path + "/half.c", "half\n");
  workflow::TakeBack command = taking_back("bead-1", "1-test-writer-unfinished");
  command.keep_only = true;
  MUST(all->take_back(command));
  EXPECT_EQ(read(path + "/half.c"), "half\n");
}

TEST_F(SubjectTree, WhereSomethingElseIsInItsPlaceNobodyWorks) {
  const auto all = trees();
  const std::string path = opened(*all);
  fs::remove_all(path);
  EXPECT_NE(message_of(all->prepare(phase("execute"))).find("is gone"), std::string::npos);
  fs::create_directory_symlink(root_, path);
  const std::string message = message_of(all->prepare(phase("execute")));
  EXPECT_NE(message.find("is gone: something else is in its place"), std::string::npos);
  EXPECT_NE(message.find("capsule run bead-1 --resume"), std::string::npos);
  EXPECT_FALSE(all->folder_of("bead-1"));
}

TEST_F(SubjectTree, AReaderBeforeAnythingWasKeptDoesNotCostTheWorklog) {
  const auto all = trees();
  const std::string path = opened(*all);
  const std::string worklog = read(path + "/worklog.md");
  workflow::StartAgent looks = reader("bead-1");
  MUST(all->prepare(looks));
  write(path + "/README", "meddled\n");
  EXPECT_EQ(MUST(all->settle(looks)).took_back, std::vector<std::string>{"README"});
  EXPECT_EQ(read(path + "/worklog.md"), worklog);
}

TEST_F(SubjectTree, OneMadeByOtherMeansIsAdoptedFromWhereItLeftMain) {
  const std::string base = git(project_, {"rev-parse", "HEAD"});
  const std::string path = project_ + "/.capsule/worktrees/bead-1";
  EXPECT_FALSE(trees()->adopt("bead-1"));
  fs::create_directories(path);
  EXPECT_NE(message_of(trees()->adopt("bead-1")).find("is no worktree"), std::string::npos);
  fs::remove(path);
  git(project_, {"worktree", "add", "-q", "-b", "capsule-bead-1", path});
  write(path + "/new.c", "new\n");
  commit(path, {"new.c"}, "work");
  const auto adopted = MUST(trees()->adopt("bead-1"));
  EXPECT_EQ(adopted.base, base);
  EXPECT_EQ(adopted.branch, "capsule-bead-1");
}

TEST_F(SubjectTree, IsArchivedAndRemoved) {
  const auto all = trees();
  const std::string path = opened(*all);
  EXPECT_EQ(MUST(all->archive({"bead-1", path, "bead-1"})).folder,
            project_ + "/.capsule/logs/bead-1");
  MUST(all->remove({"bead-1", path, "capsule-bead-1", false}));
  MUST(all->remove({"bead-1", path, "capsule-bead-1", false}));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(read(project_ + "/.capsule/logs/bead-1/worklog.md").starts_with("# bead-1"));
}

}  // namespace
}  // namespace capsule::workspace
