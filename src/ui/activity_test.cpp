// What an agent does now: in the picture, in lines, and for programs.
#include "dialect/test_support.h"
#include "ui/activity_text.h"
#include "ui/face_test_support.h"

namespace capsule::ui::activity_tests {
namespace {

using dialect::Activity;
using dialect::Event;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = Event::Kind;

Event tool(const std::string& detail) {
  return {.kind = Kind::tool_started, .tool = "Bash", .text = detail};
}
Event says(const std::string& words) { return {.kind = Kind::text, .text = words, .whole = words}; }
Event tokens(std::int64_t input) {
  Event event{.kind = Kind::tokens};
  event.use.tokens_known = true;
  event.use.input = input;
  return event;
}
Event waits() {
  return {.kind = Kind::waiting, .text = "overloaded", .status = 529, .delay_ms = 500};
}

// An agent and the face that is told of it.
template <class Stage>
struct Doing {
  Stage& stage;
  std::string task = "demo-1.1.1";
  Activity now = {};
  void operator()(const Event& event) {
    dialect::fold(now, event, stage.now);
    stage.face.on_activity({1, task, "test-writer", 2}, now);
  }
};

TEST(ActivityWords, SayWhatItDoes) {
  Activity now;
  dialect::fold(now, {.kind = Kind::session, .text = "s"}, 0);
  EXPECT_EQ(activity_line(now, 12'400, 60), "waits for the model  12s");
  dialect::fold(now, says("I test it."), 13'000);
  EXPECT_EQ(activity_line(now, 14'000, 60), "I test it.");
  EXPECT_EQ(activity_line(now, 50'000, 60), "waits for the model  37s") << "that is no news";
  dialect::fold(now, tool("go test ./… and much more"), 60'000);
  EXPECT_EQ(activity_line(now, 60'500, 60), "Bash go test ./… and much more");
  EXPECT_EQ(activity_line(now, 245'000, 30), "Bash go test ./… and …  3m 05s")
      << "the time is not cut off";
  dialect::fold(now, tool("x"), 60'000);
  EXPECT_EQ(activity_words(now), "Bash x (and 1 more)");
  dialect::fold(now, waits(), 70'000);
  EXPECT_EQ(activity_line(now, 72'000, 60), "waits for the API (529 overloaded)  2s");
}

TEST(ActivityWords, TokensAreShortAndNotAZeroThatNobodyKnows) {
  const auto words = [](std::int64_t input) { return tokens_words(tokens(input).use); };
  EXPECT_EQ(words(0), "");
  EXPECT_EQ(words(999), "999 tokens");
  EXPECT_EQ(words(1234), "1.2k tokens");
  EXPECT_EQ(words(21'400), "21.4k tokens");
  EXPECT_EQ(words(1'240'000), "1.2M tokens");
}

TEST(LiveFace, ShowsWhatTheAgentDoesInPlaceOfItsEvents) {
  Phases stage(Look::live);
  begin(stage);
  stage.happen({event::PhaseStarted{"test-writer", 1, 1, "", "claude", "", false}});
  Doing<Phases> doing{stage};
  doing(says("First I look."));
  doing(tokens(21'400));
  doing(tool("go test ./…"));
  stage.face.on_output(1, R"({"type":"assistant"})"
                          "\n");
  stage.taken();
  stage.now = 12'000;
  stage.happen({event::SnapshotTaken{}});
  const std::string screen = stage.taken();
  EXPECT_THAT(screen, HasSubstr("│ First I look.\n"));
  EXPECT_THAT(screen, HasSubstr("│ Bash go test ./…  12s"));
  EXPECT_THAT(screen, HasSubstr("21.4k tokens\n"));
  EXPECT_THAT(screen, Not(HasSubstr("assistant")));
  // The next call of the same agent begins with nothing.
  stage.face.on_activity({1}, {});
  stage.face.on_output(1, "text\n");
  stage.happen({event::SnapshotTaken{}});
  EXPECT_THAT(stage.taken(), HasSubstr("│ text\n"));
}

TEST(LiveFace, TheBoardOfADeliveryHasWhatEachAgentDoesOnALineThatFits) {
  using namespace event::delivery;  // NOLINT
  Delivery stage(Look::live);
  DeliveryStarted started;
  started.title = "The plan";
  Task task;
  task.id = "T-1";
  task.criteria = {"x"};
  started.tasks.push_back(task);
  stage.happen({started});
  stage.happen({VerifyFinished{VerifyPurpose::baseline, {}, ""},
                AgentDispatched{1, signal::Role::developer, "T-1", 1, 1, Why::fresh, "", ""}});
  Doing<Delivery> doing{stage};
  doing(tokens(21'400));
  doing(tool("a long command that does not fit here"));
  stage.taken();
  stage.now = 12'000;
  stage.happen({FileWaitStarted{}});
  const std::string screen = stage.taken();
  EXPECT_THAT(screen, HasSubstr("12s"));
  EXPECT_THAT(screen, HasSubstr("Bash "));
  for (const std::string_view line : split(screen, '\n')) EXPECT_LE(line.size(), 80u) << line;
}

TEST(JsonFace, TellsWhatAnAgentDoesAtMostOnceASecondAndThenTheNewest) {
  Phases stage(Look::json);
  begin(stage);
  stage.happen({event::PhaseStarted{"test-writer", 1, 2, "", "claude", "", false}});
  stage.taken();
  Doing<Phases> doing{stage};
  stage.now = 100;
  doing(tool("one"));
  for (int i = 0; i < 50; ++i) doing(says("more " + std::to_string(i)));
  std::vector<Json> lines = lines_of(stage.taken());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["event"], "agent_activity");
  EXPECT_EQ(lines[0]["run"], "run-1");
  EXPECT_EQ(lines[0]["agent"], 1);
  EXPECT_EQ(lines[0]["task"], "demo-1.1.1");
  EXPECT_EQ(lines[0]["role"], "test-writer");
  EXPECT_EQ(lines[0]["attempt"], 2);
  EXPECT_EQ(lines[0]["doing"]["what"], "tool");
  EXPECT_EQ(lines[0]["doing"]["tool"], "Bash");
  EXPECT_EQ(lines[0]["doing"]["detail"], "one");
  EXPECT_EQ(lines[0]["doing"]["tokens"], nullptr) << "unknown is not 0";
  stage.now = 1100;
  doing(tokens(7));
  lines = lines_of(stage.taken());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["doing"]["said"], "more 49");
  EXPECT_EQ(lines[0]["doing"]["tokens"]["input"], 7);
  doing(tool("two"));
  EXPECT_EQ(stage.taken(), "");
  stage.happen({finished("test-writer", 1, 2, signal::Status::pass, "")});
  lines = lines_of(stage.taken());
  EXPECT_EQ(lines[0]["doing"]["detail"], "two") << "before the facts that follow";
  EXPECT_EQ(lines[1]["event"], "phase_finished");
}

TEST(PlainFace, SaysThatAnAgentWaitsForItsServiceAndIsQuietOtherwise) {
  Phases stage(Look::plain);
  begin(stage);
  stage.happen({event::PhaseStarted{"test-writer", 1, 1, "", "claude", "", false}});
  stage.taken();
  Doing<Phases> doing{stage};
  doing(says("words"));
  doing(tool("one"));
  EXPECT_EQ(stage.taken(), "");
  for (int i = 0; i < 10; ++i) doing(waits());
  EXPECT_THAT(
      stage.taken(),
      HasSubstr("test-writer waits for the API (529 overloaded); its client tries again\n"));
  stage.now = 61'000;
  doing(waits());
  EXPECT_THAT(stage.taken(), HasSubstr("waits for the API"));
}

}  // namespace
}  // namespace capsule::ui::activity_tests
