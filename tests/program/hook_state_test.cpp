// A state file that makes no sense: refused or bounded, told to the person, and never in the way.
#include "tests/program/hook_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class HookState : public HookProject {
 protected:
  // Allowed, told, and out of the way for good.
  void expect_set_aside(const Json& state, const std::string& why) const {
    given(state);
    const Outcome outcome = says("working");
    EXPECT_TRUE(allowed(outcome)) << why;
    EXPECT_THAT(message(outcome), HasSubstr(why));
    EXPECT_THAT(message(outcome), HasSubstr("set aside"));
    EXPECT_FALSE(std::filesystem::exists(state_path())) << why;
    EXPECT_EQ(says("working").out, "") << why;
  }
};

TEST_F(HookState, NegativeCountsAreRefused) {
  for (const char* key : {"iteration", "max_iterations"})
    for (const Json& count : {Json(-1), Json(INT64_MIN), Json(-1e30)}) {
      Json state = this->state("planning");
      state[key] = count;
      expect_set_aside(state, std::string(key) + " is negative");
    }
}

TEST_F(HookState, CountsThatAreNoNumbersAreRefused) {
  for (const Json& count : {Json("3"), Json(true), Json::array(), Json::object()}) {
    Json state = this->state("planning");
    state["iteration"] = count;
    expect_set_aside(state, "iteration is not a number");
  }
}

TEST_F(HookState, ACountBeyondAllBoundsReachesItsLimit) {
  for (const Json& count : {Json(INT64_MAX), Json(1e300)}) {
    Json state = this->state("planning");
    state["iteration"] = count;
    given(state);
    EXPECT_THAT(message(says("working")), HasSubstr("auto mode failed"));
    EXPECT_EQ(now()["phase"], "failed");
  }
}

TEST_F(HookState, MoreSignalsThanMakeSenseAreRefused) {
  Json state = this->state("planning");
  Json& list = state["signals"]["detected_signals"];
  for (int i = 0; i < 1001; ++i)
    list.push_back({{"signal", "TRANSITION_TO_QA"}, {"detected_at", "x"}});
  expect_set_aside(state, "it lists 1001 signals");
}

TEST_F(HookState, AStateOfAThousandSignalsGoesOnWithoutMore) {
  Json state = this->state("planning");
  Json& list = state["signals"]["detected_signals"];
  for (int i = 0; i < 1000; ++i)
    list.push_back({{"signal", "TRANSITION_TO_QA"}, {"detected_at", "x"}});
  given(state);
  EXPECT_THAT(reason(says(block("PLANNING_COMPLETE"))), HasSubstr("of 9: execution"));
  EXPECT_EQ(now()["signals"]["detected_signals"].size(), 1000U);
}

TEST_F(HookState, AFileBeyondItsSizeIsNotReadAndLeftAlone) {
  Json state = this->state("planning");
  Json& list = state["signals"]["detected_signals"];
  for (int i = 0; i < 200'000; ++i)
    list.push_back({{"signal", "TRANSITION_TO_QA"}, {"detected_at", "2026-01-01T00:00:00Z"}});
  for (const std::string& text : {state.dump(), std::string(50'000'000, '['),
                                  "{\"task_description\":\"" + std::string(1 << 20, 'x') + "\"}"}) {
    write_file(state_path(), text);
    const Outcome outcome = says("working");
    EXPECT_TRUE(allowed(outcome));
    EXPECT_THAT(message(outcome), HasSubstr("is larger than"));
    EXPECT_EQ(std::filesystem::file_size(state_path()), text.size());
  }
}

TEST_F(HookState, BracketsBeyondAllDepthAreRefused) {
  write_file(state_path(), "{\"active\":true,\"config\":" + std::string(500'000, '[') +
                               std::string(500'000, ']') + "}");
  const Outcome outcome = says("working");
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(message(outcome), HasSubstr("set aside"));
}

TEST_F(HookState, MembersOfAnotherKindHaveTheirUsualValue) {
  Json state = this->state("planning");
  state["config"] = 7;
  state["signals"] = "none";
  state["planning"] = Json::array({1});
  state["phase_durations"] = false;
  state["started_at"] = 12;
  state["last_stop"] = Json::array();
  given(state);
  EXPECT_THAT(reason(says(block("PLANNING_COMPLETE"))), HasSubstr("of 9: execution"));
}

TEST_F(HookState, WhatItTellsIsShortAndPrintable) {
  given(state("\x1b[31m" + std::string(100'000, 'x')));
  const std::string text = message(says("working"));
  EXPECT_THAT(text, HasSubstr("no phase"));
  EXPECT_LT(text.size(), 1000U);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST_F(HookState, ATaskThatNoStateCouldHoldIsNotStarted) {
  const Outcome outcome = call({.args = {"auto", "start", "-", "--project-dir=" + project()},
                                .input = std::string(200'000, 'x')});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("longer than"));
  EXPECT_FALSE(std::filesystem::exists(state_path()));
}

}  // namespace
}  // namespace capsule::test
