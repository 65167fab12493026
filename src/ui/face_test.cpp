#include "ui/face_test_support.h"

#include "ui/delivery_report.h"

namespace capsule::ui {
namespace {

TEST(PlainFace, TellsTheFiveStagesAndEveryVerdictWithItsAttempt) {
  Phases stage(Look::plain);
  whole_run(stage);
  std::size_t at = 0;
  for (const char* line :
       {"[1/5] Prep\n", "[2/5] Phase pair: test-writer → test-review\n",
        "  test-writer: PASS (attempt 1/3)\n", "  test-review: NEEDS_WORK (attempt 1/3)\n",
        "    cover \\x1b[31mempty\n", "  test-review: PASS (attempt 2/3)\n",
        "[3/5] Phase pair: execute → execute-review\n", "[4/5] Sign-off\n",
        "  sign-off: PASS (attempt 1/3)\n", "[5/5] Merge\n", "  merged as 0123456789ab\n",
        "  closed demo-1.1.1\n"}) {
    const std::size_t found = stage.out.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << "\nin\n" << stage.out;
    at = found;
  }
  EXPECT_EQ(stage.out.find('\x1b'), std::string::npos) << "hostile feedback reaches the terminal";
}

TEST(PlainFace, WhatHappensToAServiceStandsBelowItsPhase) {
  Phases stage(Look::plain);
  event::supply::ProviderParked parked;
  parked.provider = "claude";
  parked.fault = event::Fault::no_credit;
  const event::supply::Fact fact = parked;
  stage.face.on_facts(std::vector<event::NewFact>{
      {std::string(event::supply::kind_of(fact)), "T", event::supply::body_of(fact)}});
  EXPECT_EQ(stage.taken(), "  claude is parked until a person says so: no credit is left\n");
}

TEST(LiveFace, DrawsEveryStageAndTheLastLineWithinTheTerminal) {
  Phases stage(Look::live);
  begin(stage);
  stage.happen({event::PhaseStarted{"test-writer", 1, 1, "", "claude", "", false}});
  stage.face.on_output(1,
                       "compiling\nrunning \x1b[1mtests with a very long line that does not fit");
  stage.taken();
  stage.now = 61'000;
  stage.happen({event::SnapshotTaken{}});
  const std::string screen = stage.taken();
  EXPECT_NE(screen.find("✓ [1/5] Prep"), std::string::npos) << screen;
  EXPECT_NE(screen.find("1m 01s"), std::string::npos) << screen;
  EXPECT_NE(screen.find("│ compiling"), std::string::npos)
      << "a line that is not complete is not shown: " << screen;
  EXPECT_EQ(screen.find("\x1b[1m"), std::string::npos);
  for (const std::string_view line : split(screen, '\n'))
    EXPECT_LE(line.size(), 60U + 40U)
        << "a line that is wider than the terminal breaks the picture";
}

TEST(LiveFace, PhasesThatRunTogetherStandSideBySideWithALineEach) {
  Phases stage(Look::live);
  event::RunStarted started;
  started.bead = "b-1";
  started.definition.name = "panel";
  for (const char* name : {"first", "second"}) {
    event::PhaseRule rule;
    rule.name = name;
    rule.group = 1;
    rule.stage = 2;
    started.definition.phases.push_back(rule);
  }
  stage.happen({started, event::WorktreeReady{"/w", "b", "c"}});
  stage.happen({event::PhaseStarted{"first", 1, 1, "", "", "", false},
                event::PhaseStarted{"second", 2, 1, "", "", "", false}});
  stage.face.on_output(1, "one says\n");
  stage.face.on_output(2, "two says\n");
  stage.taken();
  stage.happen({event::SnapshotTaken{}});
  EXPECT_NE(stage.out.find("[2/2] At once: first, second"), std::string::npos) << stage.out;
  EXPECT_NE(stage.out.find("first: one says"), std::string::npos) << stage.out;
  EXPECT_NE(stage.out.find("second: two says"), std::string::npos) << stage.out;
}

TEST(JsonFace, EveryEventHasItsRunAndThoseAboutAgentsSayWhoTheyAre) {
  Phases stage(Look::json);
  whole_run(stage);
  for (const Json& line : lines_of(stage.taken())) {
    EXPECT_EQ(line["run"], "run-1");
    EXPECT_EQ(line["at"], kAt);
    if (line["event"] != "phase_finished") continue;
    EXPECT_EQ(line["task"], "demo-1.1.1");
    EXPECT_EQ(line["role"], line["phase"]);
    EXPECT_TRUE(line["attempt"].is_number());
  }
  stage.face.finish({0, "T2"});
  const Json last = lines_of(stage.out).back();
  EXPECT_EQ(last["event"], "run_finished");
  EXPECT_EQ(last["workflow"], "pipeline");
  EXPECT_EQ(last["subject"], "demo-1.1.1");
  EXPECT_EQ(last["outcome"], "merged");
  EXPECT_EQ(last["exit_code"], 0);
  EXPECT_EQ(last["standing"], "succeeded");
  EXPECT_EQ(last["waits_for"], Json::array());
  EXPECT_EQ(last["merged_as"], "0123456789abcdef");
}

TEST(JsonFace, TheLastLineOfARunThatCouldNotBeRecordedHasTheSameForm) {
  Phases stage(Look::json);
  whole_run(stage);
  stage.taken();
  stage.face.on_cut_off({Reason::failed, "the disk is full", "make room"});
  const Json cut_off = lines_of(stage.taken()).back();
  stage.face.finish({2, cut_off["at"].get<std::string>()});
  const Json finished = lines_of(stage.taken()).back();
  EXPECT_EQ(cut_off["error"], "the disk is full");
  EXPECT_EQ(cut_off["hint"], "make room");
  EXPECT_EQ(cut_off["exit_code"], 2);
  EXPECT_EQ(cut_off["standing"], "open");
  EXPECT_TRUE(cut_off["outcome"].is_null());
  Json without = cut_off;
  for (const char* key : {"error", "hint"}) without.erase(key);
  for (const char* key : {"outcome", "standing"}) without[key] = finished[key];
  EXPECT_EQ(without, finished);
}

using namespace event::delivery;  // NOLINT: the facts of the tests below

DeliveryStarted a_plan() {
  DeliveryStarted started;
  started.plan = "/p/PLAN.md";
  started.title = "The plan";
  for (const char* id : {"T-1", "T-2"}) {
    Task task;
    task.id = id;
    task.title = "Title";
    task.criteria = {"x"};
    task.predicted = {std::string(id) + ".txt"};
    started.tasks.push_back(task);
  }
  return started;
}

void begin(Delivery& stage) {
  stage.happen({a_plan()});
  stage.happen({VerifyFinished{VerifyPurpose::baseline, {}, ""},
                AgentDispatched{1, signal::Role::developer, "T-1", 1, 1, Why::fresh, "", ""},
                AgentDispatched{2, signal::Role::developer, "T-2", 1, 2, Why::fresh, "", ""}});
}

QuestionAsked question(int number) {
  QuestionAsked asked;
  asked.question = number;
  asked.kind = QuestionKind::clarification;
  asked.task = "T-1";
  asked.text = "a\x1b[31m\nFORGED line";
  return asked;
}

TEST(JsonFace, AFinishedAgentOfADeliveryTellsTaskRoleAndAttempt) {
  Delivery stage(Look::json);
  begin(stage);
  stage.taken();
  AgentFinished ended;
  ended.agent = 2;
  stage.happen({ended});
  const Json line = lines_of(stage.taken()).front();
  EXPECT_EQ(line["event"], "agent_finished");
  EXPECT_EQ(line["task"], "T-2");
  EXPECT_EQ(line["role"], "developer");
  EXPECT_EQ(line["attempt"], 1);
  stage.face.completed_before({"T-0"});
  stage.face.on_cut_off({Reason::failed, "the disk is full", ""});
  const Json cut_off = lines_of(stage.taken()).back();
  EXPECT_EQ(cut_off["event"], "run_finished");
  EXPECT_EQ(cut_off["completed"], Json::array({"T-0"}));
  EXPECT_EQ(cut_off["waiting"], Json::array({"T-1", "T-2"}));
  stage.face.finish({1, "T2"});
  const std::vector<Json> last = lines_of(stage.out);
  EXPECT_EQ(last[0]["event"], "delivery_finished");
  EXPECT_EQ(last[1]["event"], "run_finished");
  for (const Json& one : last) {
    EXPECT_EQ(one["completed"], Json::array({"T-0"}));
    EXPECT_EQ(one["waiting"], Json::array({"T-1", "T-2"}));
    EXPECT_EQ(one["at"], "T2");
    EXPECT_FALSE(one["run"].empty());
  }
}

TEST(JsonFace, TheEndOfAnAgentHasWhatAllItsCallsUsedThoseOfEarlierProcessesToo) {
  const auto call = [](std::int64_t micros, std::int64_t ms) {
    event::supply::AgentUsed used;
    used.agent = 1;
    used.use.tokens_known = true;
    used.use.input = 100;
    used.use.cost_known = micros > 0;
    used.use.cost_micros = micros;
    used.duration_ms = ms;
    const event::supply::Fact fact = used;
    return event::NewFact{std::string(kind_of(fact)), kAt, body_of(fact)};
  };
  Phases before(Look::quiet);
  begin(before);
  before.happen({event::PhaseStarted{"execute", 1, 2, "", "claude", "", false}});
  const event::NewFact first = call(250'000, 40);
  before.journal.push_back({before.journal.size() + 1, "run-1", first.kind, first.at, first.body});
  Phases stage(Look::json);
  stage.face.recall(before.journal);
  stage.face.on_facts(std::vector<event::NewFact>{call(0, 60)});
  stage.taken();
  const event::PipelineFact ended = finished("execute", 1, 2, signal::Status::pass, "");
  stage.face.on_facts(
      std::vector<event::NewFact>{{std::string(kind_of(ended)), kAt, body_of(ended)}});
  const Json line = lines_of(stage.taken()).front();
  EXPECT_EQ(line["task"], "demo-1.1.1");
  EXPECT_EQ(line["usage"]["calls"], 2);
  EXPECT_EQ(line["usage"]["calls_without_cost"], 1);
  EXPECT_EQ(line["usage"]["cost_micros"], 250'000);
  EXPECT_EQ(line["usage"]["tokens"]["input"], 200);
  EXPECT_EQ(line["usage"]["duration_ms"], 100);
  EXPECT_TRUE(line["usage"]["agent_runs"].is_null());
}

TEST(LiveFace, TheBoardOfADeliveryHasARowForEachAgentWithItsTimeAndLastLine) {
  Delivery stage(Look::live);
  begin(stage);
  stage.face.on_output(1, "working \x1b[2J hard\n");
  stage.now = 65'000;
  stage.taken();
  stage.face.tell("a word\n");
  const std::string screen = stage.out;
  EXPECT_NE(screen.find("a word\nThe plan: 0 of 2 tasks complete, 2 agents at work\n"), screen.npos)
      << screen;
  EXPECT_NE(screen.find("T-1"), screen.npos);
  EXPECT_NE(screen.find("developer"), screen.npos);
  EXPECT_NE(screen.find("1m 05s"), screen.npos) << screen;
  EXPECT_EQ(screen.find("\x1b[2J"), screen.npos) << "hostile output reaches the terminal";
}

TEST(LiveFace, WhileAPersonTypesNothingIsDrawnOverTheirWords) {
  Delivery stage(Look::live, true);
  begin(stage);
  AgentFinished asks;
  asks.agent = 1;
  asks.signal = signal::Signal::divine_clarification;
  asks.fields = {{"Question", "Which colour?"}};
  stage.happen({asks, question(1)});
  stage.face.tell("Type the answer\n");
  EXPECT_NE(stage.taken().find("question 1: "), std::string::npos);
  AgentFinished ended;
  ended.agent = 2;
  stage.happen({ended});
  EXPECT_EQ(stage.taken(), "") << "a line, or a picture, would stand in what they type";
  stage.happen({QuestionAnswered{1, "blue", "terminal"}});
  const std::string after = stage.taken();
  EXPECT_NE(after.find("T-2"), std::string::npos) << "what happened meanwhile: " << after;
  EXPECT_NE(after.find("question 1 answered (terminal): blue"), std::string::npos) << after;
  EXPECT_NE(after.find("of 2 tasks complete"), std::string::npos) << "the board is back: " << after;
}

// How often the loop is woken until `time`, and no longer than `wanted` does not hold.
int wakes(process::Loop& loop, process::Clock::duration time, const std::function<bool()>& wanted) {
  int turns = 0;
  bool over = false;
  const process::TimerId end = loop.at(process::Clock::now() + time, [&] { over = true; });
  for (; !over && !wanted(); ++turns) loop.turn();
  loop.cancel(end);
  return turns;
}

TEST(LiveFace, WhileAPersonTypesNothingIsWokenAndThePictureGoesOnBehindTheAnswer) {
  const auto loop = process::Loop::create();
  ASSERT_TRUE(loop.has_value());
  Delivery stage(Look::live, true, loop->get());
  begin(stage);
  // However slow the machine is, frames come until somebody is asked, and again later.
  const auto frames = [&](std::size_t count) {
    stage.taken();
    std::size_t seen = 0;
    wakes(**loop, std::chrono::minutes(2), [&] {
      if (!stage.taken().empty()) ++seen;
      return seen >= count;
    });
    return seen;
  };
  EXPECT_EQ(frames(3), 3U);
  int agent = 1;
  const auto ask = [&](int number) {
    if (number > 1) {
      agent = number + 1;
      stage.happen({AgentDispatched{agent, signal::Role::developer, "T-1", number, agent,
                                    Why::fresh, "", ""}});
    }
    AgentFinished asks;
    asks.agent = agent;
    asks.signal = signal::Signal::divine_clarification;
    stage.happen({asks, question(number)});
    stage.taken();
  };
  const auto answer = [&](int number) {
    stage.happen({QuestionAnswered{number, "blue", "terminal"}});
    EXPECT_EQ(frames(3), 3U) << "the picture stands still";
  };
  for (const int number : {1, 2}) {
    ask(number);
    // The frame that was due, and the end of the second itself.
    EXPECT_LE(wakes(**loop, std::chrono::seconds(1), [] { return false; }), 3);
    EXPECT_EQ(stage.taken(), "");
    answer(number);
  }
  // Answered before the frame that was due comes: it is the same clock that goes on.
  ask(3);
  answer(3);
  ask(4);
  stage.face.close();
  EXPECT_LE(wakes(**loop, std::chrono::seconds(1), [] { return false; }), 2) << "it has no clock";
}

TEST(LiveFace, WithoutSomebodyAtTheTerminalAQuestionStopsNoPicture) {
  Delivery stage(Look::live, false);
  begin(stage);
  stage.happen({question(1)});
  stage.taken();
  AgentFinished ended;
  ended.agent = 2;
  stage.happen({ended});
  EXPECT_NE(stage.out.find("T-2"), std::string::npos);
}

TEST(PlainFace, HostileTextsStayOnTheirLine) {
  Delivery stage(Look::plain);
  begin(stage);
  stage.taken();
  stage.happen({question(1)});
  EXPECT_EQ(stage.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(stage.out.find("\nFORGED"), std::string::npos);
}

TEST(DeliveryReport, TellsEveryTask) {
  Delivery stage(Look::quiet);
  begin(stage);
  EXPECT_EQ(stage.out, "");
  const std::string report =
      delivery_report({"/p/PLAN.md", "run-1", stage.journal, {"test: make"}, "/p"});
  EXPECT_NE(report.find("## T-1: Title"), report.npos);
  EXPECT_NE(report.find("- Merges were checked by: `test: make`\n"), report.npos) << report;
  EXPECT_NE(report.find("- State: developer (attempt 1)"), report.npos) << report;
}

TEST(JsonFace, ATurnOfAutoModeTellsRoleAndAttemptToo) {
  Stage<event::auto_run::Fact> stage(Look::json);
  namespace fact = event::auto_run;
  fact::Started started;
  started.task = "Do it";
  started.at = "2026-01-01T00:00:00.000Z";
  fact::TurnStarted turn;
  turn.number = 1;
  turn.attempt = 2;
  fact::TurnFinished ended;
  ended.number = 1;
  stage.happen({started, fact::PlaceReady{"/w", "b", started.at}});
  stage.happen({turn});
  stage.happen({ended});
  const Json line = lines_of(stage.taken()).back();
  EXPECT_EQ(line["event"], "auto_turn_finished");
  EXPECT_EQ(line["role"], "expansion");
  EXPECT_EQ(line["attempt"], 2);
  EXPECT_TRUE(line.contains("task"));
  stage.face.finish({1, "T"});
  EXPECT_EQ(lines_of(stage.out).back()["workflow"], "auto");
}

TEST(LastLine, IsTheNewestCompleteOneHoweverTheOutputIsCut) {
  LastLine line;
  line.feed("one\ntw");
  EXPECT_EQ(line.take(), "one");
  line.feed("o\n\n\n");
  EXPECT_EQ(line.take(), "two");
  LastLine huge;
  huge.feed(std::string(10'000'000, 'x'));
  EXPECT_LE(huge.take().size(), 10'000U);
}

}  // namespace
}  // namespace capsule::ui
