#include "workflow/phases/phases.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/approval.h"
#include "workflow/phases/routes.h"

namespace capsule::phases {
namespace {

using namespace event;
using namespace routes;

workflow::AgentSummary* agent_of(State& s, int number) {
  // Numbers grow.
  for (auto it = s.agents.rbegin(); it != s.agents.rend() && it->number >= number; ++it)
    if (it->number == number) return &*it;
  return nullptr;
}

struct Fold {
  State& s;
  void operator()(const RunStarted& f) {
    s.bead = f.bead;
    s.title = f.title;
    s.provider = f.provider;
    s.max_retries = f.max_retries;
    s.convergence = f.convergence;
    s.definition = f.definition.phases.empty() ? pipeline() : f.definition;
    s.on_branch = f.branch;
    s.request = f.request;
    s.red_allowed = f.red_allowed;
    s.integrate = f.integrate != Integrate::unsaid        ? f.integrate
                  : s.definition.finish == Finish::branch ? Integrate::branch
                                                          : Integrate::merge;
    s.phase = s.definition.phases.front().name;
    s.step = Step::prepare;
  }
  void place(const std::string& worktree, const std::string& branch, const std::string& base) {
    s.worktree = worktree;
    s.branch = branch;
    s.base = base;
  }
  void operator()(const WorktreeIntended& f) { place(f.worktree, f.branch, f.base); }
  void operator()(const WorktreeReady& f) {
    place(f.worktree, f.branch, f.base);
    go_to(s, s.definition.phases.front().name, 1, "");
  }
  void operator()(const BaselineChecked& f) {
    s.baseline = f.state;
    s.baseline_detail = f.detail;
    s.checks_ms += workflow::time_of(f.runs);
    s.baselined = f.state == Baseline::none || f.state == Baseline::green ||
                  (f.state == Baseline::red && s.red_allowed);
    if (!s.baselined) end(s, Outcome::prep_failed, f.detail, s.step);
  }
  void operator()(const PhaseStarted& f) {
    s.approved = s.merge_again = false;
    // Earlier versions called the merge agent again after a merge that was refused.
    if (s.step == Step::integrate && !f.by_hand) go_to(s, f.phase, f.attempt, "");
    s.number = std::max(s.number, f.number);
    if (!f.by_hand) s.open[f.phase] = f.number;
    ++s.starts;
    if (f.session > 0) s.sessions[f.phase] = f.session;
    workflow::AgentSummary agent;
    agent.number = f.number;
    agent.task = s.bead;
    agent.role = f.phase;
    agent.attempt = f.attempt;
    agent.provider = f.provider;
    agent.model = f.model;
    agent.running = true;
    // One that was cut off starts again under its number.
    if (workflow::AgentSummary* before = agent_of(s, f.number))
      *before = std::move(agent);
    else
      s.agents.push_back(std::move(agent));
  }
  void operator()(const PhaseFinished& f) {
    s.number = std::max(s.number, f.number);
    s.open.erase(f.phase);
    s.last = f;
    s.cut_short.erase(f.phase);
    if (f.fault != Fault::none && f.fault != Fault::not_started) s.cut_short.insert(f.phase);
    if (workflow::AgentSummary* agent = agent_of(s, f.number)) {
      agent->running = false;
      agent->fault = f.fault;
      agent->said = signal::name_of(f.status);
      agent->detail = f.fault == Fault::none ? f.summary : f.feedback;
      agent->log = f.log;
      agent->duration_ms = f.duration_ms;
      if (f.miss != signal::Miss::none)
        agent->why = signal::sentence({f.miss, ""});
      else if (f.status != Status::pass)
        agent->why = workflow::bounded_end(f.feedback);
    }
    if (!judges(rule_of(s, f.phase)) && !rule_of(s, f.phase).commits)
      s.claimed.insert(f.files_changed.begin(), f.files_changed.end());
    if (s.step != Step::run_phase) return count_by_hand(s);
    s.results[f.phase] = f;
    for (const PhaseRule* rule : group_of(s.definition, s.phase))
      if (!s.results.contains(rule->name)) return;
    s.step = Step::snapshot;
  }
  void operator()(const SnapshotTaken& f) {
    s.previous_commit = s.snapshot.commit.empty() ? s.base : s.snapshot.commit;
    s.snapshot = f;
    if (rule_of(s, f.phase).writes_tests) s.tests_commit = f.commit;
    if (s.step != Step::snapshot) return;
    const Joined result = joined(s);
    if (result.status == Status::error)
      judge(s, Status::error, result.feedback, false);
    else
      s.step = Step::check;
  }
  void operator()(const PhaseChecked& f) {
    for (const Claim& claim : f.claims) {
      s.claims.push_back({f.number, s.bead, f.phase, claim});
      if (claim.verdict == Verdict::held && claim.evidence.by_name && claim.evidence.failing == 0)
        s.evidence = claim.evidence;
    }
    s.checks_ms += workflow::time_of(f.runs);
    note_finding(f);
    if (s.step != Step::check) return;
    s.guard_refused = false;
    s.guard_words.clear();
    const Joined result = joined(s);
    const bool lied = !f.passed && result.status == Status::pass;
    if (!lied && result.status == Status::pass) s.accepted_commit = s.snapshot.commit;
    judge(s, lied ? Status::needs_work : result.status, lied ? f.feedback : result.feedback, lied);
  }
  // Those that ran at once are checked at once.
  void note_finding(const PhaseChecked& f) {
    std::vector<int> numbers{f.number};
    for (const auto& [phase, result] : s.results) numbers.push_back(result.number);
    for (const int number : numbers) {
      workflow::AgentSummary* agent = agent_of(s, number);
      if (agent == nullptr) continue;
      agent->checked = f.passed ? workflow::finding_of(f.claims) : workflow::Finding::refused;
      agent->found = workflow::found_words(f.claims, f.runs);
      if (!f.passed) agent->why = workflow::bounded_end(f.feedback);
    }
    s.newest_check.reset();
    const std::string found = workflow::found_words(f.claims, f.runs);
    if (!found.empty() || !f.passed)
      s.newest_check = {f.phase, s.attempt, s.last.status, "", f.feedback, found, !f.passed};
  }
  void operator()(const ApprovalAsked& f) {
    s.questions = std::max(s.questions, f.question);
    s.question = f.question;
    s.asked_at = s.at;
    s.about = f.about;
    if (f.about != Approval::guard) return;
    s.guard = f;
    if (s.step == Step::check) s.step = Step::approve;
  }
  void operator()(const MergeTried& f) {
    if (s.step != Step::integrate) return;
    s.tried = f;
    s.step = Step::approve;
    s.about = Approval::merge;
    s.question = 0;
  }
  void operator()(const IntegrationChosen& f) {
    if (f.integrate == Integrate::unsaid) return;
    s.integrate = f.integrate;
    const bool waits = s.step == Step::approve && s.about == Approval::merge;
    if (!waits || s.integrate == Integrate::ask) return;
    s.question = 0;
    s.step = Step::integrate;
  }
  void operator()(const ApprovalGiven& f) {
    if (s.step != Step::approve || f.question != s.question) return;
    s.before_answer.reset();
    s.before_answer = std::make_shared<State>(s);
    s.question = 0;
    if (s.about == Approval::guard) {
      s.step = Step::check;
      if (f.approved) s.allowed.insert(s.allowed.end(), s.guard.files.begin(), s.guard.files.end());
      s.guard_refused = !f.approved;
      s.guard_words = f.text;
      return;
    }
    if (s.about == Approval::merge) {
      s.approved = f.approved;
      if (!f.approved) return send_back(s, f.text);
      s.step = Step::integrate;
      return;
    }
    if (f.approved) return pass(s);
    // Who does not approve a sign-off takes it back.
    if (rule_of(s, s.phase).signs_off) {
      s.signed_off = false;
      s.signed_commit.clear();
    }
    if (!f.text.empty()) return retry(s, rule_of(s, s.phase).needs_work, f.text);
    end(s, Outcome::rejected, s.phase + " was not approved", Step::run_phase);
  }
  // Agents that were asked for meanwhile have not begun; their numbers and sessions are not given
  // to others.
  void operator()(const AnswerTakenBack& f) {
    if (!s.before_answer || s.before_answer->question != f.question) return;
    State before = *s.before_answer;
    before.present = std::move(s.present);
    before.present.passed_gate = false;
    before.run = std::move(s.run);
    before.at = std::move(s.at);
    before.number = s.number;
    before.starts = s.starts;
    before.max_retries = s.max_retries;
    before.integrate = s.integrate;
    before.ground = std::move(s.ground);
    before.agents = workflow::never_begun_since(before.agents, std::move(s.agents));
    before.checks_ms = s.checks_ms;
    s = std::move(before);
  }
  void operator()(const MergeIntended&) { s.merge_open = true; }
  void operator()(const MergeDone& f) {
    s.merge_open = false;
    s.merge_commit = f.commit;
    s.checks_ms += workflow::time_of(f.runs);
    s.step = Step::archive;
  }
  void operator()(const MergeRefused& f) {
    s.merge_open = false;
    s.approved = s.approved && !workflow::voids_approval(f.why);
    if (f.why == MergeRefusal::main_moved || f.why == MergeRefusal::main_red) {
      s.ground.refused = s.ground.doubted();
      return end(s, Outcome::merge_refused, f.detail, s.step);
    }
    s.phase = s.definition.phases.back().name;
    const bool commits = rule_of(s, s.phase).commits;
    const bool lacks =
        f.why == MergeRefusal::nothing_to_merge || f.why == MergeRefusal::work_missing;
    // Who goes on has what is there merged, and pays no agent. Only when the commit still lacks
    // something does the phase that makes it go again.
    if (s.step == Step::integrate && lacks && commits && std::exchange(s.merge_again, false))
      return go_to(s, s.phase, 1, f.detail.substr(0, f.detail.find('\n')));
    const bool there = s.step == Step::integrate && (commits || !lacks);
    end(s, Outcome::merge_refused, f.detail, there ? Step::integrate : Step::run_phase);
    if (f.why != MergeRefusal::no_sign_off || !s.before_merge) return;
    s.after = s.before_merge->step;
    s.phase = s.before_merge->phase;
    s.attempt = s.before_merge->attempt;
    s.then = s.before_merge->then;
    s.feedback = std::move(s.before_merge->feedback);
    s.before_merge.reset();
  }
  void operator()(const RunArchived&) { s.step = Step::remove_worktree; }
  void operator()(const WorktreeRemoved&) {
    const bool kept = s.integrate == Integrate::branch;
    if (s.definition.finish != Finish::nothing && !kept) {
      s.step = Step::close_bead;
      return;
    }
    end(s, kept ? Outcome::on_branch : Outcome::finished, kept ? s.branch : "", Step::ended);
  }
  void operator()(const GroundMoved& f) {
    s.ground.apply(f, [this](int agent) { return workflow::agent_words(s.agents, agent); });
  }
  void operator()(const BeadClosing&) { s.closing = true; }
  void operator()(const BeadClosed&) { end(s, Outcome::merged, s.merge_commit, Step::ended); }
  void operator()(const RunEnded& f) {
    // An end from outside (Ctrl-C, pause, a failure that is no phase's) keeps the place.
    if (s.step != Step::end && s.step != Step::ended) s.after = s.step;
    s.step = Step::ended;
    s.before_answer.reset();
    // What an agent left when a person ended it, and what the person did since, is where the phase
    // goes on.
    s.open.clear();
    for (workflow::AgentSummary& agent : s.agents)
      if (std::exchange(agent.running, false)) agent.fault = Fault::interrupted;
    s.outcome = f.outcome;
    s.detail = f.detail;
  }
  void operator()(const RunResumed& f) {
    if (s.outcome == Outcome::merged) return;
    const bool ended = s.step == Step::ended;
    if (ended) s.step = s.after == Step::start ? Step::prepare : s.after;
    s.max_retries = f.max_retries;
    s.outcome = Outcome::none;
    s.detail.clear();
    if (s.ground.refused) s.ground.looked();
    s.merge_again = ended && s.step == Step::integrate;
    s.reviewed_feedback.clear();
    s.reviewed_tree.clear();
    s.sent_back.clear();
    s.faults = 0;
    if (ended && s.step == Step::approve) s.question = 0;
    // Work that is on main already is cleaned up, not merged again.
    const bool there =
        s.step == Step::integrate || (s.step == Step::approve && s.about == Approval::merge);
    if (f.at_merge && s.merge_commit.empty() && !there) {
      s.open.clear();
      if (!s.signed_off) s.before_merge = {s.step, s.phase, s.attempt, s.then, s.feedback};
      s.then.clear();
      go_to(s, s.definition.phases.back().name, 1, "");
    }
  }
};

}  // namespace

void apply(State& state, const PipelineFact& fact) {
  if (state.definition.phases.empty()) state.definition = pipeline();
  std::visit(Fold{state}, fact);
}

}  // namespace capsule::phases
