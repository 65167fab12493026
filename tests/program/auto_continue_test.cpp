// capsule auto continue after a person has worked in the run's worktree: what is checked, reviewed
// and merged is what is there.

#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
class AutoContinue : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
    agent("");
  }
  // Does what the lines of `script` say for its phase; otherwise it does well.
  void agent(const std::string& script) const {
    program("claude", R"(
printf '%s' "$2" > ')" + path("prompt-") +
                          R"('$CAPSULE_PHASE-$CAPSULE_ATTEMPT
complete() { echo "SIGNAL: ${CAPSULE_PHASE}_complete"; }
)" + script + kGoodInAuto);
  }
  // The main branch gets another greeting while the last phase runs.
  void agent_and_a_greeting_on_main(const std::string& more = "") const {
    configure("on_main_moved: tell\n" + more);
    agent("[ $CAPSULE_PHASE = check ] && (cd '" + project() +
          "' && echo other > greeting.txt && git add greeting.txt && git -c user.name=a -c "
          "user.email=a@b commit -qm other)");
  }
  Outcome auto_run(std::vector<std::string> more = {}) const {
    std::vector<std::string> args{"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect"};
    args.insert(args.end(), more.begin(), more.end());
    return in(args);
  }
  std::string worktree() const {
    for (const auto& entry : std::filesystem::directory_iterator(project() + "/.capsule/worktrees"))
      return entry.path().string();
    return "";
  }
  // As a person at a terminal, who has a name.
  Outcome shell(const std::string& commands, const std::string& folder) const {
    Call call = in_project({"-c", commands});
    call.program = "bash";
    call.cwd = folder;
    for (const char* name : {"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"}) call.env[name] = "p";
    for (const char* name : {"GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"}) call.env[name] = "p@q";
    return run(call);
  }
  // What stands behind `label` on its line of the output.
  static std::string printed_after(const std::string& out, const std::string& label) {
    const std::size_t at = out.find(label);
    if (at == out.npos) return "false";
    const std::size_t from = at + label.size();
    return out.substr(from, out.find('\n', from) - from);
  }
  void configure(const std::string& yaml) const {
    write_file(project() + "/.capsule/config.yaml", yaml);
  }
  std::string on_main(const std::string& file) const { return git({"show", "main:" + file}).out; }
};

TEST_F(AutoContinue, WhatAPersonMendedForTheChecksIsMerged) {
  configure("verify:\n  baseline: red-allowed\n  test: [test, -f, ok.txt]\n");
  ASSERT_EQ(auto_run({"--skip-review"}).exit_code, 1);
  write_file(worktree() + "/ok.txt", "ok\n");
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(on_main("ok.txt"), "ok\n");
  EXPECT_EQ(on_main("greeting.txt"), "hello\n");
}

TEST_F(AutoContinue, WhatAPersonMendedForTheReviewersIsReviewedAndMerged) {
  agent(
      "[ $CAPSULE_PHASE = review-quality ] && { grep -q mended greeting.txt && echo 'VERDICT: "
      "APPROVED' || echo 'VERDICT: REJECTED'; exit 0; }");
  ASSERT_EQ(auto_run({"--skip-qa"}).exit_code, 1);
  write_file(worktree() + "/greeting.txt", "mended\n");
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("taken back")));
  EXPECT_EQ(on_main("greeting.txt"), "mended\n");
}

TEST_F(AutoContinue, WhatTheChecksWriteIsNobodysWork) {
  configure("verify:\n  baseline: red-allowed\n  test: \"date > report.txt; test -f ok.txt\"\n");
  ASSERT_EQ(auto_run().exit_code, 1);
  write_file(worktree() + "/ok.txt", "ok\n");
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("a reviewer changed files")));
  EXPECT_EQ(on_main("ok.txt"), "ok\n");
  EXPECT_EQ(on_main("report.txt"), "");
}

TEST_F(AutoContinue, WhatReviewersWroteBeforeTheyWereInterruptedIsTakenBack) {
  agent("case $CAPSULE_PHASE in review-quality) [ -e '" + path("go") +
        "' ] || { echo mine > greeting.txt; touch '" + path("at-work") + "'; sleep 60; } ;; esac");
  Running living(
      in_project({"auto", "run", "Say hello", "--skip-expansion", "--skip-qa", "--skip-reflect"}));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path("at-work")); }));
  living.send(SIGINT);
  EXPECT_EQ(living.wait().exit_code, 128 + SIGINT);
  write_file(path("go"), "");
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(on_main("greeting.txt"), "hello\n");
}

TEST_F(AutoContinue, AConflictIsResolvedByThePrintedCommands) {
  agent_and_a_greeting_on_main();
  const Outcome refused = auto_run({"--skip-qa"});
  ASSERT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  const Outcome merged = shell(printed_after(refused.out, "merge it there: "), project());
  EXPECT_THAT(merged.out, HasSubstr("CONFLICT")) << merged.err;
  write_file(worktree() + "/greeting.txt", "hello, other\n");
  const std::string then = printed_after(refused.out, "resolve it, then: ");
  const std::string last = "capsule auto continue";
  ASSERT_TRUE(then.ends_with(last)) << then;
  // All but the last command, whose program the test knows better.
  const Outcome committed = shell(then.substr(0, then.size() - last.size()) + "pwd", worktree());
  EXPECT_EQ(committed.exit_code, 0) << committed.out << committed.err;
  EXPECT_THAT(committed.out, HasSubstr(std::filesystem::canonical(project()).string() + "\n"));
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(on_main("greeting.txt"), "hello, other\n");
}

TEST_F(AutoContinue, AConflictThatNobodyResolvedIsOneStill) {
  agent_and_a_greeting_on_main();
  ASSERT_EQ(auto_run({"--skip-qa"}).exit_code, 1);
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("conflict with main in greeting.txt"));
  EXPECT_EQ(on_main("greeting.txt"), "other\n");
}

TEST_F(AutoContinue, WhatAPersonResolvedIsCheckedBeforeItIsMerged) {
  agent_and_a_greeting_on_main(
      "verify:\n  baseline: red-allowed\n  test: [grep, -q, hello, greeting.txt]\n");
  const Outcome refused = auto_run();
  ASSERT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  shell(printed_after(refused.out, "merge it there: "), project());
  write_file(worktree() + "/greeting.txt", "wrong\n");
  ASSERT_EQ(shell("git add -A && git commit --no-edit", worktree()).exit_code, 0);
  EXPECT_EQ(in({"auto", "continue"}).exit_code, 1);
  EXPECT_EQ(on_main("greeting.txt"), "other\n");
  write_file(worktree() + "/greeting.txt", "hello, other\n");
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(on_main("greeting.txt"), "hello, other\n");
}

TEST_F(AutoContinue, ChecksThatFailOnTheMergedFilesCanBeMended) {
  // Each side is fine alone: there may be one greeting.
  configure(
      "on_main_moved: tell\nverify:\n  baseline: red-allowed\n  test: \"test $(ls greeting*.txt | "
      "wc -l) = 1\"\n");
  agent("[ $CAPSULE_PHASE = check ] && (cd '" + project() +
        "' && echo other > greeting2.txt && git add greeting2.txt && git -c user.name=a -c "
        "user.email=a@b commit -qm other)");
  const Outcome refused = auto_run();
  ASSERT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  EXPECT_THAT(refused.out, HasSubstr("fail on the merged files"));
  const Outcome merged = shell(printed_after(refused.out, "merge it there: "), project());
  ASSERT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  std::filesystem::remove(worktree() + "/greeting2.txt");
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(on_main("greeting.txt"), "hello\n");
  EXPECT_EQ(on_main("greeting2.txt"), "");
}

TEST_F(AutoContinue, AWorktreeThatIsGoneIsSaidAndNothingMerged) {
  agent_and_a_greeting_on_main();
  ASSERT_EQ(auto_run({"--skip-qa"}).exit_code, 1);
  std::filesystem::remove_all(worktree());
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("is gone"));
}

}  // namespace
}  // namespace capsule::test
