// A headless run of auto mode that is cut off goes on when it is started again; what the hook wrote
// is brought into the journal.

#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
class AutoRecovery : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
  }
  Call auto_call() const { return in_project({"auto", "run", "Rehearse", "--provider=rehearsal"}); }
  Json state() const { return Json::parse(read_file(project() + "/.caw/auto-state.json")); }
  std::string journal() const {
    std::string bytes = read_file(project() + "/.capsule/journal.db");
    if (has(".capsule/journal.db-wal")) bytes += read_file(project() + "/.capsule/journal.db-wal");
    return bytes;
  }
};

TEST_F(AutoRecovery, CutOffAnywhereItGoesOnAndMergesOnce) {
  Call whole = auto_call();
  whole.env["CAPSULE_TEST_POINTS"] = path("points");
  ASSERT_EQ(run(whole).exit_code, 0);
  const std::string points = read_file(path("points"));
  const int count = static_cast<int>(std::count(points.begin(), points.end(), '\n'));
  ASSERT_GT(count, 30);
  const bool full = std::getenv("CAPSULE_TEST_FULL") != nullptr;
  const int stride = full ? 1 : count / 3;
  for (int at = 1; at <= count; at += stride) {
    // Every round in a project of its own.
    const std::string folder = path("p" + std::to_string(at));
    ASSERT_EQ(in({"setup-template", folder}).exit_code, 0);
    Call cut = auto_call();
    cut.cwd = folder;
    cut.env["CAPSULE_TEST_CRASH_AT"] = std::to_string(at);
    ASSERT_EQ(run(cut).exit_code, 128 + 9) << at;
    Call again = auto_call();
    again.cwd = folder;
    const Outcome outcome = run(again);
    // After the last fact there is nothing left to do but another run, which finds all done.
    ASSERT_EQ(outcome.exit_code, at < count - 1 ? 0 : 1) << at << outcome.out << outcome.err;
    Call log = in_project({"-C", folder, "log", "--merges", "--format=%s", "main"});
    log.program = "git";
    const std::string merges = run(log).out;
    EXPECT_EQ(merges, "Merge auto: Rehearse\n") << at;
    if (at >= count - 1) continue;
    const Json ended = Json::parse(read_file(folder + "/.caw/auto-state.json"));
    EXPECT_EQ(ended["phase"], "complete") << at;
    const std::string learnings = read_file(folder + "/.caw/learnings.md");
    EXPECT_EQ(learnings.find("(run "), learnings.rfind("(run ")) << at;
    EXPECT_TRUE(std::filesystem::is_empty(folder + "/.capsule/worktrees")) << at;
  }
}

TEST_F(AutoRecovery, AnotherTaskDoesNotReplaceACutOffRun) {
  Call cut = auto_call();
  cut.env["CAPSULE_TEST_CRASH_AT"] = "9";
  ASSERT_EQ(run(cut).exit_code, 128 + 9);
  const Outcome other = in({"auto", "run", "Other", "--provider=rehearsal"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("capsule auto continue"));
  EXPECT_EQ(in({"auto", "cancel"}).exit_code, 0);
  EXPECT_EQ(state()["exit_reason"], "user_cancelled");
  EXPECT_EQ(in({"auto", "run", "Other", "--provider=rehearsal"}).exit_code, 0);
}

TEST_F(AutoRecovery, ContinueTakesUpACutOffRun) {
  Call cut = auto_call();
  cut.env["CAPSULE_TEST_CRASH_AT"] = "12";
  ASSERT_EQ(run(cut).exit_code, 128 + 9);
  // The state file is written from the journal, whatever became of it.
  std::filesystem::remove(project() + "/.caw/auto-state.json");
  EXPECT_THAT(in({"auto", "status"}).out, HasSubstr("Rehearse"));
  EXPECT_EQ(Json::parse(in({"auto", "status", "--json"}).out)["active"], true);
  const Outcome outcome = in({"auto", "continue", "--provider=rehearsal"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(state()["phase"], "complete");
}

TEST_F(AutoRecovery, AnInterruptedRunSaysSoAndGoesOn) {
  program("claude", "echo work >work.txt; touch '" + path("at-work") + "'; while [ ! -e '" +
                        path("go") +
                        "' ]; do sleep 0.05; done; echo \"SIGNAL: ${CAPSULE_PHASE}_complete\"");
  Running living(in_project({"auto", "run", "Wait", "--skip-review"}));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path("at-work")); }));
  const Outcome second = in({"auto", "run", "Wait", "--skip-review"});
  EXPECT_EQ(second.exit_code, 1) << second.err;
  living.send(SIGINT);
  const Outcome outcome = living.wait();
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT) << outcome.out << outcome.err;
  write_file(path("go"), "");
  EXPECT_EQ(in({"auto", "continue"}).exit_code, 0);
}

TEST_F(AutoRecovery, WhatTheHookWroteIsBroughtIntoTheJournal) {
  ASSERT_EQ(in({"auto", "start", "A task for a session"}).exit_code, 0);
  Call stop = in_project({"hook", "stop"});
  stop.input = Json{{"session_id", "s"},
                    {"cwd", project()},
                    {"last_assistant_message", "SIGNAL: EXPANSION_COMPLETE"}}
                   .dump();
  stop.env["CAPSULE_RUN"] = std::nullopt;
  ASSERT_EQ(run(stop).exit_code, 0);
  EXPECT_EQ(journal().find("EXPANSION_COMPLETE"), std::string::npos);
  EXPECT_EQ(in({"auto", "status"}).exit_code, 0);
  EXPECT_NE(journal().find("auto_session_seen"), std::string::npos);
  EXPECT_NE(journal().find("EXPANSION_COMPLETE"), std::string::npos);
  const Outcome all = in({"status"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("A task for a session"));
  EXPECT_THAT(all.out, HasSubstr("in a session"));
}

TEST_F(AutoRecovery, AForgottenSessionIsTakenUpAgain) {
  ASSERT_EQ(in({"auto", "start", "A task for a session"}).exit_code, 0);
  ASSERT_EQ(in({"auto", "cancel"}).exit_code, 0);
  const Outcome outcome = in({"auto", "continue"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("SIGNAL: EXPANSION_COMPLETE"));
  EXPECT_EQ(state()["active"], true);
  EXPECT_EQ(state()["phase"], "expansion");
  EXPECT_EQ(state()["session_id"], nullptr);
}

}  // namespace
}  // namespace capsule::test
