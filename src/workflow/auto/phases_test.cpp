#include "workflow/auto/phases.h"

#include <gtest/gtest.h>

namespace capsule::auto_mode {
namespace {

using signal::Signal;

const Moment kMoment{"2026-01-01T03:00:00Z", 1767236400};

State begun() { return started("t", {}, 2, "2026-01-01T02:59:00Z"); }

TEST(AutoPhases, ACompletePhaseIsRecordedAndTheNextEntered) {
  State state = begun();
  state.iteration = 2;
  state.last_error = "e";
  EXPECT_EQ(complete_phase(state, kMoment), Phase::init);
  EXPECT_EQ(state.phase, "init");
  EXPECT_EQ(state.iteration, 0);
  EXPECT_EQ(state.last_error, "");
  EXPECT_EQ(state.phases[index_of(Phase::expansion)].duration_s, 60);
  EXPECT_EQ(state.phases[index_of(Phase::init)].started_at, kMoment.text);
}

TEST(AutoPhases, APhaseThatWasNotNeededHasNoSignalAndNoDuration) {
  State state = begun();
  complete_phase(state, kMoment, true);
  const PhaseRecord& record = state.phases[index_of(Phase::expansion)];
  EXPECT_TRUE(record.skipped);
  EXPECT_FALSE(record.signal_detected);
  EXPECT_EQ(record.duration_s, std::nullopt);
}

TEST(AutoPhases, TheLastPhaseLeavesTheStateForItsCallerToEnd) {
  State state = begun();
  state.phase = "reflect";
  EXPECT_EQ(complete_phase(state, kMoment), Phase::complete);
  EXPECT_EQ(state.phase, "reflect");
  EXPECT_TRUE(state.active);
}

TEST(AutoPhases, SignalsAreTakenByThePhaseThatIsThenCurrent) {
  State state = begun();
  const Taken taken = take_signals(
      state, {Signal::init_complete, Signal::expansion_complete, Signal::init_complete}, "",
      kMoment.text, [&] { return complete_phase(state, kMoment) != Phase::complete; });
  EXPECT_TRUE(taken.completed);
  EXPECT_EQ(state.phase, "planning");
  EXPECT_EQ(state.detected.size(), 2U);
}

TEST(AutoPhases, ACompletionSettlesTheErrorBeforeIt) {
  State state = begun();
  const auto next = [&] { return complete_phase(state, kMoment) != Phase::complete; };
  EXPECT_FALSE(
      take_signals(state, {Signal::phase_error, Signal::expansion_complete}, "e", "", next).error);
  EXPECT_TRUE(
      take_signals(state, {Signal::init_complete, Signal::phase_error}, "e", "", next).error);
  EXPECT_EQ(state.last_error, "e");
}

TEST(AutoPhases, AStateWithoutAPhaseTakesNoCompletion) {
  State state = begun();
  state.phase = kFailedPhase;
  EXPECT_FALSE(
      take_signals(state, {Signal::expansion_complete}, "", "", [] { return true; }).completed);
}

}  // namespace
}  // namespace capsule::auto_mode
