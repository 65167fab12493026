// A run of phases, the pipeline or a user's own, as it is shown.
#include <algorithm>

#include "ui/view/run_fold.h"
#include "workflow/phases/phases.h"

namespace capsule::view {
namespace {

struct PhasesNotes {
  Seen& seen;
  const event::Fact& fact;

  void operator()(const event::RunStarted& f) { seen.mark(Mark::Kind::started, fact, "", f.title); }
  void operator()(const event::BaselineChecked& f) {
    seen.baseline = f.state;
    seen.baseline_checks = f.runs;
    seen.mark(Mark::Kind::checked, fact, "", f.detail);
  }
  void operator()(const event::PhaseStarted& f) {
    Seen::Agent& agent = seen.agents[f.number];
    agent = {};
    agent.began = fact.at;
  }
  void operator()(const event::PhaseFinished& f) { seen.agents[f.number].ended = fact.at; }
  void operator()(const event::SnapshotTaken& f) { seen.agents[f.number].snapshot = f.ref; }
  void operator()(const event::PhaseChecked& f) {
    seen.agents[f.number].checks = f.runs;
    for (const event::Claim& claim : f.claims)
      if (claim.verdict == event::Verdict::unchecked)
        seen.unchecked = claim.what + ": " + claim.detail;
    if (!f.passed) seen.mark(Mark::Kind::reworked, fact, "", f.phase);
  }
  void operator()(const event::RunArchived& f) { seen.archive = f.folder; }
  void operator()(const event::MergeDone& f) {
    seen.mark(Mark::Kind::merged, fact, "", f.commit);
    seen.refused.clear();
  }
  void operator()(const event::MergeRefused& f) {
    seen.mark(Mark::Kind::refused, fact, "", f.detail);
    seen.refused = fact.at;
  }
  void operator()(const event::ApprovalAsked& f) {
    seen.asked(f.question, f.number, "", f.phase, fact);
  }
  void operator()(const event::ApprovalGiven& f) { seen.answered(f.question, "", f.text, fact); }
  void operator()(const event::GroundMoved& f) {
    seen.mark(Mark::Kind::ground, fact, "", f.what.empty() ? "" : f.what.front());
  }
  void operator()(const event::RunEnded& f) {
    seen.ended = fact.at;
    for (Band& band : seen.bands)
      if (band.ended.empty()) band.ended = fact.at;
    seen.mark(f.outcome == event::Outcome::paused ? Mark::Kind::paused : Mark::Kind::ended, fact,
              "", std::string(event::name_of(f.outcome)));
  }
  void operator()(const event::RunResumed&) { seen.resumed(fact); }
  void operator()(const auto&) {}
};

Phase::State state_of(const Run& run, const Phase& phase) {
  if (phase.attempts.empty()) return Phase::State::to_come;
  const Attempt& last = run.attempts[static_cast<std::size_t>(phase.attempts.back())];
  if (last.running) return Phase::State::working;
  using signal::Status;
  const bool error = last.said == signal::name_of(Status::error);
  if (last.fault != event::Fault::none || error) return Phase::State::failed;
  const bool passed = last.said == signal::name_of(Status::pass);
  if (!passed || last.checked == Finding::refused) return Phase::State::sent_back;
  return Phase::State::passed;
}

class PhasesFold final : public RunFold {
 public:
  explicit PhasesFold(const engine::RunHead& its) : RunFold(its) { state_.run = its.run; }

 private:
  Result<void> take(const event::Fact& fact) override {
    const event::PipelineFact read = TRY(event::read_fact(fact.kind, fact.body));
    state_.at = fact.at;
    phases::apply(state_, read);
    std::visit(PhasesNotes{seen_, fact}, read);
    if (const auto* checked = std::get_if<event::PhaseChecked>(&read);
        checked != nullptr && repeats())
      repeated_.push_back({"", checked->phase + " said the same twice about the same files"});
    note_step(fact, std::holds_alternative<event::RunResumed>(read));
    return {};
  }
  bool repeats() const { return state_.repeated && state_.convergence == event::Convergence::warn; }
  // When it came into the step that it is in, and when it left the one before.
  void note_step(const event::Fact& fact, bool resumed) {
    if (steps_.empty()) steps_.resize(static_cast<std::size_t>(phases::stages(state_.definition)));
    const int now = over() && step_ > 0
                        ? step_
                        : std::clamp(phases::stage_of(state_), 1, static_cast<int>(steps_.size()));
    if (now != step_ || resumed) {
      if (Step* const left = now != step_ ? step_at(step_) : nullptr;
          left != nullptr && left->ended.empty())
        left->ended = fact.at;
      step_ = now;
      step_at(step_)->began = fact.at;
      step_at(step_)->ended.clear();
    }
    if (over() && step_at(step_)->ended.empty()) step_at(step_)->ended = fact.at;
  }
  Step* step_at(int number) {
    return number > 0 ? &steps_[static_cast<std::size_t>(number - 1)] : nullptr;
  }
  workflow::RunSummary own_summary() const override { return phases::summary(state_); }
  std::optional<workflow::AgentSummary> own_agent(int number) const override {
    return newest_of(state_.agents, number);
  }
  bool over() const override { return state_.step == phases::Step::ended; }
  void add(Run& run, const workflow::RunSummary&) const override {
    const bool waits = phases::Rules::waits_for_person(state_);
    run.exit_code = over() ? phases::exit_code(state_.outcome) : waits ? 1 : 2;
    run.repeats = repeats();
    run.looks_at = state_.on_branch;
    const event::PhaseRule* const at = phases::find_phase(state_.definition, state_.phase);
    run.can_merge = phases::merges_again(state_) || (over() && at != nullptr && at->commits);
    if (state_.baseline == event::Baseline::red && state_.red_allowed)
      run.remarks.insert(run.remarks.begin(),
                         {"",
                          "the project's checks failed before anybody worked (verify.baseline: "
                          "red-allowed): what failed then was tolerated"});
    run.remarks.insert(run.remarks.end(), repeated_.begin(), repeated_.end());
    for (const event::PhaseRule& rule : state_.definition.phases) {
      Phase phase;
      phase.name = rule.name;
      phase.stage = std::max(rule.stage, 1);
      phase.most = phases::attempts_of(state_.definition, rule.name, state_.max_retries);
      for (std::size_t i = 0; i < run.attempts.size(); ++i)
        if (run.attempts[i].role == rule.name) phase.attempts.push_back(static_cast<int>(i));
      phase.state = state_of(run, phase);
      run.done += phase.state == Phase::State::passed;
      run.failed += phase.state == Phase::State::failed;
      run.phases.push_back(std::move(phase));
    }
    run.all = static_cast<int>(run.phases.size());
    run.steps = steps_;
    run.step = step_;
    for (int i = 1; i <= static_cast<int>(run.steps.size()); ++i) add_step(run, i);
  }
  // What a step that is left behind came to: nobody ticks what was refused or never run.
  void add_step(Run& run, int number) const {
    Step& step = run.steps[static_cast<std::size_t>(number - 1)];
    bool bad = false, good = false, any = false;
    std::set<int> groups;
    for (std::size_t i = 0; i < run.phases.size(); ++i) {
      const Phase& phase = run.phases[i];
      if (phase.stage != number) continue;
      const event::PhaseRule& rule = state_.definition.phases[i];
      step.phases.push_back(static_cast<int>(i));
      groups.insert(rule.group);
      any |= rule.any;
      good |= phase.state == Phase::State::passed;
      bad |= phase.state == Phase::State::sent_back || phase.state == Phase::State::failed;
    }
    step.together = step.phases.size() > 1 && groups.size() == 1 && *groups.begin() != 0;
    if (number == step_)
      step.state = run.outcome.empty()                      ? Phase::State::working
                   : phases::exit_code(state_.outcome) == 0 ? Phase::State::passed
                                                            : Phase::State::failed;
    else if (step.phases.empty())
      step.state = number < step_ ? Phase::State::passed : Phase::State::to_come;
    else if (good || bad)
      step.state = bad && !(any && good) ? Phase::State::failed : Phase::State::passed;
  }

  phases::State state_;
  std::vector<Remark> repeated_;
  std::vector<Step> steps_;  // their times
  int step_ = 0;
};

}  // namespace

std::unique_ptr<RunFold> phases_fold(const engine::RunHead& head) {
  return std::make_unique<PhasesFold>(head);
}

}  // namespace capsule::view
