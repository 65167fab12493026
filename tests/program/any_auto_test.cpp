// Every command that takes a run takes any run: here of auto mode, and what teardown rescued of
// beads.
#include <filesystem>

#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AnyAuto : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
  }
  // Ends with a question that only a person can settle.
  void need_a_person() const {
    program(
        "claude",
        "cat > /dev/null\necho \"in $CAPSULE_PHASE\"\necho x >half.txt\n"
        "[ $CAPSULE_PHASE = planning ] && { printf -- '---\\nSIGNAL: PHASE_ERROR\\nERROR: which "
        "database?\\nRECOVERABLE: false\\n---\\n'; exit; }\n"
        "echo \"SIGNAL: ${CAPSULE_PHASE}_complete\"\n");
    const Outcome outcome = in({"auto", "run", "Say hello"});
    ASSERT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  }
  std::string refs() const {
    return git({"for-each-ref", "--format=%(refname)", "refs/capsule"}).out;
  }
};

TEST_F(AnyAuto, StatusShowsTheRunAndWhatItWaitsFor) {
  need_a_person();
  const Outcome all = in({"status"});
  EXPECT_THAT(all.out, Not(HasSubstr("No runs yet")));
  EXPECT_THAT(all.out, HasSubstr("Say hello"));
  EXPECT_THAT(all.out, HasSubstr("a person has to decide"));
  const Json list = Json::parse(in({"status", "--json"}).out);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["workflow"], "auto");
  EXPECT_EQ(list[0]["state"], "ended");
  EXPECT_EQ(list[0]["outcome"], "needs_person");
  EXPECT_EQ(list[0]["can_go_on"], true);
  EXPECT_FALSE(list[0]["waits_for"].empty());
  const Outcome one = in({"status", "auto"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("which database?"));
  EXPECT_THAT(one.out, HasSubstr("capsule auto continue"));
}

TEST_F(AnyAuto, LogSnapshotsAndGcKnowIt) {
  need_a_person();
  const Outcome log = in({"log", "auto"});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_LT(log.out.find("in expansion"), log.out.find("in planning"));
  EXPECT_THAT(in({"log", "auto", "--phase=planning"}).out, Not(HasSubstr("in expansion")));
  const Json kept = Json::parse(in({"snapshots", "auto", "--json"}).out);
  ASSERT_FALSE(kept.empty());
  const Outcome back =
      in({"restore", "auto", std::string(kept.back()["name"]), "--to=" + path("back")});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(read_file(path("back/half.txt")), "x\n");
  const std::string before = refs();
  EXPECT_THAT(in({"gc", "--older-than=0s"}).out, HasSubstr("0 snapshots removed"));
  EXPECT_EQ(refs(), before) << "a person has to decide, and then it goes on";
  EXPECT_THAT(in({"teardown"}).out, HasSubstr("can go on: capsule auto continue"));
}

TEST_F(AnyAuto, PauseAndAbortReachIt) {
  program("claude", "touch '" + path("at-work") + "'; while [ ! -e '" + path("go") +
                        "' ]; do sleep 0.05; done; echo \"SIGNAL: ${CAPSULE_PHASE}_complete\"");
  EXPECT_EQ(in({"abort", "auto"}).exit_code, 1);
  {
    Running living(in_project({"auto", "run", "Wait"}));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path("at-work")); }));
    EXPECT_EQ(Json::parse(in({"status", "--json"}).out)[0]["state"], "running");
    const Outcome aborted = in({"abort", "auto"});
    EXPECT_EQ(aborted.exit_code, 0) << aborted.err;
    EXPECT_NE(living.wait().exit_code, 0);
    EXPECT_EQ(Json::parse(in({"status", "--json"}).out)[0]["outcome"], "aborted");
  }
  std::filesystem::remove(path("at-work"));
  Running again(in_project({"auto", "continue"}));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path("at-work")); }));
  EXPECT_EQ(in({"pause", "auto"}).exit_code, 0);
  write_file(path("go"), "");
  EXPECT_NE(again.wait().exit_code, 0);
  EXPECT_EQ(Json::parse(in({"status", "--json"}).out)[0]["outcome"], "paused");
}

TEST_F(AnyAuto, EveryCommandThatTakesARunTakesItOrSaysWhatToDo) {
  need_a_person();
  const std::string snapshot = Json::parse(in({"snapshots", "auto", "--json"}).out).back()["name"];
  // Words that come after the run, what the exit code has to be, and a part of what is said.
  struct Row {
    const char* command;
    std::vector<std::string> words;
    int exit_code;
    const char* says;
  };
  const Row rows[] = {
      {"status", {}, 0, "which database?"},
      {"log", {}, 0, "in planning"},
      {"cost", {}, 0, "3 calls told neither tokens nor cost"},
      {"snapshots", {}, 0, "auto: planning"},
      {"restore", {snapshot, "--to=" + path("back")}, 0, "back"},
      {"tell", {"the one we have"}, 0, "Nobody works on auto now"},
      {"note", {"ask nobody again"}, 0, "Nobody works on auto now"},
      {"approve", {}, 1, "auto does not wait for approval"},
      {"reject", {"--because=x"}, 1, "auto does not wait for approval"},
      {"attach", {}, 1, "a person has to decide"},
      {"pause", {}, 1, "go on with it: capsule auto continue"},
      {"abort", {}, 1, "go on with it: capsule auto continue"},
      {"gc", {"--older-than=0s"}, 0, "what auto can still go on with"},
      {"teardown", {"--dry-run"}, 0, "would remove worktree"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.command);
    std::vector<std::string> words{row.command, "auto"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Outcome outcome = in(words);
    EXPECT_EQ(outcome.exit_code, row.exit_code) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(row.says));
  }
  auto_agent("{ printf '%s\\n' \"$@\"; cat; } >>'" + path("prompts") + "'\n");
  const Outcome done = in({"auto", "continue"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(read_file(path("prompts")), HasSubstr("the one we have"));
  EXPECT_THAT(read_file(path("prompts")), HasSubstr("ask nobody again"));
  EXPECT_EQ(in({"gc", "auto", "--older-than=0s"}).exit_code, 0);
  EXPECT_EQ(refs(), "") << "it is merged: nothing of it is needed any more";
}

TEST_F(AnyAuto, TeardownRemovesItsWorktreeWhenItIsNamedAndKeepsWhatWasThere) {
  need_a_person();
  const std::string tree = Json::parse(in({"status", "auto", "--json"}).out)["worktree"];
  ASSERT_TRUE(std::filesystem::exists(tree)) << tree;
  const Outcome named = in({"teardown", "auto"});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_FALSE(std::filesystem::exists(tree));
  const Json kept = Json::parse(in({"snapshots", "auto", "--json"}).out);
  const std::string rescued = kept.back()["name"];
  EXPECT_TRUE(rescued.starts_with("rescue/")) << rescued;
  EXPECT_EQ(in({"restore", "auto", rescued, "--to=" + path("back")}).exit_code, 0);
  EXPECT_EQ(read_file(path("back/half.txt")), "x\n");
}

TEST_F(AnyAuto, TheSnapshotsOfABeadShowWhatTeardownRescued) {
  agent("ERROR");
  ASSERT_EQ(in({"run", "demo-1.1.1"}).exit_code, 2);
  ASSERT_EQ(in({"teardown"}).exit_code, 0);
  EXPECT_THAT(in({"snapshots", "demo-1.1.1"}).out, HasSubstr("rescue/"));
}

TEST_F(AnyAuto, ABranchThatTeardownDeletedIsListedToo) {
  ASSERT_EQ(in({"prep", "demo-1.1.1"}).exit_code, 0);
  std::filesystem::remove_all(project() + "/.capsule/worktrees/demo-1.1.1");
  ASSERT_EQ(in({"teardown"}).exit_code, 0);
  EXPECT_THAT(in({"snapshots", "demo-1.1.1"}).out, HasSubstr("rescue/"));
}

}  // namespace
}  // namespace capsule::test
