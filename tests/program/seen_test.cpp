// What a person sees: what was said beside what was found, why, and what goes on meanwhile; on the
// terminal, in status, log, --json, the worklog and the report.
#include "base/text.h"
#include "tests/program/deliver_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

// Tests by name: one that was always there, and one that asks for feature.txt.
std::string named_tests(const std::string& script) {
  write_file(script,
             "echo 'ok 1 - the old one'\n"
             "[ -e tests/feature_test.sh ] || { echo 1..1; exit 0; }\n"
             "[ ! -e feature.txt ] || { echo 'ok 2 - the new one'; echo 1..2; exit 0; }\n"
             "echo 'not ok 2 - the new one'; echo '# feature.txt is missing'; echo 1..2; exit 1\n");
  return "verify: {test: [sh, '" + script + "'], test_report: tap}\n";
}

class SeenByAPerson : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    configure(named_tests(path("tests.sh")) + "tracker: native\n");
  }
};

TEST_F(SeenByAPerson, AGoodRunSaysItInOneLine) {
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out,
             "test-writer: said PASS · checked: 1 new test fails; 1 other still passes");
  EXPECT_HAS(outcome.out, "\n  1 new test failed before, passes now; 1 other still passes\n");
  EXPECT_HAS(outcome.out, "  running the tests on main, before anybody works …\n");
  EXPECT_HAS(outcome.out, "  tests: 1 pass, ");
  EXPECT_HAS(outcome.out, "  running the tests without the new code …\n");
  const std::string red = "  tests: 1 fail, 1 pass, ";
  EXPECT_HAS(outcome.out.substr(outcome.out.rfind(red)).substr(0, red.size() + 40),
             " without the new code\n");
  const Json status = Json::parse(command("status", {kBead, "--json"}).out);
  EXPECT_EQ(status["evidence"]["words"],
            "1 new test failed before, passes now; 1 other still passes");
  EXPECT_EQ(status["name"], kBead);
  EXPECT_GE(status["usage"]["checks_ms"].get<int>(), 0);
}

TEST_F(SeenByAPerson, TheDashboardsHistoryHasTheSummaryAndTheWorklogOfAMergedRun) {
  ASSERT_EQ(run_bead().exit_code, 0);
  const std::string file = path("history.svg");
  ASSERT_EQ(command("ui", {"--picture=" + file, "--keys=H", "--size=200x100"}).exit_code, 0);
  const std::string screen = replace_all(read_file(file), "\u00A0", " ");
  EXPECT_HAS(screen, "1 new test failed before, passes now; 1 other still passes");
  EXPECT_HAS(screen, "── worklog.md");
  EXPECT_HAS(screen, "Mission Briefing");
}

TEST_F(SeenByAPerson, TheDashboardsHistoryHasOfEachRunOfABeadItsOwnWorklog) {
  configure("tracker: native\n");
  ASSERT_EQ(run_bead().exit_code, 0);
  ASSERT_EQ(command("bead", {"reopen", kBead, "--reason=not quite"}).exit_code, 0);
  on("test-writer", 2,
     "echo 'grep -q better feature.txt' >tests/feature_test.sh; say PASS 'the second time' "
     "'\"tests/feature_test.sh\"'");
  on("execute", 2, "echo done, and better >feature.txt; say PASS fine '\"feature.txt\"'");
  const Outcome again = run_bead();
  ASSERT_EQ(again.exit_code, 0) << again.out << again.err;
  const auto worklog = [&](const std::string& keys) {
    const std::string file = path("history.svg");
    EXPECT_EQ(command("ui", {"--picture=" + file, "--keys=" + keys, "--size=200x160"}).exit_code,
              0);
    const std::string screen = replace_all(read_file(file), "\u00A0", " ");
    const std::size_t at = screen.find("── worklog.md");
    EXPECT_NE(at, screen.npos) << screen;
    return screen.substr(std::min(at, screen.size()));
  };
  EXPECT_HAS(worklog("H"), "the second time");
  const std::string earlier = worklog("H down");
  EXPECT_HAS(earlier, "Mission Briefing");
  EXPECT_LACKS(earlier, "the second time");
}

TEST_F(SeenByAPerson, EveryAttemptSaysWhatWasSaidWhatWasFoundAndWhy) {
  on("execute", 1, "say PASS 'all green'");
  on("execute", 2, "pass");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const std::string refused = "said PASS · checked: 1 test fails: the new one → refused";
  EXPECT_HAS(outcome.out, "  execute: " + refused + "\n");
  EXPECT_HAS(outcome.out, "# feature.txt is missing\n");
  EXPECT_HAS(outcome.out, "    1  ✗ " + refused);
  EXPECT_HAS(outcome.out, "    2  ✓ said PASS · checked: 1 new test failed before, passes now");
  const std::string status = command("status", {kBead}).out;
  EXPECT_HAS(status, "    1  ✗ " + refused);
  EXPECT_HAS(status, "# feature.txt is missing\n");
  const std::string log = command("log", {kBead}).out;
  EXPECT_HAS(log, "==> said and checked <==\n");
  EXPECT_HAS(log, refused);
  EXPECT_HAS(log, "# feature.txt is missing\n");
  const Json json = Json::parse(command("status", {kBead, "--json"}).out);
  ASSERT_GE(json["agents"].size(), 4u);
  EXPECT_EQ(json["agents"][2]["said"], "PASS");
  EXPECT_EQ(json["agents"][2]["checked"], "refused");
  EXPECT_EQ(json["agents"][2]["found"], "1 test fails: the new one");
  const std::string left = json["agents"][2]["snapshot"];
  EXPECT_HAS(left, json["snapshots"].get<std::string>() + "/");
  EXPECT_EQ(git({"rev-parse", "--verify", "-q", left}).exit_code, 0) << left;
  EXPECT_HAS(json["agents"][2]["why"].get<std::string>(), "# feature.txt is missing");
  EXPECT_EQ(json["agents"][3]["checked"], "held");
  const std::string worklog = read_file(archive() + "/worklog.md");
  EXPECT_HAS(worklog, "(checked by Capsule)");
  EXPECT_HAS(worklog, "- Checked: refused");
  EXPECT_HAS(worklog, "> # feature.txt is missing");
}

TEST_F(SeenByAPerson, APhaseWhoseEveryAttemptWasRefusedIsNotTicked) {
  on("execute", "say PASS 'all green'");
  const Outcome outcome = run_bead({"--max-retries=2"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "✗ PASS, refused");
  EXPECT_LACKS(outcome.out, "execute         ✓");
}

TEST_F(SeenByAPerson, ChecksAreEventsOfTheJsonStream) {
  const std::vector<Json> events = events_of(run_bead({"--json"}).out);
  int started = 0, finished = 0;
  bool baseline = false;
  for (const Json& event : events) {
    started += event["event"] == "check_started" ? 1 : 0;
    if (event["event"] != "check_finished") continue;
    ++finished;
    baseline |= event["what"] == "baseline";
    EXPECT_EQ(event["task"], kBead);
    EXPECT_EQ(event["name"], "test");
    EXPECT_TRUE(event["by_name"]);
    EXPECT_GE(event["duration_ms"].get<int>(), 0);
  }
  EXPECT_GT(started, 2);
  EXPECT_EQ(started, finished);
  EXPECT_TRUE(baseline);
  EXPECT_EQ(events.back()["evidence"]["passing"], 1);
}

TEST_F(SeenByAPerson, AnUnreadableSignalSaysWhy) {
  on("execute",
     "echo '{\"status\": \"GOOD\", \"feedback\":\"\",\"files_changed\":[],\"summary\":\"\"}'");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "the status of the signal is neither PASS, NEEDS_WORK nor ERROR");
  const Json json = Json::parse(command("status", {kBead, "--json"}).out);
  EXPECT_HAS(json["agents"].back()["why"].get<std::string>(), "neither PASS");
}

class SeenInADelivery : public DeliveryTest {};

TEST_F(SeenInADelivery, WhyASignalDidNotCountIsToldToPersonAndAgent) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "echo T-1 >T-1.txt; echo '> READY_FOR_REVIEW: T-1'");
  on("developer", "T-1", 2, "good");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::string why = "the signal does not stand at column 0 of its line";
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, why);
  EXPECT_EQ(done.of("agent_finished")[0]["miss"], "not_at_column_0");
  EXPECT_EQ(done.of("agent_finished")[0]["missed_line"], "> READY_FOR_REVIEW: T-1");
  EXPECT_HAS(report_text(), why);
  EXPECT_HAS(capsule_in({"status", plan_file(), "T-1"}).out, "said nothing that counts: " + why);
  EXPECT_HAS(capsule_in({"log", plan_file(), "T-1"}).out, why);
}

TEST_F(SeenInADelivery, FindingsAndMergesSayWhatWasFound) {
  write_plan({{"T-1"}});
  configure(
      "verify: {test: '[ ! -e T-1.txt ] || [ -e fine.txt ] || { echo no fine.txt; exit 1; }'}\n");
  on("critic", "T-1", 1,
     "printf 'REVIEW_FAILED: T-1\\n\\nIssues Found:\\n- the empty case\\n\\nRequired Fixes:\\n- "
     "handle "
     "it\\n'");
  on("critic", "T-1", 2, "good");
  on("developer", "T-1", 3, "echo x >fine.txt; good");
  const Outcome outcome = capsule_in({"deliver", plan_file()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "the empty case");
  EXPECT_HAS(outcome.out, "running the tests on the merged files …");
  EXPECT_HAS(outcome.out, "no fine.txt");
  const std::string page = capsule_in({"status", plan_file(), "T-1"}).out;
  EXPECT_HAS(page, "said READY_FOR_REVIEW · checked: on the merged files: test fails → refused");
  EXPECT_HAS(page, "the empty case");
  EXPECT_HAS(page, "no fine.txt");
  const std::string report = report_text();
  EXPECT_HAS(report, "| said | checked |");
  EXPECT_HAS(report, "on the merged files: test fails: refused");
  EXPECT_HAS(report, "tests: pass, ");
}

TEST_F(SeenInADelivery, AnIncompletePlanSaysHowToTryAgain) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, "exit 1");
  EXPECT_EQ(deliver().exit_code, 1);
  const std::string page = capsule_in({"status", plan_file()}).out;
  EXPECT_HAS(page, "Try what failed again: capsule deliver ");
  const Json json = Json::parse(capsule_in({"status", plan_file(), "--json"}).out);
  EXPECT_EQ(json["name"], plan_file());
  EXPECT_EQ(json["agents"][0]["provider"], "mine");
}

TEST_F(SeenInADelivery, SnapshotsAreListedByNumberWithoutThoseOfWhoOnlyLooked) {
  write_plan({{"T-1"}});
  EXPECT_EQ(deliver().exit_code, 0);
  const std::string list = capsule_in({"snapshots", plan_file()}).out;
  EXPECT_HAS(list, "0001-developer");
  EXPECT_LACKS(list, "-look");
}

}  // namespace
}  // namespace capsule::test
