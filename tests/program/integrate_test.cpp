// What becomes of a bead's work that is ready: merged, approved by a person first, or left on a
// branch; and a merge that was refused is tried again with the commit that is there.
#include <signal.h>

#include <filesystem>

#include "tests/program/project.h"
#include "tests/program/terminal.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Integrate : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
  }
  int calls_of(const std::string& phase) const {
    int count = 0;
    for (const std::string& one : phases()) count += one == phase ? 1 : 0;
    return count;
  }
  Json status() const { return Json::parse(command("status", {kBead, "--json"}).out); }
  std::string all_of(const Outcome& outcome) const { return outcome.out + outcome.err; }
  // Somebody commits to main while the merge agent works, and nobody minds.
  std::string theirs(const std::string& file, const std::string& text) const {
    return "(cd '" + project() + "' && mkdir -p $(dirname " + file + ") && echo '" + text + "' >" +
           file + " && git add " + file + " && git commit -q -m Theirs) >&2\npass";
  }
};

// ---- A merge that was refused

TEST_F(Integrate, AConflictThatAPersonResolvedIsMergedByTheSameCommandWithoutAnAgent) {
  configure_gates("on_main_moved: tell\n");
  on("merge", theirs("feature.txt", "theirs"));
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 1) << all_of(refused);
  EXPECT_HAS(all_of(refused), "conflict with main in feature.txt");
  git({"merge", "main"}, worktree());
  write_file(worktree() + "/feature.txt", "done\n");
  git({"add", "feature.txt"}, worktree());
  EXPECT_EQ(git({"commit", "-q", "-m", "Resolve"}, worktree()).exit_code, 0);
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_EQ(calls_of("merge"), 1) << join(phases());
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(read_file(project() + "/feature.txt"), "done\n");
}

TEST_F(Integrate, AMergeThatIsRefusedAgainCallsNoAgentEither) {
  configure_gates("on_main_moved: tell\n");
  on("merge", theirs("feature.txt", "theirs"));
  EXPECT_EQ(run_bead().exit_code, 1);
  for (const char* again : {"run", "merge"}) {
    const Outcome refused = command(again, {kBead});
    EXPECT_EQ(refused.exit_code, 1) << all_of(refused);
    EXPECT_HAS(all_of(refused), "conflict with main in feature.txt");
    EXPECT_LACKS(all_of(refused), "ERROR");
  }
  EXPECT_EQ(calls_of("merge"), 1) << join(phases());
}

TEST_F(Integrate, WhatWasInTheWayOfTheMergeIsMovedAndTheSameCommandMerges) {
  configure_gates("on_main_moved: tell\n");
  on("merge", "echo mine >'" + project() + "/feature.txt'\npass");
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 1) << all_of(refused);
  EXPECT_HAS(all_of(refused), "the merge would overwrite files");
  fs::remove(project() + "/feature.txt");
  const Outcome merged = command("merge", {kBead});
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_EQ(calls_of("merge"), 1) << join(phases());
}

TEST_F(Integrate, ChecksThatFailOnTheMergedFilesAreRunAgainWhenTheMergeIsRepeated) {
  write_file(path("check"),
             "if [ -e tests/feature_test.sh ]; then sh tests/feature_test.sh || exit 1; fi\n"
             "[ ! -e theirs.txt ] || [ ! -e feature.txt ] || [ -e '" +
                 path("mended") + "' ]\n");
  configure("tracker: native\non_main_moved: tell\nverify: {test: [sh, '" + path("check") +
            "']}\n");
  on("merge", theirs("theirs.txt", "theirs"));
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 1) << all_of(refused);
  EXPECT_HAS(all_of(refused), "the checks fail on the merged files");
  write_file(path("mended"), "");
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_EQ(calls_of("merge"), 1) << join(phases());
}

TEST_F(Integrate, MainThatAnAgentMovedIsMergedOnOnceAPersonHasLooked) {
  configure_gates();
  on("merge", theirs("theirs.txt", "theirs"));
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 1) << all_of(refused);
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_EQ(calls_of("merge"), 1) << join(phases());
}

// ---- integrate: ask

TEST_F(Integrate, WorkThatIsReadyWaitsForAPersonAndIsMergedOnceTheyApprove) {
  configure_gates("integrate: ask\n");
  const std::string before = main_head();
  const Outcome waits = run_bead();
  EXPECT_EQ(waits.exit_code, 1) << all_of(waits);
  EXPECT_HAS(waits.out, "capsule approve demo-1.1.1");
  EXPECT_EQ(main_head(), before);
  const Json now = status();
  EXPECT_EQ(now["standing"], "waiting");
  EXPECT_EQ(now["waits_for"][0]["for"], "approval");
  EXPECT_EQ(now["waits_for"][0]["kind"], "merge");
  const std::string page = command("status", {kBead}).out;
  EXPECT_HAS(page, "capsule approve demo-1.1.1");
  EXPECT_HAS(page, "capsule reject demo-1.1.1 --because=TEXT");
  EXPECT_HAS(page, "feature.txt");
  EXPECT_HAS(command("log", {kBead}).out, "waits for approval, question 1");
  EXPECT_HAS(read_file(worktree() + "/worklog.md"), "### Waiting for a person");

  const Outcome still = run_bead();
  EXPECT_EQ(still.exit_code, 1) << "nobody has answered";
  const Outcome approved = command("approve", {kBead});
  EXPECT_EQ(approved.exit_code, 0) << all_of(approved);
  EXPECT_HAS(approved.out, "Go on with: capsule run demo-1.1.1");
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_TRUE(is_closed());
  EXPECT_TRUE(fs::exists(project() + "/feature.txt"));
  EXPECT_EQ(phases().size(), 6U) << "no agent is called twice: " << join(phases());
  const std::string worklog = read_file(archive() + "/worklog.md");
  const std::size_t asked = worklog.find("### Waiting for a person");
  EXPECT_NE(asked, std::string::npos);
  EXPECT_EQ(worklog.find("### Waiting for a person", asked + 1), std::string::npos) << "once";
}

TEST_F(Integrate, WhatAPersonRejectsGoesBackToTheWriterWithTheirWords) {
  configure_gates();
  EXPECT_EQ(run_bead({"--integrate=ask"}).exit_code, 1);
  EXPECT_EQ(command("reject", {kBead}).exit_code, 2) << "it must say why";
  const Outcome rejected = command("reject", {kBead, "--because=Call it something else"});
  EXPECT_EQ(rejected.exit_code, 0) << all_of(rejected);
  const Outcome waits = run_bead();
  EXPECT_EQ(waits.exit_code, 1) << all_of(waits);
  EXPECT_EQ(calls_of("execute"), 2);
  const std::vector<AgentCall> calls = agent_calls();
  std::string second;
  for (const AgentCall& call : calls)
    if (call.phase == "execute") second = call.input + join(call.args);
  EXPECT_HAS(second, "Call it something else");
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  EXPECT_EQ(run_bead().exit_code, 0);
  EXPECT_EQ(git_out({"rev-list", "--count", "main"}), "3") << "one commit and its merge";
}

TEST_F(Integrate, WhatAPersonChangedInTheWorktreeIsKeptCheckedAndMerged) {
  configure_gates("integrate: ask\n");
  EXPECT_EQ(run_bead().exit_code, 1);
  write_file(worktree() + "/NOTES.md", "by a person\n");
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_EQ(read_file(project() + "/NOTES.md"), "by a person\n");
  EXPECT_FALSE(fs::exists(project() + "/worklog.md"));
}

TEST_F(Integrate, AChangeByAPersonThatBreaksTheChecksIsNotMerged) {
  configure_gates("integrate: ask\n");
  EXPECT_EQ(run_bead().exit_code, 1);
  const std::string before = main_head();
  write_file(worktree() + "/feature.txt", "broken\n");
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 1) << all_of(refused);
  EXPECT_HAS(all_of(refused), "the checks fail on the merged files");
  EXPECT_EQ(main_head(), before);
}

TEST_F(Integrate, MainThatMovedAfterTheApprovalIsTestedAgainBeforeTheMerge) {
  configure_gates("integrate: ask\n");
  EXPECT_EQ(run_bead().exit_code, 1);
  commit_file("theirs.txt", "theirs\n");
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_TRUE(fs::exists(project() + "/theirs.txt"));
  EXPECT_TRUE(fs::exists(project() + "/feature.txt"));
  EXPECT_EQ(phases().size(), 6U) << join(phases());
}

TEST_F(Integrate, AnotherWishOnARunThatGoesOnIsHeeded) {
  configure_gates("integrate: ask\n");
  EXPECT_EQ(run_bead().exit_code, 1);
  const Outcome merged = run_bead({"--integrate=merge"});
  EXPECT_EQ(merged.exit_code, 0) << all_of(merged);
  EXPECT_EQ(phases().size(), 6U) << join(phases());
  EXPECT_EQ(command("approve", {kBead}).exit_code, 1) << "nothing waits any more";
}

TEST_F(Integrate, WhatIsNoneOfTheThreeIsAUsageError) {
  EXPECT_EQ(run_bead({"--integrate=maybe"}).exit_code, 2);
}

// Killed at its first point, then at its second, and so on: what is done stays done, and each start
// goes on from there.
TEST_F(Integrate, WhatWaitsAndWhatIsApprovedSurvivesKillsAtEveryPoint) {
  configure_gates("integrate: ask\n");
  on("merge", "pass");
  const auto killed_until = [&](int code) {
    for (int k = 1; k < 400; ++k) {
      Call call = calling("run", {kBead});
      call.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(k);
      const Outcome outcome = run(call);
      if (outcome.exit_code == code) return k;
      if (outcome.exit_code != 128 + SIGKILL) ADD_FAILURE() << outcome.out << outcome.err;
    }
    return 0;
  };
  EXPECT_GT(killed_until(1), 1) << "it waits";
  const std::size_t called = phases().size();
  EXPECT_EQ(status()["waits_for"][0]["kind"], "merge");
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  EXPECT_GT(killed_until(0), 1) << "it is merged";
  EXPECT_EQ(phases().size(), called) << "no agent is called again";
  EXPECT_EQ(git_out({"rev-list", "--count", "--merges", "main"}), "1");
  EXPECT_TRUE(is_closed());
}

TEST_F(Integrate, OnATerminalThePersonIsAskedRightThereAndMayAlsoAnswerFromElsewhere) {
  configure_gates();
  Call call = calling("run", {kBead, "--integrate=ask"});
  call.env["TERM"] = "xterm";
  call.env["NO_COLOR"] = "1";
  AtTerminal person(call);
  ASSERT_TRUE(person.shows("Answer to question 1")) << person.screen();
  EXPECT_HAS(person.screen(), "feature.txt");
  EXPECT_HAS(person.screen(), worktree()) << "where files may still be changed";
  person.type("reject: ok, but shorter\n");
  ASSERT_TRUE(person.shows("Answer to question 2")) << person.screen();
  const Outcome approved = command("approve", {kBead});
  EXPECT_EQ(approved.exit_code, 0) << all_of(approved);
  EXPECT_HAS(approved.out, "The run goes on with it.");
  EXPECT_EQ(person.wait(), 0) << person.screen();
  EXPECT_EQ(calls_of("execute"), 2) << join(phases());
  EXPECT_TRUE(is_closed());
}

// ---- integrate: branch

TEST_F(Integrate, WorkOnABranchIsOneCommitOnTheNewestMainWithADescription) {
  configure_gates("on_main_moved: tell\n");
  on("merge", theirs("theirs.txt", "theirs"));
  const Outcome done = run_bead({"--integrate=branch"});
  EXPECT_EQ(done.exit_code, 0) << all_of(done);
  const std::string branch = "capsule-demo-1.1.1";
  EXPECT_HAS(done.out, branch);
  EXPECT_EQ(git_out({"rev-list", "--count", "main.." + branch}), "1");
  EXPECT_EQ(git_out({"rev-parse", branch + "^"}), main_head());
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", branch}), "demo-1.1.1: Make it work");
  EXPECT_FALSE(fs::exists(project() + "/feature.txt"));
  EXPECT_FALSE(is_closed()) << "it is not on main";
  const std::string file = archive() + "/pull-request.md";
  EXPECT_HAS(done.out, file);
  const std::string text = read_file(file);
  EXPECT_HAS(text, "# Make it work");
  EXPECT_HAS(text, "Signed off");
  EXPECT_HAS(text, "sign-off: PASS");
  EXPECT_HAS(text, "test (");
  const Json now = status();
  EXPECT_EQ(now["on_branch"], branch);
  EXPECT_HAS(command("status", {kBead}).out, file);

  EXPECT_EQ(command("teardown", {}).exit_code, 0);
  EXPECT_EQ(command("gc", {}).exit_code, 0);
  EXPECT_EQ(git({"rev-parse", "--verify", "-q", branch}).exit_code, 0) << "the result stays";
  fs::remove(file);
  const Outcome again = run_bead();
  EXPECT_EQ(again.exit_code, 0) << all_of(again);
  EXPECT_HAS(again.out, branch);
  EXPECT_TRUE(fs::exists(file));
  const std::vector<std::string> told = lines_of(run_bead({"--json"}).out);
  ASSERT_EQ(told.size(), 2U) << join(told);
  const Json first = Json::parse(told[0]), last = Json::parse(told[1]);
  EXPECT_EQ(first["event"], "already_on_branch");
  EXPECT_EQ(first["branch"], branch);
  for (const char* key : {"run", "at"}) EXPECT_EQ(first[key], last[key]) << key;
  EXPECT_EQ(last["event"], "run_finished");
  EXPECT_EQ(last["outcome"], "on_branch");
  EXPECT_EQ(last["on_branch"], branch);
  EXPECT_EQ(phases().size(), 6U) << join(phases());
}

TEST_F(Integrate, TheWordOfTheWorkflowGoesBeforeTheProjects) {
  configure_gates("integrate: merge\n");
  write_file(project() + "/.capsule/workflows/small.yaml",
             "phases:\n  - name: execute\n    prompt: prompts/execute.md\nend: merge\n"
             "integrate: branch\n");
  const Outcome done = run_bead({"--workflow=small"});
  EXPECT_EQ(done.exit_code, 0) << all_of(done);
  EXPECT_EQ(status()["on_branch"], "capsule-demo-1.1.1");
  EXPECT_EQ(status()["merged_as"], nullptr);
}

// ---- What a check means

TEST_F(Integrate, AGuardedChangeIsPutToAPersonWhoseWordIsRecorded) {
  configure_gates("integrate: ask\n");
  on("execute", "echo 'test: ; true' >Makefile\npass");
  on("merge", "git add Makefile\npass");
  const Outcome waits = run_bead();
  EXPECT_EQ(waits.exit_code, 1) << all_of(waits);
  const Json now = status();
  EXPECT_EQ(now["waits_for"][0]["kind"], "guard");
  EXPECT_HAS(now["waits_for"][0]["text"].get<std::string>(), "Makefile");
  EXPECT_HAS(now["waits_for"][0]["context"].get<std::string>(), "line");
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  const Outcome allowed = run_bead({"--json"});
  EXPECT_EQ(allowed.exit_code, 1) << "the merge itself waits";
  EXPECT_HAS(allowed.out, "approval_given");
  EXPECT_EQ(calls_of("execute"), 1) << join(phases());
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  EXPECT_EQ(run_bead().exit_code, 0);
  EXPECT_TRUE(fs::exists(project() + "/Makefile"));
}

TEST_F(Integrate, AGuardedChangeThatAPersonRefusesGoesBackWithTheirWords) {
  configure_gates("integrate: ask\n");
  on("execute", "echo 'test: ; true' >Makefile\npass");
  on("execute", 2, "rm -f Makefile\npass");
  EXPECT_EQ(run_bead().exit_code, 1);
  EXPECT_EQ(command("reject", {kBead, "--because=No new Makefile"}).exit_code, 0);
  EXPECT_EQ(run_bead().exit_code, 1);
  EXPECT_EQ(calls_of("execute"), 2) << join(phases());
  std::string second;
  for (const AgentCall& call : agent_calls())
    if (call.phase == "execute") second = call.input + join(call.args);
  EXPECT_HAS(second, "No new Makefile");
}

TEST_F(Integrate, OnATerminalAGuardedChangeIsPutToThePersonThere) {
  configure_gates();
  on("execute", "echo 'test: ; true' >Makefile\npass");
  on("merge", "git add Makefile\npass");
  Call call = calling("run", {kBead});
  call.env["TERM"] = "xterm";
  call.env["NO_COLOR"] = "1";
  AtTerminal person(call);
  ASSERT_TRUE(person.shows("Answer to question 1")) << person.screen();
  EXPECT_HAS(person.screen(), "Makefile: 1 line added");
  person.type("yes\n");
  EXPECT_EQ(person.wait(), 0) << person.screen();
  EXPECT_EQ(calls_of("execute"), 1) << join(phases());
}

}  // namespace
}  // namespace capsule::test
