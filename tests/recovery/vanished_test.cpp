// What a run stands on goes away while it works: the journal, its locks, its worktree. `git clean
// -fdx` and `rm -rf .capsule` do that, called by an agent or by a person. The run stops before the
// next fact and before a merge; nothing is lost, and starting again goes on.
#include <filesystem>

#include "base/text.h"
#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Vanished : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    place_ = make_place("project");
    config_ = read_file(place_.folder + "/.capsule/config.yaml");
    beads_ = read_file(place_.folder + "/.beads/issues.jsonl");
  }
  // Lines for the agent of `phase`, the first time only; what is not in git comes back later.
  void once(const std::string& phase, const std::string& script) const {
    before(phase, "if [ ! -e \"$notes/once\" ]; then : >\"$notes/once\"; (cd '" + place_.folder +
                      "' && " + script + "); fi");
  }
  void put_config_back() const {
    write_file(place_.folder + "/.capsule/config.yaml", config_);
    if (!has(".beads/issues.jsonl")) write_file(place_.folder + "/.beads/issues.jsonl", beads_);
  }
  std::string main() const { return git(place_, {"rev-parse", "main"}); }
  bool has(const std::string& file) const { return fs::exists(place_.folder + "/" + file); }

  // The run has stopped, nothing was merged; started again it gets to its end, with nothing twice.
  void expect_stopped_and_goes_on(const Outcome& outcome, const std::string& before) const {
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
    EXPECT_EQ(main(), before) << "something was merged";
    EXPECT_NE(git(place_, {"for-each-ref", "refs/capsule"}), "") << "the snapshots are gone";
    put_config_back();
    const Outcome status = capsule_in(place_, {"status"});
    EXPECT_HAS(status.out, kPlain) << "the run is forgotten";
    const Outcome again = capsule_in(place_, {"run", kPlain});
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    EXPECT_EQ(git(place_, {"log", "--merges", "--format=%s", "main"}),
              "Merge plain-1: Make plain-1\n");
    int written = 0;
    for (const event::PipelineFact& fact : facts(place_, kPlain))
      if (const auto* finished = std::get_if<event::PhaseFinished>(&fact))
        written += finished->phase == "test-writer" ? 1 : 0;
    EXPECT_EQ(written, 1) << "a finished phase was done again, or forgotten";
    for (const auto& entry : fs::directory_iterator(place_.folder + "/.capsule"))
      EXPECT_EQ(entry.path().filename().string().find("rescued"), std::string::npos);
  }

  Place place_;
  std::string config_, beads_;
};

TEST_F(Vanished, AfterGitCleanNothingIsMergedAndNothingIsLost) {
  once("execute", "git clean -fdxq && [ ! -e .capsule/journal.db ]");
  const std::string before = main();
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_HAS(outcome.err, ".capsule/journal.db was removed while the run went on");
  EXPECT_HAS(outcome.err, "written back");
  EXPECT_HAS(outcome.err, "start the same command again");
  EXPECT_HAS(outcome.err, ".capsule/config.yaml");
  expect_stopped_and_goes_on(outcome, before);
}

TEST_F(Vanished, AfterTheWholeFolderIsGoneTheWorktreeComesBackFromItsSnapshot) {
  once("execute", "rm -rf .capsule");
  const std::string before = main();
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  // The worktree, where it is seen before the journal is gone as well.
  EXPECT_HAS(outcome.err, " was removed while the run went on");
  expect_stopped_and_goes_on(outcome, before);
}

TEST_F(Vanished, AJournalThatGoesWhileMergedFilesAreCheckedStopsTheMerge) {
  // Main has moved, so the merged files are checked; the check is the last thing before main moves.
  put_config_back();
  write_file(place_.folder + "/.capsule/config.yaml",
             replace_all(config_, "verify: {baseline: red-allowed, test: '",
                         "on_main_moved: tell\nverify: {baseline: red-allowed, test: 'case $PWD in "
                         "*/tmp/*) [ ! -e "
                         "feature-on-main ] || [ -e " +
                             note("once") + " ] || { : >" + note("once") + "; rm -f " +
                             place_.folder + "/.capsule/journal.db*; };; esac; "));
  config_ = read_file(place_.folder + "/.capsule/config.yaml");
  before("merge",
         "(cd '" + place_.folder + "' && [ -e feature-on-main ] || { cd '" + place_.folder +
             "' && : >feature-on-main && git add feature-on-main && git commit -qm Theirs; })");
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_HAS(outcome.err, ".capsule/journal.db was removed while the run went on");
  EXPECT_EQ(git(place_, {"log", "-1", "--format=%s", "main"}), "Theirs\n");
  expect_stopped_and_goes_on(outcome, main());
}

TEST_F(Vanished, ALockThatIsGoneStopsTheRun) {
  once("execute", "rm -rf .capsule/locks");
  const std::string before = main();
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_HAS(outcome.err, "the lock of this run");
  expect_stopped_and_goes_on(outcome, before);
}

TEST_F(Vanished, AWorktreeThatIsGoneStopsTheRunAndComesBack) {
  once("execute", "rm -rf \"$CAPSULE_WORKTREE\"");
  const std::string before = main();
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_HAS(outcome.err, "worktree");
  EXPECT_HAS(outcome.err, "was removed while the run went on");
  EXPECT_HAS(outcome.err, "snapshot");
  expect_stopped_and_goes_on(outcome, before);
}

TEST_F(Vanished, ALastLineTellsProgramsOfIt) {
  once("execute", "rm -f .capsule/journal.db*");
  const Outcome outcome = capsule_in(place_, {"run", kPlain, "--json"});
  EXPECT_EQ(outcome.exit_code, 2);
  const std::vector<std::string> lines = lines_in(outcome.out);
  ASSERT_FALSE(lines.empty());
  const Json last = Json::parse(lines.back());
  EXPECT_EQ(last["event"], "run_finished");
  EXPECT_EQ(last["exit_code"], 2);
  EXPECT_EQ(last["standing"], "open");
  EXPECT_EQ(last["outcome"], nullptr);
  EXPECT_HAS(last["error"].get<std::string>(), "was removed while the run went on");
  EXPECT_HAS(last["hint"].get<std::string>(), "start the same command again");
}

TEST_F(Vanished, ASecondRunDoesNotEnterALiveWorktreeWhoseLocksAndJournalAreGone) {
  hold("execute");
  const std::string before_it = main();
  Running first(calling(place_, {"run", kPlain}));
  ASSERT_TRUE(waiting()) << first.err_so_far();
  for (const char* name : {"journal.db", "journal.db-wal", "journal.db-shm", "journal.db-mark"})
    fs::remove(place_.folder + "/.capsule/" + name);
  fs::remove_all(place_.folder + "/.capsule/locks");
  for (const char* flag : {"--resume", "--clean"}) {
    const Outcome second = capsule_in(place_, {"run", kPlain, flag});
    EXPECT_EQ(second.exit_code, 2) << second.out;
    EXPECT_HAS(second.err, "is being worked on by process " + std::to_string(first.pid()));
  }
  EXPECT_TRUE(fs::exists(place_.worktree(kPlain))) << "the live worktree was removed";
  release();
  const Outcome outcome = first.wait();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  // The second one has begun a new journal, which is empty: it takes all that the first recorded.
  before("execute", "");
  expect_stopped_and_goes_on(outcome, before_it);
}

}  // namespace
}  // namespace capsule::test
