// Random sessions under the Stop hook's table.
#include "tests/reference/random.h"
#include "tests/simulation/auto.h"

namespace capsule::simulation {
namespace {

using auto_mode::Answer;
using auto_mode::Phase;
using auto_mode::State;
using auto_mode::Verdict;
using signal::Signal;

// What an agent says in one turn: often the right thing, often anything.
auto_mode::Seen said(reference::Random& random, const State& state, int& errors_left) {
  auto_mode::Seen seen;
  const auto phase = auto_mode::current_phase(state);
  const auto any = [&] {
    return static_cast<Signal>(static_cast<int>(Signal::expansion_complete) +
                               static_cast<int>(random.below(9)));
  };
  for (std::uint64_t count = random.below(4); count > 0; --count) {
    switch (random.below(6)) {
      case 0:
        if (errors_left > 0) {
          --errors_left;
          seen.sequence.push_back(Signal::phase_error);
        }
        break;
      case 1:
        if (random.once_in(20)) seen.sequence.push_back(Signal::auto_complete);
        break;
      case 2:
      case 3:
        if (phase) seen.sequence.push_back(signal::expected_signal(*phase));
        break;
      default:
        seen.sequence.push_back(any());
    }
  }
  if (seen.sequence.empty() && random.once_in(5)) seen.transition = Signal::transition_to_qa;
  return seen;
}

Answer answer(State state, const auto_mode::SessionStop& stop, const auto_mode::Moment& now,
              HookBug bug) {
  const State before = state;
  Answer result = auto_mode::answer_stop(std::move(state), stop, now);
  switch (bug) {
    case HookBug::none:
      break;
    case HookBug::limit_never_holds:
      if (result.verdict == Verdict::go_on) result.state.iteration = before.iteration;
      break;
    case HookBug::steps_back:
      if (result.verdict == Verdict::next_phase && result.state.phase == "check")
        result.state.phase = "planning";
      break;
    case HookBug::enters_skipped_phase:
      if (result.state.phase == "review" || result.state.phase == "complete")
        result.state.phase = "qa", result.state.active = true, result.verdict = Verdict::go_on;
      break;
    case HookBug::blocks_after_the_end:
      if (result.verdict == Verdict::finished) result.verdict = Verdict::go_on;
      break;
    case HookBug::holds_strangers:
      if (result.verdict == Verdict::not_ours) result.verdict = Verdict::go_on;
      break;
    case HookBug::counts_while_waiting:
      if (result.verdict == Verdict::waiting) ++result.state.iteration;
      break;
    case HookBug::answers_twice:
      if (result.verdict == Verdict::answered) result.verdict = Verdict::go_on;
      break;
  }
  return result;
}

bool is_skipped(Phase phase, signal::Skips skips) {
  Phase one = signal::first_phase(skips);
  for (; one != Phase::complete; one = signal::next_phase(one, skips))
    if (one == phase) return false;
  return true;
}

}  // namespace

Session simulate_session(std::uint64_t seed, signal::Skips skips, HookBug bug) {
  reference::Random random(seed);
  Session finding;
  auto_mode::Config config;
  config.skip_expansion = skips.expansion;
  config.skip_qa = skips.qa;
  config.skip_review = skips.review;
  config.skip_reflect = skips.reflect;
  const std::int64_t limit = static_cast<std::int64_t>(1 + random.below(5));
  auto_mode::Moment now{"2026-01-01T00:00:00Z", 0};
  State state = auto_mode::started("t", config, limit, now.text);
  now.seconds = *auto_mode::seconds_of(now.text);
  int errors_left = 5, go_on_in_a_row = 0;
  // Every phase may be told to go on `limit` times; errors and strangers come on top.
  const int most = 9 * static_cast<int>(limit + 1) + 5 + 50 + 50;
  int strangers_left = 50, waits_left = 50;
  std::int64_t ticks = 0;
  const std::string owner = random.once_in(2) ? "s" : "";
  state.session = owner;
  for (int stops = 0; state.active; ++stops) {
    if (stops > most) {
      finding.broken = "a session does not end";
      return finding;
    }
    now.seconds += static_cast<std::int64_t>(random.below(16000));
    const bool stranger =
        strangers_left > 0 && !state.session.empty() && random.once_in(8) && strangers_left-- > 0;
    const State before = state;
    const auto before_phase = *auto_mode::current_phase(before);
    auto_mode::SessionStop stop{said(random, state, errors_left), stranger ? "other" : "s"};
    if (waits_left > 0 && random.once_in(6)) stop.background = 1, --waits_left;
    stop.began = ++ticks;
    stop.answered = ++ticks;
    const Answer result = answer(state, stop, now, bug);
    // A second hook was called at the same time, and waited for the first.
    if (!stranger && result.state.active && random.once_in(4)) {
      auto_mode::SessionStop again = stop;
      again.answered = ++ticks;
      const Answer second = answer(result.state, again, now, bug);
      if (auto_mode::blocks(second.verdict) || !(second.state == result.state))
        finding.broken = "one stop is answered twice";
    }
    finding.story.push_back(before.phase + " -> " + result.state.phase + " " +
                            std::to_string(static_cast<int>(result.verdict)));
    state = result.state;
    const auto complain = [&](const char* what) { finding.broken = what; };
    const auto phase = auto_mode::current_phase(state);
    if (stranger && (!(state == before) || auto_mode::blocks(result.verdict)))
      complain("another session is held, or changes the state");
    if (auto_mode::blocks(result.verdict) !=
        (state.active && !stranger && result.verdict != Verdict::error &&
         result.verdict != Verdict::waiting && result.verdict != Verdict::not_ours))
      complain("a stop is blocked exactly when auto mode goes on");
    if (result.verdict == Verdict::waiting && state.iteration != before.iteration)
      complain("a session that waits is counted");
    if (!before.session.empty() && state.session != before.session)
      complain("a state is bound to another session");
    if (phase && *phase < before_phase) complain("a phase went backwards");
    if (phase && is_skipped(*phase, skips)) complain("a skipped phase is entered");
    if (!phase && state.active) complain("active without a phase");
    if (state.active && state.iteration > limit) complain("the limit does not hold");
    if (!state.active && state.exit_reason == auto_mode::ExitReason::none)
      complain("it ended without a reason");
    if (!state.active && state.phase != "complete" && state.phase != "failed" &&
        state.exit_reason != auto_mode::ExitReason::stale_state)
      complain("it ended in a phase that is no end");
    if (phase != before_phase) go_on_in_a_row = 0;
    if (result.verdict == Verdict::go_on) ++go_on_in_a_row;
    if (go_on_in_a_row > limit) complain("told to go on more often than the limit");
    if (!finding.broken.empty()) return finding;
  }
  finding.end = auto_mode::name_of(state.exit_reason);
  return finding;
}

}  // namespace capsule::simulation
