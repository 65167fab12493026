#include "workspace/merge.h"

#include <optional>

#include "process/test_support.h"
#include "workspace/test_support.h"

namespace capsule::workspace {
namespace {

namespace fs = std::filesystem;
using event::MergeRefusal;
using workflow::Merge;
using workflow::Merged;
using workflow::MergeRefused;

class MergesTest : public TreesFixture {
 protected:
  // One try, to its end. `meanwhile` is called while the checks run.
  workflow::Observation merged(Trees& all, const Merge& merge,
                               const std::function<void()>& meanwhile = {}) {
    gate::Checks checks(*loop_, verify_, [this] { return stopped_; });
    gate::Seen seen("", verify_, "");
    Merges merges(all, checks, seen, files_);
    std::optional<workflow::Observation> answer;
    merges.merge(merge, [&](workflow::Observation made) { answer = std::move(made); });
    if (meanwhile) meanwhile();
    loop_->run_while([&] { return !answer; });
    if (const auto* failed = std::get_if<workflow::CommandFailed>(&*answer))
      last_error_ = failed->detail;
    return *answer;
  }
  template <class Wanted>
  Wanted must(const workflow::Observation& seen) {
    EXPECT_TRUE(std::holds_alternative<Wanted>(seen)) << name_of(seen) << " " << last_error_;
    return std::holds_alternative<Wanted>(seen) ? std::get<Wanted>(seen) : Wanted{};
  }
  // The state that counts of a task whose tree has one more file.
  static Merge task(const std::string& tree, const std::string& title = "Title") {
    Merge merge;
    merge.tree = merge.task = tree;
    merge.title = title;
    merge.of = Merge::Of::kept;
    return merge;
  }
  std::string worked(Trees& all, const std::string& tree, const std::string& name,
                     const std::string& text) {
    const auto path = all.prepare(writer(tree));
    EXPECT_TRUE(path);
    write(*path + "/" + name, text);
    EXPECT_TRUE(all.settle(writer(tree)));
    return *path;
  }
  void move_main(const std::string& name = "other.txt") {
    write(project_ + "/" + name, "of others\n");
    commit(project_, {name}, "Others");
  }
  // The branch of a bead with one commit, and the snapshot of what was signed off.
  Merge signed_branch(Trees& all) {
    const auto planned = all.plan({"bead-1", ""});
    EXPECT_TRUE(planned);
    const auto opened = all.open({"bead-1", planned->folder, planned->branch, planned->base});
    EXPECT_TRUE(opened);
    write(opened->folder + "/new.c", "new\n");
    write(opened->folder + "/debug.log", "noise\n");
    const auto kept = all.keep(keeping("bead-1", "1-sign-off"));
    EXPECT_TRUE(kept);
    commit(opened->folder, {"new.c"}, "bead-1: Title");
    Merge merge;
    merge.tree = merge.task = "bead-1";
    merge.title = "Title";
    merge.branch = opened->branch;
    merge.base = opened->base;
    merge.signed_off = kept->commit;
    merge.was_signed_off = true;
    merge.claimed = {"new.c"};
    merge.test = Merge::Test::when_unseen;
    return merge;
  }
  void for_a_bead() {
    settings_.subject = "bead-1";
    settings_.advice = Advice::bead;
  }
  void verify_with(const std::string& test, const std::string& build = "") {
    verify_ = {};
    verify_.add("build", {{}, build});
    verify_.add("test", {{}, test});
  }

  gate::Verify verify_;
  gate::ProjectFiles files_;
  bool stopped_ = false;
  std::string last_error_;
  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
};

TEST_F(MergesTest, WorkThatNobodyCommittedReachesMainWithoutExcludedFiles) {
  const auto all = trees();
  const std::string path = worked(*all, "T-1", "new.txt", "new\n");
  write(path + "/scratch.tmp", "x");
  ASSERT_TRUE(all->settle(writer("T-1")));
  const auto done = must<Merged>(merged(*all, task("T-1")));
  EXPECT_EQ(done.files, std::vector<std::string>{"new.txt"});
  EXPECT_EQ(done.left_out, std::vector<std::string>{"scratch.tmp"});
  EXPECT_EQ(main_file("new.txt"), "new");
  EXPECT_NE(git_code(project_, {"show", "main:scratch.tmp"}), 0);
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s", "main"}), "Merge T-1: Title");
  // Cut off before it was recorded: found done, by whichever process.
  const auto again = must<Merged>(merged(*trees(), task("T-1")));
  EXPECT_TRUE(again.adopted);
  EXPECT_EQ(again.commit, done.commit);
}

TEST_F(MergesTest, FilesThatRunByThemselvesAreNamedAlsoWhenTheMergeIsFoundDone) {
  const auto all = trees();
  worked(*all, "T-1", ".envrc", "export A=1\n");
  Merge tried = task("T-1");
  tried.into = Merge::Into::nowhere;
  const std::vector<event::SelfRunning> files{{".envrc", "a shell that enters the folder"}};
  EXPECT_EQ(must<workflow::MergeTried>(merged(*all, tried)).self_running, files);
  EXPECT_EQ(must<Merged>(merged(*all, task("T-1"))).self_running, files);
  const auto again = must<Merged>(merged(*trees(), task("T-1")));
  EXPECT_TRUE(again.adopted);
  EXPECT_EQ(again.self_running, files);
}

TEST_F(MergesTest, CommitsOfTheAgentCountToo) {
  const auto all = trees();
  const std::string path = MUST(all->prepare(writer("T-1")));
  write(path + "/a.txt", "a\n");
  commit(path, {"a.txt"}, "mine");
  worked(*all, "T-1", "b.txt", "b\n");
  must<Merged>(merged(*all, task("T-1")));
  EXPECT_EQ(main_file("a.txt") + main_file("b.txt"), "ab");
}

TEST_F(MergesTest, WhatAReaderWroteNeverReachesMain) {
  const auto all = trees();
  const std::string path = worked(*all, "T-1", "work.txt", "work\n");
  write(path + "/work.txt", "meddled, and not settled yet\n");
  must<Merged>(merged(*all, task("T-1")));
  EXPECT_EQ(main_file("work.txt"), "work");
}

TEST_F(MergesTest, ATaskThatChangedNothingHasNothingToMerge) {
  const auto all = trees();
  MUST(all->prepare(writer("T-1")));
  const auto done = must<Merged>(merged(*all, task("T-1")));
  EXPECT_TRUE(done.nothing);
  EXPECT_EQ(done.commit, git(project_, {"rev-parse", "main"}));
}

TEST_F(MergesTest, InTheCheckoutThereIsNothingToMerge) {
  settings_.checkout = "checkout";
  EXPECT_TRUE(must<Merged>(merged(*trees(), task("checkout"))).nothing);
}

TEST_F(MergesTest, AConflictNamesItsFilesInTheWordsOfTheWorkflow) {
  const auto all = trees();
  worked(*all, "T-1", "README", "one\n");
  worked(*all, "T-2", "README", "two\n");
  must<Merged>(merged(*all, task("T-1")));
  const auto refused = must<MergeRefused>(merged(*all, task("T-2")));
  EXPECT_EQ(refused.why, MergeRefusal::conflict);
  EXPECT_EQ(refused.detail, "The work conflicts with the newest main branch in:\n- README\n");
  settings_.advice = Advice::auto_run;
  const auto person = must<MergeRefused>(merged(*trees(), task("T-2")));
  EXPECT_TRUE(person.detail.starts_with("conflict with main in README\n"));
  EXPECT_TRUE(person.detail.ends_with("capsule auto continue"));
}

TEST_F(MergesTest, MainDoesNotMoveWhenACheckFailsOnTheMergedFiles) {
  verify_with("test ! -e new.txt", "echo broken; exit 2");
  const auto all = trees();
  worked(*all, "T-1", "new.txt", "new\n");
  const std::string main = git(project_, {"rev-parse", "main"});
  const auto refused = must<MergeRefused>(merged(*all, task("T-1")));
  EXPECT_EQ(refused.why, MergeRefusal::verify_failed);
  EXPECT_EQ(refused.failed, (std::vector<std::string>{"build", "test"}));
  EXPECT_NE(refused.detail.find("exit status 2\nbroken"), std::string::npos) << refused.detail;
  EXPECT_EQ(git(project_, {"rev-parse", "main"}), main);
  EXPECT_TRUE(fs::is_empty(project_ + "/.capsule/tmp"));
}

TEST_F(MergesTest, AFailureThatWasThereBeforeMayBeThereStill) {
  verify_with("exit 1");
  const auto all = trees();
  worked(*all, "T-1", "new.txt", "new\n");
  Merge merge = task("T-1");
  merge.known = {"test"};
  must<Merged>(merged(*all, merge));
}

TEST_F(MergesTest, WhichFilesAreTestsIsForTheConfigurationToSay) {
  write(project_ + "/proofs/parses_dates", "ok 1 - parses_dates\n");
  write(project_ + "/proofs/parses_names", "ok 2 - parses_names\n");
  commit(project_, {"proofs"}, "Proofs");
  verify_with("cat proofs/*");
  verify_.test_report = "tap";
  const auto all = trees();
  const std::string path = worked(*all, "T-1", "new.txt", "new\n");
  fs::remove(path + "/proofs/parses_dates");
  ASSERT_TRUE(all->settle(writer("T-1")));
  Merge merge = task("T-1");
  merge.request = "Dates are gone: remove parses_dates";
  EXPECT_EQ(must<MergeRefused>(merged(*all, merge)).why, MergeRefusal::verify_failed)
      << "no file of tests was touched, and a test is gone";
  files_.test_files = {"proofs/"};
  must<Merged>(merged(*all, merge));
}

TEST_F(MergesTest, WhenOthersMoveMainMeanwhileNothingIsDoneAndTheNextTrySeesIt) {
  verify_with("test -e new.txt");
  const auto all = trees();
  worked(*all, "T-1", "new.txt", "new\n");
  must<workflow::MainMoved>(merged(*all, task("T-1"), [this] { move_main(); }));
  EXPECT_NE(git_code(project_, {"show", "main:new.txt"}), 0);
  must<Merged>(merged(*all, task("T-1")));
  EXPECT_EQ(main_file("new.txt") + main_file("other.txt"), "newof others");
}

TEST_F(MergesTest, AFileOfThePersonInTheWayIsNotOverwritten) {
  const auto all = trees();
  worked(*all, "T-1", "new.txt", "new\n");
  write(project_ + "/new.txt", "mine\n");
  const auto refused = must<MergeRefused>(merged(*all, task("T-1")));
  EXPECT_EQ(refused.why, MergeRefusal::checkout_in_the_way);
  EXPECT_EQ(read(project_ + "/new.txt"), "mine\n");
}

TEST_F(MergesTest, WhatPeopleStopIsNeitherMergedNorRefused) {
  verify_with("exit 1");
  const auto all = trees();
  worked(*all, "T-1", "new.txt", "new\n");
  const auto failed =
      must<workflow::CommandFailed>(merged(*all, task("T-1"), [this] { stopped_ = true; }));
  EXPECT_EQ(failed.reason, Reason::interrupted);
}

TEST_F(MergesTest, ATreeThatIsGoneIsAFailureOfOursAndNoMerge) {
  const auto all = trees();
  const std::string path = worked(*all, "T-1", "new.txt", "new\n");
  fs::remove_all(path);
  EXPECT_EQ(must<workflow::CommandFailed>(merged(*all, task("T-1"))).reason, Reason::not_found);
}

TEST_F(MergesTest, WhatWasSignedOffIsMergedWithoutAnotherTest) {
  for_a_bead();
  verify_with("exit 1");
  const auto all = trees();
  settings_.exclude.emplace_back("*.log");
  const auto again = trees();
  Merge merge = signed_branch(*again);
  merge.trailers = {"Capsule-Model: opus"};
  const auto done = must<Merged>(merged(*again, merge));
  EXPECT_EQ(main_file("new.c"), "new");
  EXPECT_EQ(
      git(project_, {"log", "-1", "--format=%(trailers:key=Capsule-Model,valueonly)", "main"}),
      "opus");
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%(trailers:key=Capsule-Run,valueonly)", "main"}),
            run_);
  // Also found when the branch is gone.
  MUST(again->remove({"bead-1", "", "", false}));
  EXPECT_EQ(must<Merged>(merged(*trees(), merge)).commit, done.commit);
}

TEST_F(MergesTest, WhatDiffersFromWhatWasSignedOffIsTested) {
  for_a_bead();
  verify_with("exit 1");
  const auto all = trees();
  const Merge merge = signed_branch(*all);  // debug.log is left behind
  const auto refused = must<MergeRefused>(merged(*all, merge));
  EXPECT_EQ(refused.why, MergeRefusal::verify_failed);
  EXPECT_TRUE(refused.detail.starts_with("the checks fail on the merged files")) << refused.detail;
  verify_with("true");
  must<Merged>(merged(*all, merge));
}

TEST_F(MergesTest, AMovedMainIsTestedWithTheWork) {
  for_a_bead();
  settings_.exclude.emplace_back("*.log");
  verify_with("test ! -e other.txt || test ! -e new.c");
  const auto all = trees();
  const Merge merge = signed_branch(*all);
  move_main();
  EXPECT_EQ(must<MergeRefused>(merged(*all, merge)).why, MergeRefusal::verify_failed)
      << "main passes, and the work passed: only both together do not";
}

TEST_F(MergesTest, AMainThatFailsByItselfIsNotTheWorksFault) {
  for_a_bead();
  settings_.exclude.emplace_back("*.log");
  verify_with("test ! -e other.txt");
  const auto all = trees();
  const Merge merge = signed_branch(*all);
  move_main();
  const auto refused = must<MergeRefused>(merged(*all, merge));
  EXPECT_EQ(refused.why, MergeRefusal::main_red);
  EXPECT_EQ(refused.main, git(project_, {"rev-parse", "main"}));
  EXPECT_EQ(refused.failed, (std::vector<std::string>{"test"}));
  EXPECT_NE(refused.detail.find("is red since"), std::string::npos) << refused.detail;
}

TEST_F(MergesTest, WorkThatTheCommitLacksIsMissed) {
  for_a_bead();
  const auto all = trees();
  Merge merge = signed_branch(*all);
  merge.claimed.emplace_back("debug.log");
  const auto refused = must<MergeRefused>(merged(*all, merge));
  EXPECT_EQ(refused.why, MergeRefusal::work_missing);
  EXPECT_TRUE(refused.detail.starts_with("the commit lacks what was signed off: debug.log\n"));
  EXPECT_TRUE(refused.detail.ends_with("capsule merge bead-1"));
}

TEST_F(MergesTest, ABranchWithoutACommitHasNothingToMerge) {
  for_a_bead();
  const auto all = trees();
  Merge merge = signed_branch(*all);
  git(project_ + "/.capsule/worktrees/bead-1", {"reset", "-q", "--hard", merge.base});
  EXPECT_EQ(must<MergeRefused>(merged(*all, merge)).why, MergeRefusal::nothing_to_merge);
}

TEST_F(MergesTest, CommitsOfAnotherBranchAreNotBroughtToMain) {
  for_a_bead();
  git(project_, {"checkout", "-q", "-b", "feature"});
  move_main();
  const auto all = trees();
  EXPECT_EQ(must<MergeRefused>(merged(*all, signed_branch(*all))).why,
            MergeRefusal::foreign_commits);
}

TEST_F(MergesTest, AHostileTitleAndKeyStayInOneLineOfTheMessage) {
  const auto all = trees();
  const std::string key = "T-1\n\nCapsule-Run: forged";
  worked(*all, key, "new.txt", "new\n");
  must<Merged>(merged(*all, task(key, "x\n\nCapsule-Run: forged\n")));
  EXPECT_EQ(git(project_, {"log", "-1", "--format=%s", "main"}).find('\n'), std::string::npos);
  EXPECT_NE(git(project_, {"log", "-1", "--format=%(trailers:key=Capsule-Run,valueonly)", "main"}),
            "forged");
}

}  // namespace
}  // namespace capsule::workspace
