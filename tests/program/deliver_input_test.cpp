// What people can get wrong about plans, and the rehearsal that everybody can watch.
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

class PlanInputTest : public DeliveryTest {
 protected:
  Outcome check(const std::string& text, std::vector<std::string> more = {}) {
    write_file(plan_file(), text);
    std::vector<std::string> args{"plan", "check", plan_file()};
    args.insert(args.end(), more.begin(), more.end());
    return capsule_in(args);
  }
  static std::string task(const std::string& id, const std::string& blocked_by) {
    return "#### Task " + id + ": Title\n\n**Work**: Write `" + id +
           ".txt`.\n\n**Acceptance Criteria**:\n- [ ] " + id +
           ".txt holds 1\n\n**Blocked By**: " + blocked_by + "\n\n";
  }
};

TEST_F(PlanInputTest, AGoodPlanShowsItsWavesPathAndBound) {
  const std::string text = "# P\n\n" + task("A", "none") + task("B", "A") + task("C", "none");
  const Outcome shown = check(text);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  for (const char* part : {"wave 1: A, C", "wave 2: B", "A → B", "bound: at most "})
    EXPECT_HAS(shown.out, part);
  configure("roles: {developer: {price: 0.50}}");
  const auto json = Json::parse(check(text, {"--json"}).out);
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["waves"][1][0], "B");
  EXPECT_EQ(json["critical_path"].size(), 2U);
  EXPECT_GT(json["bound"]["agent_runs"].get<int>(), 9);
  EXPECT_GT(json["bound"]["money"].get<double>(), 0.5);
}

// The bound is what cannot be exceeded; what it will probably come to is another number.
TEST_F(PlanInputTest, TheLikelyCostIsAssumedUntilSomethingWasDelivered) {
  configure("roles: {developer: {price: 0.50}, critic: {price: 0.25}}");
  const std::string text = "# P\n\n" + task("A", "none") + "**Depends On**: nobody\n\n" +
                           task("B", "A") + "#### Task C: Vague\n\n**Work**: do something\n\n";
  Outcome shown = check(text);
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_HAS(shown.out, "likely: 14 agent runs, costing 3.75 (assumed, since nothing was");
  EXPECT_HAS(shown.err,
             "PLAN.md:12: warning: task A: **Depends On** is no label that is read; "
             "did you mean **Blocked By**?");
  EXPECT_HAS(shown.err, "warning: task C goes to the business analyst first: it has no acceptance");
  auto likely = Json::parse(check(text, {"--json"}).out)["likely"];
  EXPECT_EQ(likely["from"], "assumption");
  EXPECT_EQ(likely["by_role"]["business-analyst"], 1);

  write_plan({{"T-1"}, {"T-2"}});
  on("critic", "T-1", 1, "printf 'REVIEW_FAILED: T-1\\n\\nIssues: one\\n'");
  on("critic", "T-1", 2, "good");
  ASSERT_EQ(deliver().exit_code, 0);
  likely = Json::parse(check(text, {"--json"}).out)["likely"];
  EXPECT_EQ(likely["from"], "journal");
  EXPECT_EQ(likely["because"], "as in the delivery before: 2 tasks, 4.0 runs each");
  // Three tasks as those two were: 3, 3 and 2 runs of 2 tasks.
  EXPECT_EQ(likely["by_role"],
            Json::parse(R"({"auditor":3,"business-analyst":1,"critic":5,"developer":5})"));
  EXPECT_EQ(likely["agent_runs"], 14);
}

TEST_F(PlanInputTest, ExpertsThatAreThereCountForTheBound) {
  const std::string text = "# P\n\n" + task("A", "none");
  const auto runs = [&](std::vector<std::string> more) {
    more.push_back("--json");
    return Json::parse(check(text, more).out)["bound"]["agent_runs"].get<int>();
  };
  const int with = runs({"--experts"});
  EXPECT_LT(runs({}), with);
  write_file(project() + "/.claude/agents/experts/colours.md", "# colours\n");
  EXPECT_EQ(runs({}), with);
  std::filesystem::remove_all(project() + "/.claude");
}

TEST_F(PlanInputTest, AllProblemsAreToldAtOnceWithTheirLines) {
  const Outcome shown =
      check("# P\n\n" + task("A", "B") + task("B", "A") + task("A", "none") + task("C", "X"));
  EXPECT_EQ(shown.exit_code, 1);
  for (const char* part : {"PLAN.md:3", "A → B → A", "X"}) EXPECT_HAS(shown.err, part);
  const auto json = Json::parse(check("# P\n\n" + task("A", "A"), {"--json"}).out);
  EXPECT_EQ(json["ok"], false);
  EXPECT_GE(json["errors"].size(), 1U);
  EXPECT_EQ(capsule_in({"deliver", plan_file()}).exit_code, 2) << "such a plan is not begun";
}

TEST_F(PlanInputTest, WhatIsNoPlanIsRefusedWithAClearError) {
  for (const std::string& text :
       {std::string(), std::string("\n\n\n"), std::string("# Only a title\n"),
        std::string("\0\1\2\3\xff\xfe", 6), "# P\n\n" + task("has blank", "none")}) {
    const Outcome shown = check(text);
    EXPECT_EQ(shown.exit_code, 1) << text;
    EXPECT_HAS(shown.err, "error: ");
    const Outcome begun = capsule_in({"deliver", plan_file()});
    EXPECT_EQ(begun.exit_code, 2) << text;
  }
  EXPECT_EQ(capsule_in({"plan", "check", path("none.md")}).exit_code, 2);
  EXPECT_EQ(capsule_in({"deliver", path("none.md")}).exit_code, 2);
  EXPECT_EQ(capsule_in({"deliver"}).exit_code, 2);
  for (const char* option : {"--developers=0", "--critics=x", "--auditors=-1", "--developers=1e3"})
    EXPECT_EQ(capsule_in({"deliver", plan_file(), option}).exit_code, 2) << option;
}

TEST_F(PlanInputTest, LineEndsOfWindowsDoNotMatter) {
  std::string text;
  for (const char c : "# P\n\n" + task("A", "none"))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(check(text).exit_code, 0);
}

TEST_F(PlanInputTest, APlanThatIsFarTooLargeIsRefused) {
  const Outcome shown = check("# P\n\n" + std::string(50'000'000, 'x'));
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_LT(shown.err.size(), 10'000U);
}

TEST_F(PlanInputTest, TenThousandTasksInOneCycleAreToldShortly) {
  std::string text = "# P\n\n";
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i)
    text += task("T" + std::to_string(i), "T" + std::to_string((i + 1) % kMany));
  const Outcome shown = check(text);
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_HAS(shown.err, "T0");
}

TEST_F(PlanInputTest, AnAgentThatIsNotInstalledIsFoundBeforeAnythingBegins) {
  configure("provider: claude");
  write_plan({{"T-1"}});
  env()["PATH"] = "/usr/bin:/bin";
  const Outcome refused = capsule_in({"deliver", plan_file()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.err, "claude");
}

class BeadPlanTest : public PlanInputTest {
 protected:
  void SetUp() override {
    PlanInputTest::SetUp();
    configure("tracker: native");
    ASSERT_EQ(capsule_in({"bead", "init", "--prefix=app"}).exit_code, 0);
  }
  void TearDown() override {
    std::filesystem::remove_all(project() + "/.beads");
    PlanInputTest::TearDown();
  }
  std::string create(std::vector<std::string> more) const {
    std::vector<std::string> args{"bead", "create"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome made = capsule_in(args);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    const std::size_t at = made.out.find("app-");
    return made.out.substr(at, made.out.find_first_of(" :\n", at) - at);
  }
  // A feature, and its one task.
  std::pair<std::string, std::string> feature_of_one_task() const {
    const std::string feature = create({"--title=The feature", "--type=feature"});
    return {feature, create({"--title=Write one.txt", "--parent=" + feature,
                             "--description=Write `one.txt`", "--acceptance=- one.txt is there"})};
  }
};

TEST_F(BeadPlanTest, AFeatureBeadIsAPlan) {
  const auto [feature, one] = feature_of_one_task();
  const Outcome done = capsule_in({"deliver", feature, "--json"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(main_file(one + ".txt"), one + "\n");
  EXPECT_HAS(capsule_in({"bead", "show", one}).out, "closed");
}

TEST_F(BeadPlanTest, ABeadThatCouldNotBeClosedIsClosedTheNextTime) {
  const auto [feature, one] = feature_of_one_task();
  // The tracker is gone at the very end.
  const std::string beads = "'" + project() + "/.beads'";
  on("auditor", one, 1, "mv " + beads + " '" + path("away") + "'; good");
  const Outcome first = capsule_in({"deliver", feature});
  EXPECT_EQ(first.exit_code, 1) << first.out << first.err;
  EXPECT_EQ(main_file(one + ".txt"), one + "\n");
  std::filesystem::rename(path("away"), project() + "/.beads");
  EXPECT_LACKS(capsule_in({"bead", "show", one}).out, "closed");
  const Outcome second = capsule_in({"deliver", feature});
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_LACKS(second.out, "delivered already");
  EXPECT_HAS(capsule_in({"bead", "show", one}).out, "closed");
  EXPECT_EQ(calls("developer", one), 1) << "what is on main is not done again";
  EXPECT_HAS(capsule_in({"deliver", feature}).out, "delivered already");
}

TEST_F(BeadPlanTest, RunDoesNotStartABeadAgainThatADeliveryMergedAndCouldNotClose) {
  const auto [feature, one] = feature_of_one_task();
  const std::string beads = "'" + project() + "/.beads'";
  on("auditor", one, 1, "mv " + beads + " '" + path("away") + "'; good");
  ASSERT_EQ(capsule_in({"deliver", feature}).exit_code, 1);
  std::filesystem::rename(path("away"), project() + "/.beads");
  const std::string main = git_out({"rev-parse", "main"});
  for (const char* command : {"run", "merge"}) {
    const Outcome refused = capsule_in({command, one});
    EXPECT_EQ(refused.exit_code, 2) << refused.out << refused.err;
    EXPECT_HAS(refused.err, one + " was merged by the delivery of " + feature);
    EXPECT_HAS(refused.err, "capsule deliver " + feature);
  }
  EXPECT_EQ(git_out({"rev-parse", "main"}), main);
  EXPECT_LACKS(capsule_in({"bead", "show", one}).out, "closed");
  ASSERT_EQ(capsule_in({"deliver", feature}).exit_code, 0);
  EXPECT_HAS(capsule_in({"bead", "show", one}).out, "closed");
  EXPECT_EQ(calls("developer", one), 1);
  ASSERT_EQ(capsule_in({"bead", "reopen", one}).exit_code, 0);
  EXPECT_LACKS(capsule_in({"run", one}).err, "was merged by") << "opened again, it is new work";
}

TEST_F(BeadPlanTest, RunDoesNotStartABeadAgainWhoseDeliveryDiedBeforeItWasClosed) {
  const auto [feature, one] = feature_of_one_task();
  // A delivery of the same shape tells which point comes before the closing.
  const std::string other = create({"--title=Another feature", "--type=feature"});
  create({"--title=Write two.txt", "--parent=" + other, "--description=Write `two.txt`",
          "--acceptance=- two.txt is there"});
  env()["CAPSULE_TEST_POINTS"] = path("points");
  ASSERT_EQ(capsule_in({"deliver", other}).exit_code, 0);
  env().erase("CAPSULE_TEST_POINTS");
  const std::string points = read_file(path("points"));
  const std::size_t closing = points.find("recorded task_closing\n");
  ASSERT_NE(closing, std::string::npos) << points;
  env()["CAPSULE_TEST_CRASH_AT"] = std::to_string(
      1 + std::count(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(closing), '\n'));
  ASSERT_EQ(capsule_in({"deliver", feature}).exit_code, 128 + SIGKILL);
  env().erase("CAPSULE_TEST_CRASH_AT");
  EXPECT_LACKS(capsule_in({"bead", "show", one}).out, "closed");
  EXPECT_EQ(main_file(one + ".txt"), one + "\n");
  for (const char* command : {"run", "prep"}) {
    const Outcome refused = capsule_in({command, one});
    EXPECT_NE(refused.exit_code, 0) << refused.out;
    EXPECT_HAS(refused.err, one + " was merged by the delivery of " + feature);
  }
  ASSERT_EQ(capsule_in({"deliver", feature}).exit_code, 0);
  EXPECT_HAS(capsule_in({"bead", "show", one}).out, "closed");
  EXPECT_EQ(calls("developer", one), 1);
}

TEST_F(BeadPlanTest, ABeadThatIsOpenedAgainIsNewWork) {
  const std::string feature = create({"--title=The feature", "--type=feature"});
  const auto task = [&](const std::string& file) {
    return create({"--title=Write " + file, "--parent=" + feature, "--description=Write `" + file,
                   "--acceptance=- " + file + " is there"});
  };
  const std::string one = task("one.txt"), two = task("two.txt");
  ASSERT_EQ(capsule_in({"deliver", feature}).exit_code, 0);
  EXPECT_HAS(capsule_in({"deliver", feature}).out, "delivered already");
  ASSERT_EQ(capsule_in({"bead", "reopen", one}).exit_code, 0);
  on("developer", one, 2, "echo better >better.txt; good");
  const Outcome again = capsule_in({"deliver", feature});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(main_file("better.txt"), "better\n");
  EXPECT_EQ(calls("developer", one), 2);
  EXPECT_EQ(calls("developer", two), 1);
  EXPECT_HAS(capsule_in({"bead", "show", one}).out, "closed");
}

TEST_F(BeadPlanTest, ABeadThatAPersonClosedMeanwhileIsNotDelivered) {
  const std::string feature = create({"--title=The feature", "--type=feature"});
  const auto task = [&](const std::string& file) {
    return create({"--title=Write " + file, "--parent=" + feature, "--description=Write `" + file,
                   "--acceptance=- " + file + " is there"});
  };
  const std::string one = task("one.txt"), two = task("two.txt");
  on("developer", one, 1, "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: which?\\n'");
  on("developer", one, 2, "good");
  on("developer", two, 1, "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: what?\\n'");
  on("developer", two, 2, "good");
  EXPECT_EQ(capsule_in({"deliver", feature}).exit_code, 1);
  ASSERT_EQ(capsule_in({"bead", "close", one}).exit_code, 0);
  write_file(path("answers"), "1: blue\n2: red\n*: keep\n");
  const Outcome done = capsule_in({"deliver", feature, "--answers=" + path("answers")});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(main_file(two + ".txt"), two + "\n");
  EXPECT_EQ(main_file(one + ".txt"), "(missing)");
  EXPECT_EQ(calls("developer", one), 1);
}

TEST_F(BeadPlanTest, WhenAllThatWasLeftIsClosedThereIsNothingToDo) {
  const auto [feature, one] = feature_of_one_task();
  on("developer", one, 1, "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nQuestion: which?\\n'");
  EXPECT_EQ(capsule_in({"deliver", feature}).exit_code, 1);
  ASSERT_EQ(capsule_in({"bead", "close", one}).exit_code, 0);
  for (int i = 0; i < 2; ++i) {
    const Outcome done = capsule_in({"deliver", feature, "--json"});
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    ASSERT_GT(done.out.size(), 1U);
    const std::size_t line = done.out.rfind('\n', done.out.size() - 2) + 1;
    const Json last = Json::parse(done.out.substr(line), nullptr, false);
    ASSERT_TRUE(last.is_object()) << done.out;
    EXPECT_EQ(last["event"], "run_finished");
    EXPECT_EQ(last["exit_code"], 0);
    const Json ended = Json::parse(capsule_in({"status", feature, "--json"}).out);
    for (const char* key : {"run", "outcome", "standing", "name", "usage"})
      EXPECT_EQ(last[key], ended[key]) << key << " of call " << i;
  }
  EXPECT_EQ(calls("developer", one), 1);
}

class DeliveryRehearsalTest : public DeliveryTest {};

TEST_F(DeliveryRehearsalTest, ThePlanOfEightTasksIsDelivered) {
  Call call = calling({path("calculator")});
  call.program = std::string(CAPSULE_SOURCE_DIR) + "/tools/demo-delivery";
  call.env["CAPSULE_BINARY"] = CAPSULE_BINARY;
  const Outcome shown = run(call);
  ASSERT_EQ(shown.exit_code, 0) << shown.out << shown.err;
  for (const char* part :
       {"REVIEW_FAILED", "AUDIT_FAILED", "INFRA_BLOCKED", "REMEDIATION_COMPLETE", "EXPERT_ADVICE",
        "FILE CONFLICT", "answers file", "8 of 8 tasks complete", "ok   tests/calc_test.sh"})
    EXPECT_HAS(shown.out, part);
}

}  // namespace
}  // namespace capsule::test
