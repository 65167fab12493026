#include "agent/outcome.h"

#include <gmock/gmock.h>

namespace capsule::agent {
namespace {

using dialect::Reading;
using event::Fault;
using ::testing::HasSubstr;
using How = Ending::How;

constexpr dialect::Moment kNow{1'794'916'800, 0};

Ending exited(int status, std::string out = "", std::string err = "") {
  Ending ending;
  ending.exit_code = status;
  ending.out_end = std::move(out);
  ending.err_end = std::move(err);
  return ending;
}
Reading stream(std::string text = "words") {
  Reading reading;
  reading.streamed = reading.closed = true;
  reading.text = std::move(text);
  return reading;
}
Reading failing(Fault fault) {
  Reading reading = stream("");
  reading.failure = dialect::Failure{fault, "its words", 0, 0};
  return reading;
}
Fault fault(const Ending& ending, const Reading& reading = {}) {
  return outcome_of(ending, reading, kNow).fault;
}

TEST(Outcome, OurClockAndOurKillComeFirst) {
  for (const How how : {How::timed_out, How::unanswered, How::ended, How::interrupted, How::lost}) {
    Ending ending = exited(1);
    ending.how = how;
    EXPECT_EQ(fault(ending, failing(Fault::overloaded)), fault_of(ending));
  }
}

TEST(Outcome, AnAnswerThatNeverCameIsItsServicesFault) {
  Ending ending = exited(143);
  ending.how = How::unanswered;
  ending.silent = std::chrono::milliseconds(900'417);
  const Outcome outcome = outcome_of(ending, {}, kNow);
  EXPECT_EQ(outcome.fault, Fault::no_answer);
  EXPECT_TRUE(of_service(outcome.fault));
  EXPECT_EQ(outcome.detail, "had no answer from its service for 900 s");
  EXPECT_EQ(outcome.words, "no answer for 900 s");
}

TEST(Outcome, WhoWasEndedByUsOrEndedEarlyIsToldWithItsClientsLastLine) {
  Ending late = exited(143, "thinking\nstill at it\n");
  late.how = How::timed_out;
  EXPECT_EQ(outcome_of(late, {}, kNow).words, "still at it");
  late.err_end = "waiting for a lock\n";
  EXPECT_EQ(outcome_of(late, stream(), kNow).words, "waiting for a lock");
  Reading unclosed = stream();
  unclosed.closed = false;
  const Outcome cut = outcome_of(exited(0, "{}", "Killed\n"), unclosed, kNow);
  EXPECT_EQ(cut.fault, Fault::exit_status);
  EXPECT_EQ(cut.words, "Killed");
}

TEST(Outcome, ThenAFailureThatTheClientTellsWhateverItsExitStatus) {
  for (const int status : {0, 1, 145}) {
    const Outcome outcome = outcome_of(exited(status), failing(Fault::no_credit), kNow);
    EXPECT_EQ(outcome.fault, Fault::no_credit);
    EXPECT_EQ(outcome.words, "its words");
    EXPECT_EQ(outcome.detail, "has no credit left at its service: its words");
  }
}

TEST(Outcome, ThenTheExitStatusWithTheLastWordsOfItsStreams) {
  EXPECT_EQ(fault(exited(1, "", "error: provider.api_error: 429 slow down\n"), stream()),
            Fault::rate_limited);
  EXPECT_EQ(fault(exited(1, "Credit balance is too low\n")), Fault::no_credit);
  const Outcome plain = outcome_of(exited(3, "did much\n", "and then this\n"), {}, kNow);
  EXPECT_EQ(plain.fault, Fault::exit_status);
  EXPECT_EQ(plain.detail, "ended with exit status 3");
  EXPECT_EQ(plain.words, "and then this");
  // Text that events hold is no complaint of the client.
  EXPECT_EQ(fault(exited(1, "Credit balance is too low\n"), stream()), Fault::exit_status);
}

TEST(Outcome, ACrashIsNamedByItsSignal) {
  Ending ending = exited(139, "", "error: 429\n");
  ending.how = How::signalled;
  ending.signal = 11;
  const Outcome outcome = outcome_of(ending, stream(), kNow);
  EXPECT_EQ(outcome.fault, Fault::exit_status);
  EXPECT_THAT(outcome.detail, HasSubstr("SIGSEGV"));
}

TEST(Outcome, ThenAMissingEndAndNoWords) {
  Reading cut = stream();
  cut.closed = false;
  EXPECT_EQ(fault(exited(0), cut), Fault::exit_status);
  EXPECT_EQ(fault(exited(0), stream(" \n")), Fault::no_words);
  EXPECT_EQ(fault(exited(0), stream()), Fault::none);
}

TEST(Outcome, PlainTextThatEndsWellIsNeverAFault) {
  EXPECT_EQ(fault(exited(0, "API Error: 429 usage limit reached|1794960000\n")), Fault::none);
  EXPECT_EQ(fault(exited(0)), Fault::none);
}

TEST(Outcome, AUsageLimitSaysWhenItEnds) {
  const Outcome outcome =
      outcome_of(exited(1, "Claude AI usage limit reached|1794960000\n"), {}, kNow);
  EXPECT_EQ(outcome.fault, Fault::usage_limit);
  EXPECT_EQ(outcome.reset_at, 1'794'960'000);
}

}  // namespace
}  // namespace capsule::agent
