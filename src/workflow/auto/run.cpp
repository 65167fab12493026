#include "workflow/auto/run.h"

#include <algorithm>

#include "workflow/auto/moment.h"

namespace capsule::auto_mode {
namespace {

using signal::Signal;

// Capsule itself carries these out; no signal of an agent stands in for them.
bool is_ours(const Run& run, Phase phase) {
  return phase == Phase::review || phase == Phase::fix ||
         (phase == Phase::qa && run.begun.has_checks);
}

Step step_of(const Run& run) {
  if (run.phase == Phase::review) return Step::review;
  if (run.phase == Phase::qa && run.begun.has_checks) return Step::checks;
  return Step::turn;
}

// What stands between the last phase and the end.
Step step_after_all(const Run& run) {
  if (run.begun.has_checks && run.unchecked) return Step::checks;
  return run.begun.in_place ? Step::end : Step::merge;
}

void enter(Run& run, Phase phase, const std::string& at) {
  run.phase = phase;
  run.why = Why::fresh;
  run.feedback.clear();
  run.attempt = 0;
  run.retried = false;
  run.file.iteration = 0;
  if (phase == Phase::complete) {
    run.outcome = Outcome::complete;
    run.step = step_after_all(run);
    return;
  }
  run.file.phase = signal::name_of(phase);
  PhaseRecord& record = run.file.phases[index_of(phase)];
  if (record.started_at.empty()) record.started_at = at;
  run.step = step_of(run);
}

void complete_phase(Run& run, const std::string& at, bool skipped = false) {
  PhaseRecord& record = run.file.phases[index_of(run.phase)];
  record.signal_detected = !skipped;
  record.skipped = skipped;
  record.completed_at = at;
  const auto began = seconds_of(record.started_at.empty() ? at : record.started_at);
  const auto ended = seconds_of(at);
  if (!skipped && began && ended) record.duration_s = std::max<std::int64_t>(0, *ended - *began);
  run.file.last_error.clear();
  enter(run, signal::next_phase(run.phase, run.file.config.skips()), at);
}

void stop(Run& run, Outcome outcome, std::string detail) {
  run.after = run.step;
  run.outcome = outcome;
  run.detail = std::move(detail);
  run.step = Step::end;
}

void again(Run& run, Why why, std::string feedback) {
  run.why = why;
  run.feedback = std::move(feedback);
  run.step = Step::turn;
}

// The agent did not say what its phase waits for.
void go_on(Run& run, const fact::TurnFinished& turn) {
  if (++run.file.iteration > run.file.max_iterations)
    return stop(run, Outcome::max_iterations,
                "no signal of " + std::string(signal::name_of(run.phase)) + " after " +
                    std::to_string(run.file.max_iterations) + " continuations");
  if (turn.fault == fact::Fault::none) return again(run, Why::go_on, run.feedback);
  run.session_alive = false;
  again(run, Why::restart, run.feedback);
}

// The expected signal was said.
void advance(Run& run, const fact::TurnFinished& turn) {
  if (run.phase == Phase::qa && run.begun.has_checks) {
    run.step = Step::checks;
  } else if (run.phase == Phase::fix) {
    // The one way back: what was mended is reviewed again.
    run.file.phases[index_of(Phase::fix)].signal_detected = true;
    enter(run, Phase::review, turn.at);
  } else {
    complete_phase(run, turn.at);
  }
}

void take_signals(Run& run, const fact::TurnFinished& turn) {
  bool advanced = false, error = false;
  for (const std::string& name : turn.signals) {
    const signal::Row* row = signal::find_signal(name);
    if (row == nullptr) continue;
    if (row->kind == signal::BlockKind::finish) {
      run.file.detected.push_back({name, turn.at});
      run.file.exit_reason = ExitReason::auto_complete_signal;
      return enter(run, Phase::complete, turn.at);
    }
    if (row->kind == signal::BlockKind::transition) {
      run.file.detected.push_back({name, turn.at});  // recorded; the phases decide by themselves
    } else if (row->kind == signal::BlockKind::error) {
      error = true;
    } else if (row->signal == signal::expected_signal(run.phase)) {
      run.file.detected.push_back({name, turn.at});
      error = false;
      advanced = true;
      advance(run, turn);
      if (run.step != Step::turn || is_ours(run, run.phase)) return;
    }
  }
  if (!error) {
    if (!advanced) go_on(run, turn);
    return;
  }
  run.file.detected.push_back({std::string(signal::row(Signal::phase_error).wire), turn.at});
  run.file.last_error = turn.error;
  if (turn.recoverable && !run.retried) {
    run.retried = true;
    // What was to be mended is still open.
    const std::string open = run.feedback.empty() ? "" : run.feedback + "\n";
    return again(run, Why::retry, open + "The phase was tried before and failed: " + turn.error);
  }
  stop(run, Outcome::needs_person, turn.error);
}

void on(Run& run, const fact::Started& started) {
  run.begun = started;
  Config config;
  config.skip_expansion = started.skip_expansion;
  config.skip_qa = started.skip_qa;
  config.skip_review = started.skip_review;
  config.skip_reflect = started.skip_reflect;
  config.parallel_validation = started.parallel;
  config.no_questions = true;
  run.file = auto_mode::started(started.task, config, started.max_iterations, started.at);
  enter(run, *current_phase(run.file), started.at);
  run.step = Step::prepare;
}

void on(Run& run, const fact::PlaceReady& ready) {
  run.folder = ready.folder;
  run.step = step_of(run);
}

void on(Run& run, const fact::TurnStarted& turn) {
  run.open = true;
  run.unchecked = true;
  run.number = turn.number;
  run.attempt = turn.attempt;
  run.session = turn.session;
  run.session_alive = false;  // until it has ended well
}

void on(Run& run, const fact::TurnFinished& turn) {
  run.open = false;
  run.last = turn;
  run.session_alive = turn.fault == fact::Fault::none && !run.session.empty();
  run.file.last_checked = turn.at;
  if (turn.fault == fact::Fault::none) return take_signals(run, turn);
  // A program that failed has said nothing that counts.
  go_on(run, turn);
}

void on(Run& run, const fact::ChecksDone& checks) {
  if (checks.passed) {
    run.unchecked = false;
    if (run.phase == Phase::qa) return complete_phase(run, checks.at);
    if (run.phase == Phase::complete) run.step = step_after_all(run);
    return;
  }
  if (run.phase != Phase::qa || run.qa_cycle >= kQaCycles)
    return stop(run, Outcome::checks_failed, checks.feedback);
  ++run.qa_cycle;
  again(run, Why::mend, checks.feedback);
}

void on(Run& run, const fact::Reviewed& reviewed) {
  run.rounds.push_back(reviewed);
  ++run.round;
  if (all_approved(reviewed)) {
    complete_phase(run, reviewed.at);
    const bool mended = run.file.phases[index_of(Phase::fix)].signal_detected;
    if (run.phase == Phase::fix) complete_phase(run, reviewed.at, !mended);
    return;
  }
  if (run.round >= kReviewRounds) return stop(run, Outcome::not_approved, issues_text(reviewed));
  enter(run, Phase::fix, reviewed.at);
  again(run, Why::mend, issues_text(reviewed));
}

void on(Run& run, const fact::MergeDone& merged) {
  if (!merged.nothing) run.merged_as = merged.commit;
  run.step = Step::remove_place;
}

void on(Run& run, const fact::PlaceRemoved&) { run.step = Step::end; }

ExitReason exit_reason_of(const Run& run) {
  switch (run.outcome) {
    case Outcome::complete:
      return run.file.exit_reason == ExitReason::none ? ExitReason::all_phases_complete
                                                      : run.file.exit_reason;
    case Outcome::max_iterations:
      return ExitReason::max_iterations_reached;
    case Outcome::cancelled:
    case Outcome::interrupted:
      return ExitReason::user_cancelled;
    default:
      return ExitReason::critical_error;
  }
}

void on(Run& run, const fact::Ended& ended) {
  if (run.step != Step::end) run.after = run.step;
  run.outcome = ended.outcome;
  run.detail = ended.detail;
  run.step = Step::ended;
  run.file.active = false;
  run.file.exit_reason = exit_reason_of(run);
  run.file.completed_at = ended.at;
  if (run.outcome != Outcome::complete && !ended.detail.empty()) run.file.last_error = ended.detail;
  run.file.phase =
      run.outcome == Outcome::complete ? signal::name_of(Phase::complete) : kFailedPhase;
}

void on(Run& run, const fact::Resumed&) {
  run.step = run.after;
  run.outcome = run.phase == Phase::complete ? Outcome::complete : Outcome::none;
  run.detail.clear();
  run.retried = false;
  run.file.iteration = 0;
  run.file.active = true;
  run.file.exit_reason = ExitReason::none;
  run.file.completed_at.clear();
  if (run.phase != Phase::complete) run.file.phase = signal::name_of(run.phase);
  run.session_alive = false;
  if (run.why == Why::go_on) run.why = Why::restart;
  // A person may have worked there.
  run.unchecked = true;
  if (run.step == Step::merge) run.step = step_after_all(run);
  if (run.step == Step::checks && run.phase == Phase::qa) run.qa_cycle = 0;
  if (run.step == Step::review) run.round = 0;
}

void on(Run&, const fact::SessionSeen&) {}

}  // namespace

Run apply(Run run, const fact::Fact& fact) {
  std::visit([&run](const auto& typed) { on(run, typed); }, fact);
  return run;
}

bool all_approved(const fact::Reviewed& round) {
  return round.verdicts.size() == std::size(fact::kReviewers) &&
         std::all_of(round.verdicts.begin(), round.verdicts.end(), [](const auto& verdict) {
           return verdict.verdict == fact::Verdict::approved;
         });
}

std::string issues_text(const fact::Reviewed& round) {
  std::string text;
  for (const fact::ReviewVerdict& verdict : round.verdicts) {
    if (verdict.verdict == fact::Verdict::approved) continue;
    text +=
        "The " + verdict.type + " reviewer: " + std::string(fact::name_of(verdict.verdict)) + "\n";
    for (const std::string& issue : verdict.issues) text += "- " + issue + "\n";
  }
  return text;
}

int exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete:
      return 0;
    case Outcome::max_iterations:
    case Outcome::needs_person:
    case Outcome::checks_failed:
    case Outcome::not_approved:
    case Outcome::merge_refused:
    case Outcome::cancelled:
      return 1;
    default:
      return 2;
  }
}

}  // namespace capsule::auto_mode
