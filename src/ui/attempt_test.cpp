// What agents said beside what the checks found, and what the project's commands do meanwhile, on
// every face.
#include "ui/attempt_text.h"

#include "ui/face_test_support.h"
#include "ui/run_json.h"

namespace capsule::ui {
namespace {

using signal::Status;
using view::Attempt;
using workflow::CheckFor;
using workflow::CheckProgress;
using workflow::Finding;

#define EXPECT_SAYS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text) << "\nexpected: " << (part)
#define EXPECT_SILENT(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

Attempt said(std::string words) {
  Attempt agent;
  agent.agent = agent.attempt = 1;
  agent.role = "execute";
  agent.said = std::move(words);
  return agent;
}

event::Claim broken_tests() {
  return {"tests pass (GREEN)", event::Verdict::broken, "broken: a, b", {true, 0, 0, false, 3, 0}};
}
event::CheckRun two_fail() {
  event::CheckRun run;
  run.name = "test";
  run.ending = event::CheckEnding::failed;
  run.exit_code = 1;
  run.duration_ms = 4200;
  run.by_name = true;
  run.passed = 129;
  run.failed = 2;
  run.failing = {"a", "b"};
  return run;
}

// A phase that said PASS, and was refused.
void refused_phase(Phases& stage, const std::string& name, int number, int attempt) {
  stage.happen({event::PhaseStarted{name, number, attempt, "", "claude", "", false}});
  stage.happen({finished(name, number, attempt, Status::pass, "ok"),
                event::SnapshotTaken{name, number, "r", "c", "t" + std::to_string(number), "h"},
                event::PhaseChecked{name,
                                    number,
                                    false,
                                    "The tests fail.\n\nIts output:\n\nassert \x1b[2J1 == 2",
                                    {broken_tests()},
                                    {two_fail()}}});
}

TEST(SaidAndChecked, StandBesideEachOther) {
  Attempt agent = said("PASS");
  EXPECT_EQ(said_and_checked(agent, {}), "said PASS");
  agent.checked = Finding::held;
  agent.found = "3 new tests failed before, pass now; 131 others still pass";
  EXPECT_EQ(said_and_checked(agent, {}),
            "said PASS · checked: 3 new tests failed before, pass now; 131 others still pass");
  agent.checked = Finding::refused;
  agent.found = "2 tests fail: a, b";
  EXPECT_EQ(said_and_checked(agent, {}), "said PASS · checked: 2 tests fail: a, b → refused");
  EXPECT_EQ(said_and_checked(agent, {false, false}),
            "said PASS, checked: 2 tests fail: a, b -> refused");
}

TEST(SaidAndChecked, WhoSaidNothingThatCountsIsToldWhy) {
  Attempt agent = said("");
  agent.sent_back = "the signal is about another task: READY_FOR_REVIEW: T-9";
  EXPECT_EQ(said_and_checked(agent, {}),
            "said nothing that counts: the signal is about another task: READY_FOR_REVIEW: T-9");
  Attempt late = said("");
  late.fault = event::Fault::timed_out;
  late.detail = "took longer than its time limit of 600 s";
  EXPECT_EQ(said_and_checked(late, {}), "timed out: took longer than its time limit of 600 s");
}

TEST(SaidAndChecked, ARefusedClaimIsNotTicked) {
  Attempt agent = said("PASS");
  EXPECT_EQ(status_of(agent), Status::pass);
  agent.checked = Finding::refused;
  EXPECT_EQ(status_of(agent), Status::error);
  std::vector<Attempt> attempts = {agent, agent};
  attempts[1].attempt = 2;
  const std::string table = role_table(role_lines(attempts), {});
  EXPECT_SAYS(table, "✗ PASS, refused");
  EXPECT_SILENT(table, "✓");
}

TEST(Excerpt, ShowsWhereATextBeginsAndWhereItEnds) {
  std::string text;
  for (int i = 1; i <= 40; ++i) text += "line " + std::to_string(i) + "\n\n";
  EXPECT_EQ(excerpt(text, "> "),
            "> line 1\n> line 2\n> line 3\n> …\n> line 35\n> line 36\n> line 37\n> line 38\n"
            "> line 39\n> line 40\n");
  EXPECT_EQ(excerpt("a\x1b[2J", ""), "a\\x1b[2J\n");
  EXPECT_EQ(excerpt("FAIL\tx", ""), "FAIL    x\n");
  const std::string sentence = std::string(60, 'a') + " " + std::string(60, 'b');
  EXPECT_EQ(excerpt(sentence, "  "),
            "  " + std::string(60, 'a') + "\n  " + std::string(60, 'b') + "\n");
}

TEST(PlainFace, TellsWhyAPhaseWasRefusedWithTheEndOfTheOutput) {
  Phases stage(Look::plain);
  begin(stage);
  refused_phase(stage, "test-writer", 1, 1);
  EXPECT_SAYS(stage.out, "test-writer: said PASS · checked: 2 tests fail: a, b → refused\n");
  EXPECT_SAYS(stage.out, "    assert \\x1b[2J1 == 2\n");
  EXPECT_SILENT(stage.out, "\x1b[2J");
}

// By the member, not by what the text happens to say.
TEST(PlainFace, TellsTheEvidenceOfAClaimThatHolds) {
  Phases stage(Look::plain);
  begin(stage);
  stage.happen({event::PhaseStarted{"test-writer", 1, 1, "", "claude", "", false}});
  stage.happen({finished("test-writer", 1, 1, Status::pass, "ok"),
                event::SnapshotTaken{"test-writer", 1, "r", "c", "t", "h"},
                event::PhaseChecked{"test-writer",
                                    1,
                                    true,
                                    "",
                                    {{"tests fail (RED)",
                                      event::Verdict::held,
                                      "3 new ones are red",
                                      {true, 3, 0, false, 131, 0}},
                                     {"files_changed", event::Verdict::held, "a test file", {}}}}});
  EXPECT_SAYS(stage.out, "test-writer: said PASS · checked: 3 new ones are red\n");
  EXPECT_SILENT(stage.out, "a test file");
}

TEST(LiveFace, AStageThatWasRefusedIsNotTicked) {
  Phases stage(Look::live);
  begin(stage);
  for (int attempt = 1; attempt <= 3; ++attempt)
    refused_phase(stage, "test-writer", attempt, attempt);
  stage.happen({event::RunEnded{event::Outcome::retries_exhausted, "still needs work"}});
  stage.taken();
  // Somebody has it merged all the same.
  stage.happen({event::RunResumed{3, true}});
  stage.happen({event::PhaseStarted{"merge", 4, 1, "", "claude", "", false}});
  EXPECT_SAYS(stage.out, "✗ [2/5]");
  EXPECT_SILENT(stage.out, "✓ [2/5]");
  EXPECT_SILENT(stage.out, "✓ [3/5]") << "nobody has run it";
  EXPECT_SAYS(stage.out, "test-writer 3: said PASS · checked: 2 tests fail");
}

TEST(LiveFace, ThePictureNeverGetsHigherThanTheTerminal) {
  Phases stage(Look::live);
  begin(stage);
  for (int attempt = 1; attempt <= 9; ++attempt)
    refused_phase(stage, "test-writer", attempt, attempt);
  stage.taken();
  stage.happen({event::SnapshotTaken{}});
  const std::string screen = stage.taken();
  EXPECT_LT(std::count(screen.begin(), screen.end(), '\n'), 24);
  EXPECT_SAYS(screen, "test-writer 9: ");
}

CheckProgress tests_run() {
  CheckProgress check;
  check.id = 7;
  check.what = CheckFor::merge;
  check.name = "test";
  check.command = "go test ./...";
  return check;
}
CheckProgress tests_done() {
  CheckProgress check = tests_run();
  check.ended = true;
  check.run = two_fail();
  return check;
}

TEST(PlainFace, SaysThatChecksRunAndWhatTheyCameToWithTheRealTime) {
  Phases stage(Look::plain);
  begin(stage);
  stage.taken();
  stage.face.on_check(tests_run());
  EXPECT_EQ(stage.taken(), "  running the tests on the merged files …\n");
  stage.face.on_check(tests_done());
  EXPECT_EQ(stage.taken(), "  tests: 2 fail, 129 pass, 4.2s on the merged files\n");
}

TEST(Faces, SayThatTestsRunWithoutTheNewCodeAndThatTheyFailAsTheyShould) {
  for (const auto& [what, name, words] :
       {std::tuple{CheckFor::without, "without", " without the new code"},
        std::tuple{CheckFor::before, "before", " on the files of before"}}) {
    CheckProgress check = tests_done();
    check.what = what;
    EXPECT_EQ(name_of(what), name);
    EXPECT_EQ(progress_words(check), "running the tests" + std::string(words));
    EXPECT_EQ(result_words(check), "tests: 2 fail, 129 pass, 4.2s" + std::string(words));
    EXPECT_EQ(tone_of(check), what == CheckFor::without ? Tone::good : Tone::warn);
    check.run.ending = event::CheckEnding::passed;
    EXPECT_EQ(tone_of(check), what == CheckFor::without ? Tone::warn : Tone::good);
  }
}

TEST(LiveFace, ShowsTheChecksThatRunWithTheirTime) {
  Phases stage(Look::live);
  begin(stage);
  stage.face.on_check(tests_run());
  stage.now = 3000;
  stage.taken();
  stage.happen({event::SnapshotTaken{}});
  EXPECT_SAYS(stage.taken(), "running the tests on the merged files  3.0s");
  stage.face.on_check(tests_done());
  EXPECT_SILENT(stage.taken(), "running the tests");
}

TEST(LiveFace, ShowsTheChecksOfADeliveryBesideItsAgents) {
  Delivery stage(Look::live);
  event::delivery::DeliveryStarted plan;
  plan.title = "The plan";
  plan.tasks.emplace_back().id = "T-1";
  stage.happen({plan});
  CheckProgress check = tests_run();
  check.task = "T-1";
  stage.face.on_check(check);
  EXPECT_SAYS(stage.taken(), "  T-1              running the tests on the merged files");
  CheckProgress done = tests_done();
  done.task = "T-1";
  stage.face.on_check(done);
  EXPECT_SAYS(stage.taken(), "tests: 2 fail, 129 pass, 4.2s on the merged files\n");
}

TEST(JsonFace, ChecksAreEventsWithRunTaskAndWhatTheyAreFor) {
  Phases stage(Look::json);
  begin(stage);
  stage.taken();
  stage.face.on_check(tests_run());
  stage.face.on_check(tests_done());
  const std::vector<Json> lines = lines_of(stage.taken());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["event"], "check_started");
  EXPECT_EQ(lines[1]["event"], "check_finished");
  for (const Json& line : lines) {
    EXPECT_EQ(line["run"], "run-1");
    EXPECT_EQ(line["task"], "demo-1.1.1");
    EXPECT_EQ(line["what"], "merge");
    EXPECT_EQ(line["name"], "test");
    EXPECT_EQ(line["check"], 7);
    EXPECT_FALSE(line["at"].empty());
  }
  EXPECT_EQ(lines[1]["duration_ms"], 4200);
  EXPECT_EQ(lines[1]["failing"], Json({"a", "b"}));
  EXPECT_EQ(lines[1]["ending"], "failed");
}

TEST(Checks, AreSaidInOneWayHoweverTheyEnd) {
  event::CheckRun run;
  run.name = "build";
  run.ending = event::CheckEnding::failed;
  run.exit_code = 2;
  run.duration_ms = 300;
  EXPECT_EQ(result_words(run), "build: fail, exit status 2, 0.3s");
  run.known = true;
  run.ending = event::CheckEnding::passed;
  EXPECT_EQ(result_words(run), "build: pass, known from before");
  run.ending = event::CheckEnding::timed_out;
  EXPECT_EQ(result_words(run), "build: took too long, known from before");
  run.name = "e2e\x1b";
  EXPECT_SAYS(result_words(run), "e2e\\x1b: ");
}

TEST(PlainFace, ADeliveryTellsFindingsAndWhySignalsDidNotCount) {
  using namespace event::delivery;  // NOLINT: the facts are what this is about
  Delivery stage(Look::plain);
  DeliveryStarted plan;
  plan.tasks.emplace_back().id = "T-1";
  plan.tasks.back().criteria = {"x"};
  stage.happen({plan});
  stage.happen({VerifyStarted{VerifyPurpose::baseline},
                VerifyFinished{VerifyPurpose::baseline, {}, ""},
                AgentDispatched{1, Role::developer, "T-1", 1, 1, Why::fresh, "", ""}});
  AgentFinished ended;
  ended.agent = 1;
  ended.miss = signal::Miss::not_at_column_0;
  ended.missed_line = "> READY_FOR_REVIEW: T-1";
  stage.happen({ended});
  EXPECT_SAYS(stage.taken(),
              "developer: said nothing that counts: the signal does not stand at column 0 of its "
              "line: > READY_FOR_REVIEW: T-1\n");
  stage.happen({AgentDispatched{2, Role::developer, "T-1", 2, 1, Why::checkpoint_request, "", ""}});
  ended = {};
  ended.agent = 2;
  ended.signal = Signal::ready_for_review;
  stage.happen({ended});
  stage.happen({AgentDispatched{3, Role::critic, "T-1", 1, 3, Why::fresh, "", ""}});
  ended.agent = 3;
  ended.signal = Signal::review_failed;
  ended.fields = {{"Findings", "- the \x1b[2Jempty case"}};
  stage.taken();
  stage.happen({ended});
  EXPECT_SAYS(stage.taken(), "- the \\x1b[2Jempty case\n");
  const std::vector<view::Attempt>& attempts = stage.face.run().attempts;
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_SAYS(attempts[0].sent_back, "does not stand at column 0");
  EXPECT_SAYS(attempts[2].sent_back, "empty case");
}

}  // namespace
}  // namespace capsule::ui
