#include "ui/board.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "ui/delivery_lines.h"

namespace capsule::ui {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about

delivery::State begun() {
  delivery::State state;
  DeliveryStarted started;
  started.title = "The plan";
  for (const char* id : {"T-1", "T-2"}) {
    Task task;
    task.id = id;
    task.title = "Title";
    task.criteria = {"x"};
    task.predicted = {std::string(id) + ".txt"};
    started.tasks.push_back(task);
  }
  delivery::advance(state, {started});
  delivery::advance(state, {VerifyFinished{VerifyPurpose::baseline, {}, ""}});
  return state;
}

TEST(Board, HasARowForEachAgentWithItsTimeAndLastLine) {
  const delivery::State state = begun();
  ASSERT_EQ(state.agents.size(), 2U);
  BoardTimes times;
  times.now_ms = 65'000;
  for (const auto& [number, agent] : state.agents) times.began_ms[number] = 0;
  const std::string picture =
      board(state, times, [](int) { return std::string("working \x1b[2J hard"); }, 70, 20, {});
  EXPECT_NE(picture.find("The plan: 0 of 2 complete\n"), picture.npos) << picture;
  EXPECT_NE(picture.find("T-1"), picture.npos);
  EXPECT_NE(picture.find("developer"), picture.npos);
  EXPECT_NE(picture.find("1m 05s"), picture.npos) << picture;
  EXPECT_EQ(picture.find('\x1b'), picture.npos) << "hostile output reaches the terminal";
  for (std::string_view line : split(picture, '\n')) EXPECT_LE(line.size(), 80U);
}

TEST(Board, NeverHasMoreRowsThanTheTerminal) {
  const std::string picture = board(begun(), {}, [](int) { return std::string(); }, 80, 2, {});
  EXPECT_LE(std::count(picture.begin(), picture.end(), '\n'), 3);
}

TEST(DeliveryLines, HostileTextsStayOnTheirLine) {
  Narrator narrator({});
  const delivery::State state = begun();
  QuestionAsked asked;
  asked.question = 1;
  asked.task = "T-1";
  asked.text = "a\x1b[31m\nFORGED line";
  const std::string line = narrator.line(asked, state);
  EXPECT_EQ(line.find('\x1b'), line.npos);
  EXPECT_EQ(line.find("\nFORGED"), line.npos);
}

TEST(DeliveryLines, JsonKeepsTheKindAndTheMembers) {
  const std::string line = delivery_json(TaskCompleted{"T-1", "abc"}, "run-1", "now");
  EXPECT_EQ(line,
            "{\"event\":\"task_completed\",\"at\":\"now\",\"run\":\"run-1\",\"task\":\"T-1\","
            "\"commit\":\"abc\"}\n");
  EXPECT_EQ(delivery_finished_json(begun()),
            "{\"event\":\"delivery_finished\",\"completed\":[],\"failed\":[],\"waiting\":[\"T-1\","
            "\"T-2\"]}\n");
}

TEST(DeliveryReport, TellsEveryTask) {
  const std::string report = delivery_report(begun(), "run-1");
  EXPECT_NE(report.find("## T-1: Title"), report.npos);
  EXPECT_NE(report.find("- State: developer (attempt 1)"), report.npos) << report;
}

}  // namespace
}  // namespace capsule::ui
