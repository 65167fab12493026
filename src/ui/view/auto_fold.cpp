// Auto mode as it is shown: headless runs, and sessions that the Stop hook holds on course.
#include <algorithm>

#include "auto_state/document.h"
#include "ui/view/run_fold.h"
#include "ui/view/session.h"
#include "workflow/auto/workflow.h"

namespace capsule::view {
namespace {

struct AutoNotes {
  Seen& seen;
  const event::Fact& fact;

  void operator()(const event::auto_run::Started&) { seen.mark(Mark::Kind::started, fact); }
  void operator()(const event::auto_run::BaselineChecked& f) {
    seen.baseline = f.state;
    seen.baseline_checks = f.runs;
    seen.mark(Mark::Kind::checked, fact, "", f.detail);
  }
  void operator()(const event::auto_run::TurnStarted& f) {
    Seen::Agent& agent = seen.agents[f.number];
    agent = {};
    agent.began = fact.at;
    agent.why = event::auto_run::name_of(f.why);
    newest() = f.number;
  }
  void operator()(const event::auto_run::TurnFinished& f) { seen.agents[f.number].ended = fact.at; }
  void operator()(const event::auto_run::ChecksDone& f) {
    if (newest() > 0) seen.agents[newest()].checks = f.runs;
    if (!f.passed) seen.mark(Mark::Kind::reworked, fact, "", f.feedback);
  }
  void operator()(const event::auto_run::ReviewStarted& f) {
    for (int i = 0; f.agent > 0 && i < 3; ++i) {
      Seen::Agent& agent = seen.agents[f.agent + i];
      agent = {};
      agent.began = fact.at;
    }
  }
  void operator()(const event::auto_run::Reviewed& f) {
    for (const event::auto_run::ReviewVerdict& verdict : f.verdicts) {
      if (verdict.agent <= 0) continue;
      Seen::Agent& agent = seen.agents[verdict.agent];
      if (!verdict.started_at.empty()) agent.began = verdict.started_at;
      agent.ended = verdict.ended_at.empty() ? fact.at : verdict.ended_at;
    }
  }
  void operator()(const event::auto_run::MergeDone& f) {
    seen.mark(Mark::Kind::merged, fact, "", f.commit);
  }
  void operator()(const event::auto_run::ApprovalAsked& f) {
    seen.asked(f.question, 0, "", f.detail, fact);
  }
  void operator()(const event::auto_run::ApprovalGiven& f) {
    seen.answered(f.question, "", f.text, fact);
  }
  void operator()(const event::auto_run::GroundMoved& f) {
    seen.mark(Mark::Kind::ground, fact, "", f.what.empty() ? "" : f.what.front());
  }
  void operator()(const event::auto_run::Ended& f) {
    seen.ended = fact.at;
    for (Band& band : seen.bands)
      if (band.ended.empty()) band.ended = fact.at;
    seen.mark(
        f.outcome == event::auto_run::Outcome::paused ? Mark::Kind::paused : Mark::Kind::ended,
        fact, "", std::string(event::auto_run::name_of(f.outcome)));
  }
  void operator()(const event::auto_run::Resumed&) { seen.resumed(fact); }
  void operator()(const auto&) {}

  int& newest() const { return turn; }
  int& turn;
};

Course course_of(const auto_mode::State& file) {
  Course course;
  course.task = file.task;
  course.session = file.session;
  course.phase = file.phase;
  course.iteration = file.iteration;
  course.most = file.max_iterations;
  course.error = file.last_error;
  return course;
}

// The phase as its state file has it, without where it stands.
Phase phase_of(signal::Phase which, const auto_mode::State& file) {
  Phase phase;
  phase.name = signal::name_of(which);
  phase.stage = static_cast<int>(auto_mode::index_of(which)) + 1;
  const auto_mode::PhaseRecord& record = file.phases[auto_mode::index_of(which)];
  phase.ended = record.completed_at;
  phase.skipped = record.skipped;
  if (record.signal_detected) phase.seconds = record.duration_s;
  return phase;
}

class AutoFold final : public RunFold {
 public:
  explicit AutoFold(const engine::RunHead& its) : RunFold(its) { state_.id = its.run; }

 private:
  Result<void> take(const event::Fact& fact) override {
    const event::auto_run::Fact read = TRY(event::auto_run::read_fact(fact.kind, fact.body));
    auto_mode::apply(state_, read);
    std::visit(AutoNotes{seen_, fact, turn_}, read);
    return {};
  }
  workflow::RunSummary own_summary() const override { return auto_mode::Rules::summary(state_); }
  std::optional<workflow::AgentSummary> own_agent(int number) const override {
    return newest_of(state_.agents, number);
  }
  bool over() const override { return state_.step == auto_mode::Step::ended; }

  bool skips(signal::Phase phase) const {
    using signal::Phase;
    const auto& begun = state_.begun;
    return (phase == Phase::expansion && begun.skip_expansion) ||
           (phase == Phase::qa && begun.skip_qa) ||
           (phase == Phase::reflect && begun.skip_reflect) ||
           ((phase == Phase::review || phase == Phase::fix) && begun.skip_review);
  }
  // Phases come in their order, so all before the one that it is in have passed.
  void add(Run& run, const workflow::RunSummary&) const override {
    const bool waits = auto_mode::Rules::waits_for_person(state_);
    run.exit_code = over() ? auto_mode::exit_code(state_.outcome) : waits ? 1 : 2;
    run.course = course_of(state_.file);
    run.course->agent = state_.last.number;
    run.course->failures = state_.failed;
    const bool all = state_.outcome == event::auto_run::Outcome::complete;
    for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
      const auto which = static_cast<signal::Phase>(i);
      Phase phase = phase_of(which, state_.file);
      if (skips(which)) {
        run.course->left_out.push_back(std::move(phase));
        continue;
      }
      for (std::size_t at = 0; at < run.attempts.size(); ++at) {
        const Attempt& attempt = run.attempts[at];
        const bool reviewer = which == signal::Phase::review && is_reviewer(attempt.role);
        if (attempt.role == phase.name || reviewer) phase.attempts.push_back(static_cast<int>(at));
      }
      phase.state = all || which < state_.phase ? Phase::State::passed
                    : which > state_.phase      ? Phase::State::to_come
                    : run.outcome.empty()       ? Phase::State::working
                                                : Phase::State::failed;
      run.done += phase.state == Phase::State::passed;
      run.failed += phase.state == Phase::State::failed;
      run.phases.push_back(std::move(phase));
    }
    run.all = static_cast<int>(run.phases.size());
  }
  static bool is_reviewer(std::string_view role) {
    return std::any_of(std::begin(event::auto_run::kReviewers),
                       std::end(event::auto_run::kReviewers),
                       [&](std::string_view one) { return role == "review-" + std::string(one); });
  }

  auto_mode::Run state_;
  int turn_ = 0;
};

Standing standing_of(const auto_mode::State& state) {
  if (state.active) return Standing::open;
  switch (state.exit_reason) {
    case auto_mode::ExitReason::all_phases_complete:
    case auto_mode::ExitReason::auto_complete_signal:
      return Standing::succeeded;
    case auto_mode::ExitReason::user_cancelled:
    case auto_mode::ExitReason::stale_state:
      return Standing::stopped;
    default:
      return Standing::failed;
  }
}

// Its facts hold the text of the state file as a command found it; the newest one counts. The hook
// writes that file alone, so it may be told from outside what it says by now.
class SessionFold final : public RunFold {
 public:
  explicit SessionFold(const engine::RunHead& its, auto_mode::State state = {})
      : RunFold(its), recorded_(state), state_(std::move(state)) {}

  bool tell_session(const std::string& text) override {
    if (text == told_) return false;
    const auto read = auto_state::read_document(text);
    // Another task in its place is another session.
    const bool ours = read && read->state.started_at == recorded_.started_at &&
                      read->state.task == recorded_.task;
    if (!ours && told_.empty()) return false;
    told_ = ours ? text : "";
    state_ = ours ? read->state : recorded_;
    return true;
  }

 private:
  Result<void> take(const event::Fact& fact) override {
    const event::auto_run::Fact read = TRY(event::auto_run::read_fact(fact.kind, fact.body));
    const auto* seen = std::get_if<event::auto_run::SessionSeen>(&read);
    if (seen == nullptr)
      return fail(Reason::damaged, "'" + fact.kind + "' is not a fact of a session");
    recorded_ = state_ = TRY(auto_state::read_document(seen->state)).state;
    told_.clear();
    return {};
  }
  workflow::RunSummary own_summary() const override {
    workflow::RunSummary summary;
    summary.workflow = engine::kAutoSession;
    summary.subject = summary.title = state_.task.substr(0, state_.task.find('\n'));
    summary.standing = standing_of(state_);
    if (state_.active) {
      summary.now = state_.phase;
    } else {
      summary.outcome = auto_mode::name_of(state_.exit_reason);
      summary.detail = state_.last_error;
    }
    summary.can_go_on = state_.active || auto_mode::unfinished_phase(state_).has_value();
    return summary;
  }
  // Its agents are not ours.
  std::optional<workflow::AgentSummary> own_agent(int) const override { return std::nullopt; }
  bool over() const override { return !state_.active; }
  void add(Run& run, const workflow::RunSummary&) const override {
    run.course = course_of(state_);
    const auto now = state_.active ? auto_mode::current_phase(state_) : std::nullopt;
    for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
      const auto which = static_cast<signal::Phase>(i);
      Phase phase = phase_of(which, state_);
      if (phase.skipped) {
        run.course->left_out.push_back(std::move(phase));
        continue;
      }
      if (state_.phases[i].signal_detected) {
        phase.state = Phase::State::passed;
        ++run.done;
      } else if (now == which) {
        phase.state = Phase::State::working;
        phase.iteration = state_.iteration;
      }
      run.phases.push_back(std::move(phase));
    }
    run.all = static_cast<int>(run.phases.size());
  }

  auto_mode::State recorded_;  // by the newest fact
  std::string told_;           // since then, as text; empty: nothing else
  auto_mode::State state_;
};

}  // namespace

Run session_of(const auto_mode::State& state) {
  engine::RunHead head;
  head.workflow = engine::kAutoSession;
  head.subject = engine::kAutoSubject;
  Run run;
  std::vector<Item> items;
  SessionFold(head, state).show(run, items);
  return run;
}

std::unique_ptr<RunFold> auto_fold(const engine::RunHead& head) {
  return std::make_unique<AutoFold>(head);
}
std::unique_ptr<RunFold> session_fold(const engine::RunHead& head) {
  return std::make_unique<SessionFold>(head);
}

}  // namespace capsule::view
