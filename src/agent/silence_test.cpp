#include "agent/silence.h"

#include <gtest/gtest.h>

namespace capsule::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::int64_t kMinute = 60'000;

// An agent that is looked at once a minute, and that was last heard of before the first look.
class SilenceTest : public ::testing::Test {
 protected:
  SilenceTest() {
    now_.first_ms = kMinute - 2'000;
    now_.heard_ms = kMinute;
    now_.newest_process_ms = kMinute - 2'100;  // its client's own
    now_.at_ms = kMinute;
    now_.waits = true;
    silence_.look(now_);
  }
  milliseconds after(std::int64_t ms) {
    now_.at_ms += ms;
    return silence_.look(now_);
  }
  milliseconds after_a_minute() { return after(kMinute); }

  Silence silence_{4, minutes(1)};
  Look now_;
};

TEST_F(SilenceTest, GrowsWhileNothingIsSeenOfAnAgentThatWaitsForItsService) {
  EXPECT_EQ(after_a_minute(), minutes(1));
  EXPECT_EQ(after_a_minute(), minutes(2));
  EXPECT_EQ(after(500), minutes(2) + milliseconds(500));
}

TEST_F(SilenceTest, EndsWithAnEvent) {
  after_a_minute();
  now_.heard_ms = now_.at_ms + 1;
  EXPECT_EQ(after_a_minute(), milliseconds(0));
  EXPECT_EQ(after_a_minute(), minutes(1));
}

TEST_F(SilenceTest, IsNoneWhileAToolRunsOrTheClosingEventHasCome) {
  now_.waits = false;
  EXPECT_EQ(after_a_minute(), milliseconds(0));
  EXPECT_EQ(after_a_minute(), milliseconds(0));
  now_.waits = true;
  EXPECT_EQ(after_a_minute(), milliseconds(0)) << "what was before is not known";
  EXPECT_EQ(after_a_minute(), minutes(1));
}

// opencode tells of a tool when it is over.
TEST_F(SilenceTest, IsNoneWhileAProcessLivesThatBeganAfterTheNewestEvent) {
  now_.newest_process_ms = now_.at_ms + 5;
  for (int i = 0; i < 30; ++i) EXPECT_EQ(after_a_minute(), milliseconds(0));
  now_.newest_process_ms = kMinute - 2'100;
  EXPECT_EQ(after_a_minute(), minutes(1));
}

// The event is read a little after it was printed.
TEST_F(SilenceTest, IsNoneWhileAProcessLivesThatBeganWithTheNewestEvent) {
  now_.newest_process_ms = kMinute - 20;
  EXPECT_EQ(after_a_minute(), milliseconds(0));
}

// A server that an earlier tool left running is no tool.
TEST_F(SilenceTest, IsNotBrokenByAProcessThatBeganBefore) {
  now_.newest_process_ms = kMinute - 600;
  EXPECT_EQ(after_a_minute(), minutes(1));
}

TEST_F(SilenceTest, IsNoneWhileAFileChanges) {
  ++now_.newest_file_ns;
  EXPECT_EQ(after_a_minute(), milliseconds(0));
  EXPECT_EQ(after_a_minute(), minutes(1));
}

// An answer of many minutes: the client reads it, and tells of it when it is whole.
TEST_F(SilenceTest, IsNoneWhileTheClientUsesTheProcessorMoreThanOneThatWaits) {
  now_.processor_ms += 1'100;
  EXPECT_EQ(after_a_minute(), milliseconds(0));
  now_.processor_ms += 240;
  EXPECT_EQ(after_a_minute(), minutes(1));
  now_.processor_ms += 20;
  EXPECT_EQ(after(100), minutes(1) + milliseconds(100)) << "a timer of its own";
}

TEST_F(SilenceTest, BeginsAgainWhenTheMachineHasSlept) {
  after_a_minute();
  EXPECT_EQ(after(8 * 60 * kMinute), milliseconds(0));
  EXPECT_EQ(after_a_minute(), minutes(1));
}

TEST(SilenceLimits, LooksComeOftenEnoughForTheShorterLimitAndAtMostOnceAMinute) {
  EXPECT_EQ(look_every(minutes(10), minutes(15)), minutes(1));
  EXPECT_EQ(look_every(milliseconds(4'000), minutes(15)), milliseconds(500));
  EXPECT_EQ(look_every(minutes(10), milliseconds(4'000)), milliseconds(500));
  EXPECT_EQ(look_every(milliseconds(1), minutes(15)), milliseconds(100));
}

TEST(SilenceLimits, HalfOfItsTimeWithoutAnAnswerIsItsServices) {
  EXPECT_TRUE(is_owed(minutes(5), minutes(10), minutes(15)));
  EXPECT_FALSE(is_owed(minutes(4), minutes(10), minutes(15)));
  EXPECT_TRUE(is_owed(minutes(15), minutes(60), minutes(15)));
  EXPECT_FALSE(is_owed(minutes(14), minutes(60), minutes(15)));
  EXPECT_FALSE(is_owed(milliseconds(0), milliseconds(1), minutes(15)));
}

}  // namespace
}  // namespace capsule::agent
