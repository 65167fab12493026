#include "workflow/auto/run.h"

#include <algorithm>

#include "base/text.h"
#include "workflow/auto/phases.h"

namespace capsule::auto_mode {
namespace {

using event::Fault;
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

Moment moment_of(const std::string& at) { return {at, seconds_of(at).value_or(0)}; }

// The file's state is in `phase`, or past all of them: so is the run.
void follow(Run& run, Phase phase) {
  run.phase = phase;
  run.why = Why::fresh;
  run.feedback.clear();
  run.attempt = 0;
  run.failed = 0;
  run.retried = false;
  if (phase == Phase::complete) run.outcome = Outcome::complete;
  run.step = phase == Phase::complete ? step_after_all(run) : step_of(run);
}

// Review and fix take turns; each counts from its first.
void keep_start(State& file, Phase phase, const std::string& began) {
  if (phase != Phase::complete && !began.empty()) file.phases[index_of(phase)].started_at = began;
}
std::string start_of(const State& file, Phase phase) {
  return phase == Phase::complete ? std::string() : file.phases[index_of(phase)].started_at;
}

void enter(Run& run, Phase phase, const std::string& at) {
  const std::string began = start_of(run.file, phase);
  enter_phase(run.file, phase, moment_of(at));
  keep_start(run.file, phase, began);
  follow(run, phase);
}

void complete(Run& run, const std::string& at, bool skipped = false) {
  if (!current_phase(run.file)) return;  // a fact that does not fit
  const Phase next = signal::next_phase(run.phase, run.file.config.skips());
  const std::string began = start_of(run.file, next);
  complete_phase(run.file, moment_of(at), skipped);
  keep_start(run.file, next, began);
  follow(run, next);
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
void go_on(Run& run) {
  if (!count_iteration(run.file))
    return stop(run, Outcome::max_iterations,
                "no signal for " + std::string(signal::name_of(run.phase)) + " after " +
                    std::to_string(run.file.max_iterations) + " continuations");
  again(run, Why::go_on, run.feedback);
}

// A program that failed has said nothing that counts. Iterations are for those who forget their
// signal: these are counted apart, and are as many at most. It goes on in its session;
// workflow/supply begins another when that has failed twice.
void restart(Run& run, const fact::TurnFinished& turn) {
  if (++run.failed > run.file.max_iterations)
    return stop(run, Outcome::error,
                "the agent of " + std::string(signal::name_of(run.phase)) +
                    " has failed by itself " + counted(run.failed, "time") + "; the last time it " +
                    (turn.detail.empty() ? "ended by " + std::string(event::name_of(turn.fault))
                                         : turn.detail));
  again(run, Why::restart, run.feedback);
}

// The expected signal was said. Returns whether an agent's words may end the phase that follows.
bool advance(Run& run, const std::string& at) {
  if (run.phase == Phase::qa && run.begun.has_checks) {
    run.step = Step::checks;
  } else if (run.phase == Phase::fix) {
    // The one way back: what was mended is reviewed again.
    run.file.phases[index_of(Phase::fix)].signal_detected = true;
    enter(run, Phase::review, at);
  } else {
    complete(run, at);
  }
  return run.step == Step::turn && !is_ours(run, run.phase);
}

void take(Run& run, const fact::TurnFinished& turn) {
  std::vector<Signal> signals;
  for (const std::string& name : turn.signals)
    if (const signal::Row* row = signal::find_signal(name)) signals.push_back(row->signal);
  const Taken taken =
      take_signals(run.file, signals, turn.error, turn.at, [&] { return advance(run, turn.at); });
  if (taken.finished) {
    run.file.exit_reason = ExitReason::auto_complete_signal;
    return enter(run, Phase::complete, turn.at);
  }
  if (taken.completed) return;
  if (!taken.error) return go_on(run);
  if (turn.recoverable && !run.retried) {
    run.retried = true;
    // What was to be mended is still open.
    const std::string open = run.feedback.empty() ? "" : run.feedback + "\n";
    return again(run, Why::retry, open + "The phase was tried before and failed: " + turn.error);
  }
  stop(run, Outcome::needs_person, turn.error);
}

workflow::AgentSummary& agent_of(Run& run, int number) {
  const auto found = std::find_if(run.agents.rbegin(), run.agents.rend(),
                                  [&](const auto& agent) { return agent.number == number; });
  if (found != run.agents.rend() && number > 0) return *found;
  run.agents.push_back({});
  run.agents.back().number = number;
  run.agents.back().provider = run.begun.provider;
  return run.agents.back();
}

template <class Started>
void agent_started(Run& run, const Started& started, int number, std::string role, int attempt) {
  workflow::AgentSummary& agent = agent_of(run, number);
  agent = {};
  agent.number = number;
  agent.provider = started.provider.empty() ? run.begun.provider : started.provider;
  agent.model = started.model;
  agent.role = std::move(role);
  agent.attempt = attempt;
  agent.running = true;
  run.number = std::max(run.number, number);
  ++run.usage.agent_runs;
}

void agent_ended(Run& run, workflow::AgentSummary& agent, Fault fault, const std::string& log,
                 std::int64_t duration_ms, std::int64_t cost_micros) {
  agent.running = false;
  agent.fault = fault;
  agent.log = log;
  agent.duration_ms = duration_ms;
  run.usage.duration_ms += duration_ms;
  run.usage.cost_micros += cost_micros;
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
  if (started.integrate != event::Integrate::unsaid) run.integrate = started.integrate;
  run.file = auto_mode::started(started.task, config, started.max_iterations, started.at);
  enter(run, *current_phase(run.file), started.at);
  run.step = Step::prepare;
}

void on(Run& run, const fact::PlaceIntended&) { run.open = Step::prepare; }

void on(Run& run, const fact::PlaceReady& ready) {
  run.open.reset();
  run.folder = ready.folder;
  run.branch = ready.branch;
  run.step = step_of(run);
}

void on(Run& run, const fact::TurnStarted& turn) {
  run.approved = run.edited = false;
  run.open = Step::turn;
  run.unchecked = true;
  ++run.turns;
  run.attempt = turn.attempt;
  run.session = turn.session;
  run.session_alive = false;  // until it has ended well
  run.resumes = turn.resumes;
  agent_started(run, turn, turn.number, std::string(signal::name_of(turn.phase)), turn.attempt);
}

void on(Run& run, const fact::TurnFinished& turn) {
  run.open.reset();
  run.last = turn;
  workflow::AgentSummary& agent = agent_of(run, turn.number);
  agent_ended(run, agent, turn.fault, turn.log, turn.duration_ms, turn.cost_micros);
  if (turn.fault == Fault::none && !turn.signals.empty()) agent.said = turn.signals.back();
  agent.detail = turn.fault == Fault::none ? turn.error : turn.detail;
  agent.why = turn.miss == signal::Miss::none ? workflow::bounded_end(turn.error)
                                              : signal::sentence({turn.miss, turn.missed_line});
  if (!turn.learnings.empty()) run.learnings = turn.learnings;
  run.session_alive = !run.session.empty();
  run.file.last_checked = turn.at;
  turn.fault == Fault::none ? take(run, turn) : restart(run, turn);
}

void on(Run& run, const fact::BaselineChecked& checked) {
  using event::Baseline;
  run.baseline = checked.state;
  run.baseline_detail = checked.detail;
  run.usage.checks_ms += workflow::time_of(checked.runs);
  run.baselined = checked.state == Baseline::none || checked.state == Baseline::green ||
                  (checked.state == Baseline::red && run.begun.red_allowed);
  if (!run.baselined) stop(run, Outcome::error, checked.detail);
}

void on(Run& run, const fact::ChecksStarted&) { run.open = Step::checks; }

void on(Run& run, const fact::ChecksDone& checks) {
  run.open.reset();
  // Whoever ended its phase last said that it is done.
  run.claims.push_back(
      {run.number,
       "",
       std::string(signal::name_of(run.last.phase)),
       {"the project's checks pass", checks.passed ? event::Verdict::held : event::Verdict::broken,
        checks.feedback.substr(0, checks.feedback.find('\n')), checks.evidence}});
  run.usage.checks_ms += workflow::time_of(checks.runs);
  if (checks.passed) run.evidence = checks.evidence;
  // Whose agent the newest turn was: what it left is what was checked.
  if (run.last.number > 0) {
    workflow::AgentSummary& agent = agent_of(run, run.last.number);
    agent.checked = checks.passed ? workflow::Finding::held : workflow::Finding::refused;
    agent.found = workflow::found_words({run.claims.back().claim}, checks.runs);
    if (!checks.passed) agent.why = workflow::bounded_end(checks.feedback);
  }
  if (checks.passed) {
    run.unchecked = false;
    if (run.phase == Phase::qa) return complete(run, checks.at);
    if (run.phase == Phase::complete) run.step = step_after_all(run);
    return;
  }
  if (run.phase != Phase::qa || run.qa_cycle >= kQaCycles)
    return stop(run, Outcome::checks_failed, checks.feedback);
  ++run.qa_cycle;
  again(run, Why::mend, checks.feedback);
}

void on(Run& run, const fact::ReviewStarted& review) {
  run.open = Step::review;
  for (int i = 0; i < static_cast<int>(std::size(fact::kReviewers)); ++i)
    agent_started(run, review, review.agent + i, "review-" + std::string(fact::kReviewers[i]),
                  review.round);
}

void on(Run& run, const fact::Reviewed& reviewed) {
  run.open.reset();
  run.rounds.push_back(reviewed);
  ++run.round;
  for (const fact::ReviewVerdict& verdict : reviewed.verdicts) {
    if (verdict.agent == 0) ++run.usage.agent_runs;  // of version 1: no start is recorded
    workflow::AgentSummary& agent = agent_of(run, verdict.agent);
    agent_ended(run, agent, verdict.fault, verdict.log, verdict.duration_ms, verdict.cost_micros);
    agent.role = "review-" + verdict.type;
    agent.attempt = run.round;
    agent.said = fact::name_of(verdict.verdict);
    agent.detail = verdict.issues.empty() ? "" : verdict.issues.front();
    if (verdict.verdict != fact::Verdict::approved)
      agent.why = workflow::bounded_end(bulleted(verdict.issues));
    if (!verdict.tried.empty())
      run.claims.push_back(
          {verdict.agent, "", agent.role, workflow::tried_to_change(verdict.tried)});
  }
  if (all_approved(reviewed)) {
    complete(run, reviewed.at);
    const bool mended = run.file.phases[index_of(Phase::fix)].signal_detected;
    if (run.phase == Phase::fix) complete(run, reviewed.at, !mended);
    return;
  }
  if (run.round >= kReviewRounds) return stop(run, Outcome::not_approved, issues_text(reviewed));
  enter(run, Phase::fix, reviewed.at);
  again(run, Why::mend, issues_text(reviewed));
}

void on(Run& run, const fact::GroundMoved& moved) {
  run.ground.apply({moved.what, moved.agents, moved.main, moved.from, moved.to},
                   [&](int agent) { return workflow::agent_words(run.agents, agent); });
}

void on(Run& run, const fact::MergeIntended&) { run.open = Step::merge; }

void on(Run& run, const fact::MergeDone& merged) {
  run.open.reset();
  if (!merged.nothing) run.merged_as = merged.commit;
  run.usage.checks_ms += workflow::time_of(merged.runs);
  for (const event::Claim& claim : merged.claims)
    run.claims.push_back({run.number, "", std::string(signal::name_of(run.last.phase)), claim});
  run.step = Step::remove_place;
}

void on(Run& run, const fact::MergeTried& tried) {
  if (run.step != Step::merge) return;
  run.tried = tried;
  run.asked = {0, event::Approval::merge, {}, "", ""};
  run.step = Step::approve;
}

void on(Run& run, const fact::ApprovalAsked& asked) {
  run.questions = std::max(run.questions, asked.question);
  run.asked = asked;
  run.open.reset();
  run.step = Step::approve;
}

void on(Run& run, const fact::IntegrationChosen& chosen) {
  if (chosen.integrate == event::Integrate::unsaid) return;
  run.integrate = chosen.integrate;
  const bool waits = run.step == Step::approve && run.asked.about == event::Approval::merge;
  if (waits && run.integrate != event::Integrate::ask) run.step = Step::merge;
}

// With the words of a person: to where what reviewers raise is mended, or, without reviews, to the
// phase that does the work. Limits count from here.
void send_back(Run& run, const std::string& words, const std::string& at) {
  const Phase phase = run.file.config.skip_review ? Phase::execution : Phase::fix;
  run.outcome = Outcome::none;
  run.round = run.qa_cycle = 0;
  reopen(run.file, phase);
  enter(run, phase, at);
  again(run, Why::mend, words);
}

void on(Run& run, const fact::ApprovalGiven& given) {
  if (run.step != Step::approve || given.question != run.asked.question) return;
  run.before_answer.reset();
  run.before_answer = std::make_shared<Run>(run);
  run.asked.question = 0;
  run.step = Step::merge;
  if (run.asked.about == event::Approval::guard) {
    const std::string files = short_list(run.asked.files);
    if (!given.approved)
      return send_back(run,
                       "Put these files back as they are on the main branch: they say what the "
                       "project's checks do, and a person did not let the change pass: " +
                           files + (given.text.empty() ? "" : "\n" + given.text),
                       given.at);
    run.allowed.insert(run.allowed.end(), run.asked.files.begin(), run.asked.files.end());
    run.edited = true;
    return;
  }
  run.approved = run.edited = given.approved;
  if (given.approved) return;
  if (given.text.empty()) return stop(run, Outcome::not_approved, "the merge was not approved");
  send_back(run, "A person looked at the work before it was merged, and says:\n" + given.text,
            given.at);
}

// The agent that was asked for meanwhile has not begun; its number and session are nobody else's.
void on(Run& run, const fact::AnswerTakenBack& taken) {
  if (!run.before_answer || run.before_answer->asked.question != taken.question) return;
  Run before = *run.before_answer;
  before.attended = run.attended;
  before.id = std::move(run.id);
  before.workers = std::move(run.workers);
  before.under_way = std::move(run.under_way);
  before.number = run.number;
  before.turns = run.turns;
  before.integrate = run.integrate;
  before.ground = std::move(run.ground);
  before.agents = workflow::never_begun_since(before.agents, std::move(run.agents));
  run = std::move(before);
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
    case Outcome::paused:
    case Outcome::aborted:
      return ExitReason::user_cancelled;
    default:
      return ExitReason::critical_error;
  }
}

// How an agent ended whose end nobody saw.
Fault fault_of(Outcome outcome) {
  if (outcome == Outcome::error) return Fault::not_started;
  return outcome == Outcome::cancelled ? Fault::lost : Fault::interrupted;
}

void on(Run& run, const fact::Ended& ended) {
  if (run.step != Step::end && run.step != Step::ended) run.after = run.step;
  if (run.open != Step::turn) run.open.reset();
  run.approved = run.approved && ended.approval_stands;
  run.edited = run.approved;
  for (workflow::AgentSummary& agent : run.agents) {
    if (!agent.running) continue;
    agent.running = false;
    agent.fault = fault_of(ended.outcome);
  }
  run.outcome = ended.outcome;
  run.detail = ended.detail;
  run.ground.refused = run.ground.doubted() && ended.outcome == Outcome::merge_refused;
  run.step = Step::ended;
  run.before_answer.reset();
  if (run.outcome != Outcome::complete && !ended.detail.empty()) run.file.last_error = ended.detail;
  finish(run.file, exit_reason_of(run),
         run.outcome == Outcome::complete ? signal::name_of(Phase::complete) : kFailedPhase,
         ended.at);
}

// The phase that a state without any left to do was in.
Phase furthest(const State& file) {
  for (std::size_t i = kPhases; i-- > 0;)
    if (!file.phases[i].started_at.empty()) return static_cast<Phase>(i);
  return Phase::expansion;
}

void on(Run& run, const fact::Resumed&) {
  if (run.ground.refused) run.ground.looked();
  run.step = run.after;
  run.outcome = run.phase == Phase::complete ? Outcome::complete : Outcome::none;
  run.detail.clear();
  run.failed = 0;
  run.retried = false;
  reopen(run.file, run.phase == Phase::complete ? furthest(run.file) : run.phase);
  run.session_alive = false;
  if (run.why == Why::go_on) run.why = Why::restart;
  // A person may have worked there.
  run.unchecked = true;
  if (run.step == Step::merge || run.step == Step::approve) run.step = step_after_all(run);
  if (run.step == Step::checks && run.phase == Phase::qa) run.qa_cycle = 0;
  if (run.step == Step::review) run.round = 0;
}

void on(Run&, const fact::SessionSeen&) {}

}  // namespace

void apply(Run& run, const fact::Fact& fact) {
  std::visit([&run](const auto& typed) { on(run, typed); }, fact);
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
    case Outcome::paused:
      return 1;
    default:
      return 2;
  }
}

}  // namespace capsule::auto_mode
