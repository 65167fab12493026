// Whoever is to be told hears it from the run itself: once, when something comes to need a person.
#include <sys/stat.h>

#include <filesystem>

#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class Notify : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    write_file(path("keep"), "#!/bin/sh\ncat >>'" + path("heard") + "'\n");
    fs::permissions(path("keep"), fs::perms::owner_all);
  }
  // A way of telling that keeps what it gets.
  std::string keeper(const std::string& more = {}) const {
    return "notify:\n  - command: ['" + path("keep") + "']\n" + more;
  }
  std::vector<Json> heard() const {
    std::vector<Json> all;
    if (!fs::exists(path("heard"))) return all;
    for (const std::string& line : lines_of(read_file(path("heard"))))
      if (!line.empty()) all.push_back(Json::parse(line));
    return all;
  }
};

TEST_F(Notify, AFailureIsToldOnceWithTheCommandThatGoesOn) {
  configure_gates(keeper("    on: [failed, question]\n"));
  on("test-review", "say NEEDS_WORK 'secret words'");
  const Outcome failed = run_bead({"--max-retries=1"});
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.err;
  ASSERT_EQ(heard().size(), 1U) << read_file(path("heard"));
  const Json notice = heard().front();
  EXPECT_EQ(notice["kind"], "failed");
  EXPECT_EQ(notice["name"], kBead);
  EXPECT_EQ(notice["project"], "my pröject");
  EXPECT_HAS(notice["command"].get<std::string>(), kBead);
  EXPECT_EQ(notice.dump().find("still needs work"), std::string::npos);
}

TEST_F(Notify, WordsLeaveTheMachineOnlyWhereThatIsAskedFor) {
  configure_gates(keeper("    text: true\n"));
  on("test-review", "say NEEDS_WORK 'again'");
  EXPECT_EQ(run_bead({"--max-retries=1"}).exit_code, 1);
  ASSERT_EQ(heard().size(), 1U);
  EXPECT_HAS(heard().front()["headline"].get<std::string>(), "test-review still needs work");
}

TEST_F(Notify, AnApprovalIsToldAndTheEndOnlyToWhoAskedForIt) {
  configure_gates(keeper("    on: [approval]\n") + "  - command: ['" + path("keep") +
                  "']\n    on: [complete]\nintegrate: ask\n");
  const Outcome waits = run_bead();
  ASSERT_EQ(heard().size(), 1U) << waits.out << waits.err;
  EXPECT_EQ(heard().front()["kind"], "approval");
  EXPECT_EQ(command("approve", {kBead}).exit_code, 0);
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  ASSERT_EQ(heard().size(), 2U) << merged.out;
  EXPECT_EQ(heard().back()["kind"], "complete");
}

TEST_F(Notify, AMergeThatIsRefusedIsToldWithTheCommandThatTriesItAgain) {
  configure_gates(keeper("    on: [refused]\n") + "on_main_moved: tell\n");
  on("merge", "(cd '" + project() +
                  "' && echo theirs >feature.txt && git add feature.txt && git commit -q -m "
                  "Theirs) >&2\npass");
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  ASSERT_EQ(heard().size(), 1U) << read_file(path("heard"));
  EXPECT_EQ(heard().front()["kind"], "refused");
  EXPECT_EQ(heard().front()["command"], "capsule merge " + std::string(kBead));
}

TEST_F(Notify, AnAgentThatStandsStillIsToldWhileItsRunGoesOn) {
  configure_gates(keeper("    on: [stalled]\n") + "checkpoint_interval: 1s\n");
  ASSERT_EQ(::mkfifo(mock("go").c_str(), 0600), 0);
  on("execute", "read line <'" + mock("go") + "'; pass");
  Running running(calling("run", {kBead}));
  EXPECT_TRUE(eventually([&] { return !read_file(path("heard")).empty(); }));
  write_file(mock("go"), "go on\n");
  EXPECT_EQ(running.wait().exit_code, 0);
  ASSERT_EQ(heard().size(), 1U) << "once";
  EXPECT_EQ(heard().front()["kind"], "stalled");
  EXPECT_HAS(heard().front()["command"].get<std::string>(), "capsule log " + std::string(kBead));
}

TEST_F(Notify, AGoodRunTellsNobodyAnything) {
  configure_gates(keeper());
  EXPECT_EQ(run_bead().exit_code, 0);
  EXPECT_TRUE(heard().empty());
}

TEST_F(Notify, ACommandThatFailsIsSaidOnceAndHarmsNoRun) {
  configure_gates(
      "notify:\n  broken:\n    on: [complete]\n    command: [sh, \"-c\", \"echo no "
      "route >&2; exit 7\"]\n");
  const Outcome merged = run_bead();
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_HAS(merged.out + merged.err, "notify.broken: it exited with 7: no route");
}

TEST_F(Notify, WhileSomebodyUsesAFaceNothingIsSent) {
  configure_gates(keeper());
  on("test-review", "touch '" + project() + "/.capsule/presence'; say NEEDS_WORK 'again'");
  EXPECT_EQ(run_bead({"--max-retries=1"}).exit_code, 1);
  EXPECT_TRUE(heard().empty());
}

TEST_F(Notify, TestSendsASampleByEveryWayAndSaysWhatBecameOfIt) {
  configure(keeper("    body: slack\n    on: [failed]\n    quiet: 00:00-23:59\n") +
            "  - command: [no-such-program-at-all]\n");
  const Outcome tried = command("notify", {"--test", "--kind=failed"});
  EXPECT_EQ(tried.exit_code, 1) << tried.out << tried.err;
  EXPECT_HAS(tried.out, "project-1: sent");
  EXPECT_HAS(tried.out, "project-2: failed:");
  ASSERT_EQ(heard().size(), 1U);
  EXPECT_HAS(heard().front()["text"].get<std::string>(), "Failed: T-1 of PLAN.md has failed");
}

TEST_F(Notify, ADesktopIsToldByItsOwnProgram) {
  write_file(path("bin/notify-send"),
             "#!/bin/sh\nprintf '%s\\n' \"$@\" >>'" + path("shown") + "'\n");
  fs::permissions(path("bin/notify-send"), fs::perms::owner_all);
  env()["DISPLAY"] = ":9";
  configure_gates("notify:\n  - desktop: true\n");
  on("test-review", "say NEEDS_WORK 'secret words'");
  EXPECT_EQ(run_bead({"--max-retries=1"}).exit_code, 1);
  const std::vector<std::string> shown = lines_of(read_file(path("shown")));
  ASSERT_GE(shown.size(), 4U) << read_file(path("shown"));
  EXPECT_EQ(shown[1], "--");
  EXPECT_HAS(shown[2], kBead);
  EXPECT_HAS(shown[3], "capsule run " + std::string(kBead));
  EXPECT_EQ(read_file(path("shown")).find("secret words"), std::string::npos);
}

TEST_F(Notify, ReadyEntriesAreValidConfiguration) {
  for (const char* service : {"slack", "ntfy", "discord", "teams"}) {
    const Outcome shown = command("notify", {"--show", service});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    const std::size_t yaml = shown.out.find("notify:\n");
    ASSERT_NE(yaml, std::string::npos) << shown.out;
    configure(shown.out.substr(yaml));
    const Outcome listed = command("notify", {});
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    EXPECT_HAS(listed.out, std::string(service) + ": curl on question");
  }
  EXPECT_EQ(command("notify", {"--show", "pigeon"}).exit_code, 2);
}

TEST_F(Notify, WithoutAnyWayItSaysHowToGetOne) {
  const Outcome none = command("notify", {});
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_HAS(none.out, "capsule notify --show=ntfy");
  EXPECT_EQ(command("notify", {"--test"}).exit_code, 1);
}

TEST_F(Notify, WhatCannotBeMeantIsRefused) {
  for (const char* wrong : {"on: [questions]", "quiet: 25:00-07:00", "quiet: 07:00-07:00",
                            "body: html", "command: []", "bell: true"}) {
    configure("notify:\n  - " + std::string(wrong) + "\n");
    const Outcome refused = command("notify", {});
    EXPECT_EQ(refused.exit_code, 2) << wrong << refused.out;
    EXPECT_HAS(refused.err, "config.yaml:2: ") << wrong;
  }
}

}  // namespace
}  // namespace capsule::test
