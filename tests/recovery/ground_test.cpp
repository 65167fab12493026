// What agents do to the ground under their feet: to what binds their worktree to git, and to what
// is the user's. It is told, harms nobody, and a main that moved is for a person to look at.
#include <filesystem>

#include "tests/recovery/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Ground : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    place_ = make_place("project");
  }
  std::string status() const { return capsule_in(place_, {"status", kPlain}).out; }
  std::vector<event::GroundMoved> moved() const {
    std::vector<event::GroundMoved> found;
    for (const event::PipelineFact& fact : facts(place_, kPlain))
      if (const auto* one = std::get_if<event::GroundMoved>(&fact)) found.push_back(*one);
    return found;
  }
  std::string told() const {
    std::string text;
    for (const event::GroundMoved& one : moved())
      for (const std::string& what : one.what) text += what + "\n";
    return text;
  }
  Place place_;
};

TEST_F(Ground, AnAgentThatRemovesItsGitFileReachesNothingOfTheUsers) {
  write_file(place_.folder + "/README.md", "uncommitted work\n");
  // Each git call is given the chance to do its harm.
  before("execute",
         "rm .git\n"
         "git reset --hard >>\"$notes/git\" 2>&1 || true\n"
         "git checkout -b x >>\"$notes/git\" 2>&1 || true\n"
         "git commit -q -am y >>\"$notes/git\" 2>&1 || true\n");
  before("execute-review",
         "git rev-parse --show-toplevel >\"$notes/top\"; "
         "git symbolic-ref HEAD >>\"$notes/top\"");
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(read_file(note("git")), "not a git repository");
  EXPECT_EQ(read_file(note("top")), place_.worktree(kPlain) + "\nrefs/heads/capsule-plain-1\n");
  EXPECT_EQ(read_file(place_.folder + "/README.md"), "uncommitted work\n");
  EXPECT_EQ(git(place_, {"for-each-ref", "refs/heads/x"}), "");
  EXPECT_HAS(outcome.out, "its .git was gone; put back");
  EXPECT_HAS(status(), "its .git was gone; put back");
  git(place_, {"checkout", "-q", "--", "README.md"});
}

TEST_F(Ground, NobodyWorksOnInAWorktreeThatLeadsElsewhere) {
  before("test-writer", "printf 'gitdir: %s/.git\\n' '" + place_.folder + "' >.git");
  before("test-review", "git symbolic-ref HEAD >\"$notes/head\"");
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read_file(note("head")), "refs/heads/capsule-plain-1\n");
  EXPECT_HAS(outcome.out, "its .git did not lead to its own git dir any more; put back");
}

TEST_F(Ground, AQuietRunHasNothingToTell) {
  EXPECT_EQ(capsule_in(place_, {"run", kPlain}).exit_code, 0);
  EXPECT_EQ(told(), "");
}

TEST_F(Ground, WhatAnAgentDoesToTheUsersRepositoryIsToldWithItsName) {
  before("execute", "cd '" + place_.folder +
                        "'\ngit tag v1\ngit branch -q other\n"
                        "git config alias.hi status\necho 'exit 0' >.git/hooks/pre-push\n"
                        "echo more >>README.md\ngit add README.md\necho new >new.txt\n"
                        "echo log >ignored.log\ncd \"$OLDPWD\"");
  const Outcome outcome = capsule_in(place_, {"run", kPlain, "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  ASSERT_EQ(moved().size(), 1U) << told();
  EXPECT_EQ(moved().front().agents, std::vector<int>{3});
  EXPECT_EQ(moved().front().main, "");
  for (const char* what :
       {"refs/tags/v1 was made", "refs/heads/other was made", ".git/config was changed",
        ".git/hooks/pre-push was made", "what is staged in the checkout changed", "new.txt"}) {
    EXPECT_HAS(told(), what);
    EXPECT_HAS(outcome.out, what);
    EXPECT_HAS(status(), what);
  }
  EXPECT_HAS(outcome.out, "\"event\":\"ground_moved\"");
  EXPECT_HAS(status(), "while execute (agent 3) ran: ");
  EXPECT_EQ(told().find("ignored.log"), std::string::npos) << told();
  git(place_, {"reset", "-q", "--hard"});
  fs::remove(place_.folder + "/new.txt");
}

// Only asked for where it differs: a file that was touched, or that `git status` looked at, is as
// it was.
TEST_F(Ground, WhatOnlyLooksChangedIsNotTold) {
  before("execute",
         "touch '" + place_.folder + "/README.md'; git -C '" + place_.folder + "' pack-refs --all");
  before("execute-review", "git -C '" + place_.folder + "' status >/dev/null");
  EXPECT_EQ(capsule_in(place_, {"run", kPlain}).exit_code, 0);
  EXPECT_EQ(told(), "");
}

TEST_F(Ground, AFileOfTheUsersThatIsOverwrittenOrRemovedIsTold) {
  write_file(place_.folder + "/README.md", "my own words\n");
  write_file(place_.folder + "/notes.txt", "mine\n");
  before("execute", "echo theirs >'" + place_.folder + "/README.md'");
  before("execute-review", "rm '" + place_.folder + "/notes.txt'");
  EXPECT_EQ(capsule_in(place_, {"run", kPlain}).exit_code, 0);
  ASSERT_EQ(moved().size(), 2U) << told();
  EXPECT_HAS(moved()[0].what.front(), "files of the checkout changed: README.md");
  EXPECT_EQ(moved()[1].agents, std::vector<int>{4});
  EXPECT_HAS(moved()[1].what.front(), "files of the checkout changed: notes.txt");
  git(place_, {"checkout", "-q", "--", "README.md"});
}

class MovedByAnAgent : public Ground {
 protected:
  // An agent commits to main, in the user's checkout.
  Outcome run_it(const std::string& script) {
    main_ = git(place_, {"rev-parse", "main"});
    main_.pop_back();
    before("execute", script);
    return capsule_in(place_, {"run", kPlain});
  }
  std::string commits() const {
    return "echo theirs >'" + place_.folder + "/theirs.txt'\ngit -C '" + place_.folder +
           "' add theirs.txt\ngit -C '" + place_.folder + "' commit -q -m Theirs";
  }
  std::string subjects() const {
    return git(place_, {"log", "--first-parent", "--format=%s", "main"});
  }
  std::string main_;
};

TEST_F(MovedByAnAgent, MainIsForAPersonToLookAtBeforeAnythingIsMerged) {
  const Outcome outcome = run_it(commits());
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "main was moved to ");
  EXPECT_HAS(outcome.out, "while execute (agent 3) ran, and Capsule did not do that");
  EXPECT_HAS(outcome.out + outcome.err, "git log --oneline " + main_);
  EXPECT_HAS(outcome.out + outcome.err, "git reset --keep " + main_);
  EXPECT_HAS(status(), "capsule merge plain-1");
  EXPECT_EQ(subjects(), "Theirs\nStart\n");
  // The person puts it back, and has it merged: no agent but the one of merge was left to run.
  git(place_, {"reset", "-q", "--keep", main_});
  before("execute", "exit 1");
  before("sign-off", "exit 1");
  const Outcome merged = capsule_in(place_, {"merge", kPlain});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_EQ(subjects(), "Merge plain-1: Make plain-1\nStart\n");
}

TEST_F(MovedByAnAgent, MainMayBeKeptAsItIs) {
  EXPECT_EQ(run_it(commits()).exit_code, 1);
  const Outcome merged = capsule_in(place_, {"run", kPlain, "--resume"});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_EQ(subjects(), "Merge plain-1: Make plain-1\nTheirs\nStart\n");
}

TEST_F(MovedByAnAgent, ARefThatWasMovedUnderTheCheckoutLeavesNothingBehind) {
  // Its own unfinished work becomes main, which the checkout does not show.
  const Outcome outcome = run_it(
      "echo x >x.txt; git add x.txt; git commit -q -m Mine; "
      "git update-ref refs/heads/main HEAD");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "main was moved to ");
  git(place_, {"update-ref", "refs/heads/main", main_});
  const Outcome merged = capsule_in(place_, {"merge", kPlain});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_EQ(subjects(), "Merge plain-1: Make plain-1\nStart\n");
}

TEST_F(MovedByAnAgent, ACheckoutWhoseBranchWasMovedUnderItIsBroughtAlongWhenMainIsKept) {
  EXPECT_EQ(run_it("git checkout -q --detach; echo x >x.txt; git add x.txt; git commit -q -m Mine; "
                   "git update-ref refs/heads/main HEAD; git checkout -q capsule-plain-1")
                .exit_code,
            1);
  EXPECT_EQ(git(place_, {"status", "--porcelain"}), "D  x.txt\n");
  const Outcome merged = capsule_in(place_, {"merge", kPlain});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_EQ(subjects(), "Merge plain-1: Make plain-1\nMine\nStart\n");
  EXPECT_EQ(git(place_, {"status", "--porcelain"}), "");
}

TEST_F(MovedByAnAgent, AForgedMergeIsNoCapsules) {
  const Outcome outcome = run_it(
      "t=$(git rev-parse main^{tree}); w=$(git commit-tree -p main -m w $t); "
      "m=$(printf 'Merge plain-1: Make plain-1\\n\\nCapsule-Run: %s\\n' \"$CAPSULE_RUN\" | "
      "git commit-tree -p main -p $w $t); git update-ref refs/heads/main $m");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  const Outcome merged = capsule_in(place_, {"merge", kPlain});
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_TRUE(fs::exists(place_.folder + "/plain-1.txt")) << "a forged merge was taken for it";
}

TEST_F(Ground, TellIsEnoughWhereItIsConfigured) {
  const Place place = make_place("told", "on_main_moved: tell\n");
  before("execute", "echo theirs >'" + place.folder + "/theirs.txt'\ngit -C '" + place.folder +
                        "' add theirs.txt\ngit -C '" + place.folder + "' commit -q -m Theirs");
  const Outcome outcome = capsule_in(place, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "refs/heads/main moved from ");
  EXPECT_HAS(git(place, {"log", "--format=%s", "main"}), "Theirs\n");
}

// aider commits after every change.
TEST_F(Ground, AgentsThatCommitThemselvesReachMainWithoutLoss) {
  before("test-writer",
         "mkdir -p tests; echo 'grep -q done plain-1.txt' >tests/plain-1_test.sh\n"
         "git add tests; git commit -q -m 'aider: tests'\n"
         "say PASS there '\"tests/plain-1_test.sh\"'; exit 0");
  before("execute",
         "git checkout -q -b feature; echo done >plain-1.txt; echo y >second.txt\n"
         "git add .; git commit -q -m 'aider: one'; echo z >>second.txt\n"
         "git commit -q -am 'aider: two'\n"
         "say PASS green '\"plain-1.txt\",\"second.txt\"'; exit 0");
  before("merge",
         "[ -z \"$(git status --porcelain -- tests plain-1.txt second.txt)\" ]; "
         "say PASS committed; exit 0");
  const Outcome outcome = capsule_in(place_, {"run", kPlain});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git(place_, {"show", "main:second.txt"}), "y\nz\n");
  EXPECT_EQ(git(place_, {"show", "main:plain-1.txt"}), "done\n");
  EXPECT_HAS(git(place_, {"ls-tree", "-r", "--name-only", "main"}), "tests/plain-1_test.sh");
  git(place_, {"branch", "-q", "-D", "feature"});
}

}  // namespace
}  // namespace capsule::test
