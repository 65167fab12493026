#include "engine/pipeline_runner.h"

#include <utility>

namespace capsule::engine {
namespace {

using event::Outcome;
using event::Phase;
using pipeline::Step;

// Main may be moved by others while we merge; every try merges anew on the newest main.
constexpr int kMergeTries = 20;

// A failure of ours, not of an agent, ends the run with this.
Outcome outcome_of_failure(const State& state, Reason reason) {
  if (reason == Reason::interrupted) return Outcome::interrupted;
  switch (state.step) {
    case Step::prepare:
      return Outcome::prep_failed;
    case Step::integrate:
    case Step::archive:
    case Step::remove_worktree:
    case Step::close_bead:
      return Outcome::merge_error;
    default:
      return Outcome::phase_error;
  }
}

// A pause waits until the phase is kept and checked. What follows a merge is not worth a pause, and
// a verdict that is found is recorded.
bool heeds(const State& state, Outcome stop) {
  if (stop != Outcome::paused) return state.step != Step::end;
  return state.step == Step::prepare || state.step == Step::run_phase ||
         state.step == Step::integrate;
}

event::PhaseFinished finished(const State& state, const PhaseReport& report,
                              std::int64_t duration_ms) {
  event::PhaseFinished fact;
  fact.phase = state.phase;
  fact.number = state.number;
  fact.attempt = state.attempt;
  // A program that failed is an ERROR whatever it printed; what it printed is kept.
  fact.status =
      report.fault == event::PhaseFault::none ? report.signal.status : signal::Status::error;
  fact.feedback = report.signal.feedback;
  if (report.fault == event::PhaseFault::exit_status)
    fact.feedback = "the agent ended with exit status " + std::to_string(report.exit_code);
  fact.summary = report.signal.summary;
  fact.files_changed = report.signal.files_changed;
  fact.signal = report.signal.json;
  fact.fault = report.fault;
  fact.exit_code = report.exit_code;
  fact.log = report.log;
  fact.duration_ms = duration_ms;
  return fact;
}

}  // namespace

Result<State> PipelineRunner::replay() {
  state_ = {};
  for (const PipelineFact& fact : TRY(ports_.log.read())) state_ = apply_(std::move(state_), fact);
  check_cut_off_ = state_.step == Step::check;
  return state_;
}

void PipelineRunner::reached(std::string_view what, std::string_view name) {
  if (ports_.probe != nullptr) ports_.probe->reached(std::string(what) + " " + std::string(name));
}

Result<void> PipelineRunner::record(const PipelineFact& fact) {
  if (auto stored = ports_.log.append({fact}); !stored) {
    journal_failed_ = true;
    return stored;
  }
  state_ = apply_(std::move(state_), fact);
  reached("recorded", event::kind_of(fact));
  ports_.listener.on_fact(fact, state_, ports_.clock.utc_now());
  return {};
}

Result<void> PipelineRunner::start(const event::RunStarted& started) { return record(started); }

Result<void> PipelineRunner::resume(const event::RunResumed& resumed) { return record(resumed); }

Result<void> PipelineRunner::adopt(const event::WorktreeReady& ready) { return record(ready); }

Result<void> PipelineRunner::end(Outcome outcome, std::string detail) {
  return record(event::RunEnded{outcome, std::move(detail)});
}

Result<State> PipelineRunner::carry_on(Step last) {
  while (state_.step != Step::ended && state_.step != last) {
    if (const auto stop = ports_.stops.requested(); stop && heeds(state_, *stop)) {
      TRY_VOID(record(event::RunEnded{*stop, ""}));
      break;
    }
    if (auto done = do_step(); !done) {
      // What cannot be recorded did not happen: the run counts as cut off and goes on when started
      // again.
      if (journal_failed_) return tl::unexpected(done.error());
      const Error& error = done.error();
      TRY_VOID(
          record(event::RunEnded{outcome_of_failure(state_, error.reason),
                                 error.message + (error.hint.empty() ? "" : "\n" + error.hint)}));
    }
  }
  return state_;
}

Result<void> PipelineRunner::do_step() {
  switch (state_.step) {
    case Step::prepare:
      return prepare();
    case Step::run_phase:
      return run_phase();
    case Step::snapshot: {
      TRY_VOID(ports_.workspace.note_in_worklog(state_));
      reached("done", "note_in_worklog");
      const event::SnapshotTaken taken = TRY(ports_.workspace.snapshot(run_, state_));
      reached("done", "snapshot");
      return record(taken);
    }
    case Step::check:
      // The commands of a check that was cut off may have left anything: only the snapshot counts.
      if (check_cut_off_) TRY_VOID(ports_.workspace.rewind(run_, state_));
      check_cut_off_ = false;
      return record(TRY(ports_.checks.check(run_, state_)));
    case Step::integrate:
      return integrate();
    case Step::archive: {
      const event::RunArchived archived{TRY(ports_.workspace.archive(run_, state_))};
      reached("done", "archive");
      return record(archived);
    }
    case Step::remove_worktree:
      TRY_VOID(ports_.workspace.remove_worktree(state_));
      reached("done", "remove_worktree");
      return record(event::WorktreeRemoved{});
    case Step::close_bead:
      TRY_VOID(ports_.beads.close(state_.bead));
      reached("done", "close_bead");
      return record(event::BeadClosed{});
    case Step::end:
      return record(event::RunEnded{state_.outcome, state_.detail});
    case Step::start:
    case Step::ended:
      break;
  }
  std::abort();  // carry_on before start, or after the end
}

Result<void> PipelineRunner::prepare() {
  event::WorktreeIntended intent{state_.worktree, state_.branch, state_.base};
  if (intent.worktree.empty()) {
    intent = TRY(ports_.workspace.plan_worktree(state_));
    TRY_VOID(record(intent));
  }
  TRY_VOID(ports_.workspace.make_worktree(intent));
  reached("done", "make_worktree");
  return record(event::WorktreeReady{intent.worktree, intent.branch, intent.base});
}

Result<void> PipelineRunner::run_phase() {
  // An open phase was cut off: it starts again under its own number, on what it started from.
  if (state_.open) TRY_VOID(ports_.workspace.rewind(run_, state_));
  // Without sign-off there is nothing to merge: found before the merge agent is paid.
  if (state_.phase == Phase::merge)
    if (const auto refused = TRY(ports_.workspace.sign_off_gate(state_))) return record(*refused);
  const int number = state_.open ? state_.number : state_.number + 1;
  TRY_VOID(ports_.workspace.before_phase(state_));
  TRY_VOID(record(event::PhaseStarted{state_.phase, number, state_.attempt, state_.feedback,
                                      ports_.phases.provider_of(state_.phase),
                                      ports_.phases.model_of(state_.phase)}));
  PhaseRequest request;
  request.run = run_;
  request.bead = state_.bead;
  request.phase = state_.phase;
  request.number = number;
  request.attempt = state_.attempt;
  request.worktree = state_.worktree;
  request.feedback = state_.feedback;
  if (state_.phase == Phase::merge) request.commit_message = state_.bead + ": " + state_.title;
  const std::int64_t began = ports_.clock.monotonic_ms();
  const PhaseReport report = TRY(ports_.phases.run(request));
  // Ended by a person: the phase stays open, so that it is done again when the run goes on.
  reached("done", "phase");
  if (report.fault == event::PhaseFault::interrupted) {
    TRY_VOID(ports_.workspace.keep_unfinished(run_, state_));
    return record(event::RunEnded{ports_.stops.requested().value_or(Outcome::interrupted), ""});
  }
  return record(finished(state_, report, ports_.clock.monotonic_ms() - began));
}

Result<void> PipelineRunner::integrate() {
  for (int i = 0; i < kMergeTries; ++i) {
    const MergeAnswer answer = TRY(ports_.workspace.plan_merge(run_, state_));
    if (const auto* done = std::get_if<event::MergeDone>(&answer)) return record(*done);
    if (const auto* refused = std::get_if<event::MergeRefused>(&answer)) return record(*refused);
    const auto& plan = std::get<MergePlan>(answer);
    TRY_VOID(record(event::MergeIntended{plan.main_branch, plan.main_before}));
    const PublishAnswer published = TRY(ports_.workspace.publish_merge(plan));
    reached("done", "publish_merge");
    if (const auto* done = std::get_if<event::MergeDone>(&published)) return record(*done);
    if (const auto* refused = std::get_if<event::MergeRefused>(&published)) return record(*refused);
  }
  return fail(Reason::conflict,
              "main moved " + std::to_string(kMergeTries) + " times while merging",
              "try again when others have stopped pushing: capsule merge " + state_.bead);
}

}  // namespace capsule::engine
