#include "workflow/auto/hook.h"

#include <gtest/gtest.h>

#include <limits>

#include "workflow/auto/texts.h"

namespace capsule::auto_mode {
namespace {

using signal::Signal;

const Moment kNow{"2026-01-01T03:00:00Z", 1767236400};

State at(const char* phase) {
  State state = started("t", {}, 2, "2026-01-01T02:59:00Z");
  state.phase = phase;
  return state;
}

Answer stop(const State& state, std::vector<Signal> signals, const std::string& session = "s") {
  return answer_stop(state, {{std::move(signals), std::nullopt, ""}, session}, kNow);
}

TEST(AutoHook, ASignalCountsOnlyInItsPhase) {
  EXPECT_EQ(stop(at("qa"), {Signal::qa_complete}).state.phase, "review");
  EXPECT_EQ(stop(at("qa"), {Signal::review_complete}).verdict, Verdict::go_on);
  EXPECT_EQ(stop(at("qa"), {Signal::review_complete, Signal::qa_complete}).state.phase, "review");
  EXPECT_EQ(stop(at("qa"), {Signal::qa_complete, Signal::review_complete}).state.phase, "fix");
}

TEST(AutoHook, WhateverFollowsTheEndIsNotRead) {
  const Answer answer = stop(at("reflect"), {Signal::reflect_complete, Signal::auto_complete});
  EXPECT_EQ(answer.verdict, Verdict::finished);
  EXPECT_EQ(answer.state.exit_reason, ExitReason::all_phases_complete);
  EXPECT_EQ(answer.state.detected.size(), 1U);
}

TEST(AutoHook, AnErrorAfterACompletionStandsInTheNextPhase) {
  const Answer answer = stop(at("qa"), {Signal::qa_complete, Signal::phase_error});
  EXPECT_EQ(answer.verdict, Verdict::error);
  EXPECT_EQ(answer.state.phase, "review");
  EXPECT_TRUE(answer.state.active);
}

TEST(AutoHook, TheCountExceedsTheLimitBeforeItFails) {
  State state = at("qa");
  for (int i = 1; i <= 2; ++i) {
    const Answer answer = stop(state, {});
    EXPECT_EQ(answer.verdict, Verdict::go_on);
    EXPECT_EQ(answer.state.iteration, i);
    state = answer.state;
  }
  EXPECT_EQ(stop(state, {}).verdict, Verdict::failed);
  EXPECT_EQ(stop(state, {Signal::qa_complete}).state.iteration, 0);
}

TEST(AutoHook, ALimitOfNothingFailsAtOnce) {
  State state = at("qa");
  state.max_iterations = 0;
  EXPECT_EQ(stop(state, {}).verdict, Verdict::failed);
}

TEST(AutoHook, ABoundStateIsOnlyItsSessions) {
  State state = at("qa");
  state.session = "s";
  EXPECT_EQ(stop(state, {Signal::qa_complete}, "other").verdict, Verdict::not_ours);
  EXPECT_EQ(stop(state, {Signal::qa_complete}, "").verdict, Verdict::not_ours);
  EXPECT_FALSE(stop(state, {Signal::qa_complete}, "other").changed);
}

TEST(AutoHook, AWaitingSessionCountsNothingButSignals) {
  State state = at("qa");
  state.iteration = 2;
  SessionStop stop{{}, "s", 1};
  stop.seen.transition = Signal::transition_to_qa;
  const Answer waiting = answer_stop(state, stop, kNow);
  EXPECT_EQ(waiting.verdict, Verdict::waiting);
  EXPECT_FALSE(blocks(waiting.verdict));
  EXPECT_EQ(waiting.state.iteration, 2);
  EXPECT_EQ(waiting.state.session, "s");
  EXPECT_TRUE(waiting.state.detected.empty()) << "it is read again at the next stop";
  stop.seen = {{Signal::qa_complete}, {}, ""};
  EXPECT_EQ(answer_stop(state, stop, kNow).verdict, Verdict::next_phase);
}

TEST(AutoHook, ACallThatBeganBeforeAnotherHadItsAnswerIsForTheSameStop) {
  const Answer first = answer_stop(at("qa"), {{}, "s", 0, "", false, 10, 15}, kNow);
  EXPECT_EQ(first.verdict, Verdict::go_on);
  const Answer second = answer_stop(first.state, {{}, "s", 0, "", false, 14, 20}, kNow);
  EXPECT_EQ(second.verdict, Verdict::answered);
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(answer_stop(first.state, {{}, "s", 0, "", false, 16, 20}, kNow).verdict,
            Verdict::go_on);
  // The machine was started again since: its clock, too.
  EXPECT_EQ(answer_stop(first.state, {{}, "s", 0, "", false, 3, 5}, kNow).verdict, Verdict::go_on);
}

TEST(AutoHook, InstalledTwiceTheTranscriptTellsTheSameStop) {
  const Answer first = answer_stop(at("qa"), {{}, "s", 0, "record-1", true, 10, 15}, kNow);
  EXPECT_EQ(first.verdict, Verdict::go_on);
  const SessionStop again{{}, "s", 0, "record-1", true, 20, 25};
  EXPECT_EQ(answer_stop(first.state, again, kNow).verdict, Verdict::answered);
  SessionStop other = again;
  other.id = "record-2";
  EXPECT_EQ(answer_stop(first.state, other, kNow).verdict, Verdict::go_on);
  other = again;
  other.doubled = false;
  EXPECT_EQ(answer_stop(first.state, other, kNow).verdict, Verdict::go_on);
  other = again;
  other.id = "";
  EXPECT_EQ(answer_stop(first.state, other, kNow).verdict, Verdict::go_on);
  Moment later = kNow;
  later.seconds += kSameStopSeconds + 1;
  EXPECT_EQ(answer_stop(first.state, again, later).verdict, Verdict::go_on);
}

TEST(AutoHook, ACancelledStateGoesOnAtItsFirstUnfinishedPhase) {
  State state = stop(at("expansion"), {Signal::expansion_complete}).state;
  state = cancelled(state, kNow.text);
  EXPECT_EQ(state.phase, "failed");
  ASSERT_EQ(unfinished_phase(state), Phase::init);
  state = continued(state, kNow.text);
  EXPECT_TRUE(state.active);
  EXPECT_EQ(state.phase, "init");
  EXPECT_EQ(state.session, "");
  State done = at("reflect");
  done.phase = "complete";
  EXPECT_EQ(unfinished_phase(done), std::nullopt);
}

TEST(AutoHook, AStateOfAnotherToolGoesOnInThePhaseThatItWasIn) {
  State state;  // without a word on any phase
  state.active = true;
  state.phase = "execution";
  state.started_at = "2026-01-01T02:59:00Z";
  EXPECT_EQ(unfinished_phase(cancelled(state, kNow.text)), Phase::execution);
  state.max_iterations = 0;
  const State failed = stop(state, {}).state;
  EXPECT_EQ(failed.phase, "failed");
  EXPECT_EQ(unfinished_phase(failed), Phase::execution);
}

TEST(AutoHook, AStateThatWasBegunNowhereGoesOnAtItsFirstPhase) {
  State state;
  state.phase = "failed";
  EXPECT_EQ(unfinished_phase(state), Phase::expansion);
  state.config.skip_expansion = true;
  EXPECT_EQ(unfinished_phase(state), Phase::init);
  state.phases[index_of(Phase::reflect)].signal_detected = true;
  EXPECT_EQ(unfinished_phase(state), std::nullopt);
}

TEST(AutoHook, TheCountEndsAtTheLargestNumber) {
  State state = at("qa");
  state.iteration = state.max_iterations = std::numeric_limits<std::int64_t>::max();
  const Answer answer = stop(state, {});
  EXPECT_EQ(answer.verdict, Verdict::failed);
  EXPECT_EQ(answer.state.iteration, state.iteration);
}

TEST(AutoHook, TheTextsHoldTheBlocksThatAreRecognised) {
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    const auto told = signal::parse_block(signal_block(phase, {}, "2026-01-01T00:00:00Z"));
    EXPECT_EQ(told.signal, signal::expected_signal(phase));
    EXPECT_TRUE(told.warnings.empty());
    const Unsignalled place{phase, 1, 2, "t", {}};
    EXPECT_EQ(signal::parse_block(continuation_prompt(place)).signal, std::nullopt);
  }
}

TEST(AutoHook, OnlySignalsOfOtherPhasesCallForAFurtherLook) {
  const State state = started("task", {}, 5, "2026-01-01T00:00:00Z");  // in expansion
  EXPECT_FALSE(misses_a_phase(state, {}));
  EXPECT_FALSE(misses_a_phase(state, {{Signal::expansion_complete}, {}, ""}));
  EXPECT_TRUE(misses_a_phase(state, {{Signal::init_complete}, {}, ""}));
  EXPECT_FALSE(misses_a_phase(state, {{Signal::init_complete, Signal::phase_error}, {}, ""}));
}

}  // namespace
}  // namespace capsule::auto_mode
