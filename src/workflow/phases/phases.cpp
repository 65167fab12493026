#include "workflow/phases/phases.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/approval.h"

namespace capsule::phases {
namespace {

using namespace event;

const PhaseRule& rule_of(const State& s, std::string_view phase) {
  const PhaseRule* rule = find_phase(s.definition, phase);
  // A journal may name what no definition has: the run can still end.
  return rule != nullptr ? *rule : s.definition.phases.front();
}

void end(State& s, Outcome outcome, std::string detail, Step after) {
  s.step = Step::end;
  s.after = after;
  s.outcome = outcome;
  s.detail = std::move(detail);
  if (after == Step::run_phase) s.results.clear();  // it is done again when the run goes on
}

void go_to(State& s, const std::string& phase, int attempt, std::string feedback) {
  s.step = Step::run_phase;
  s.phase = group_of(s.definition, phase).front()->name;
  s.attempt = attempt;
  s.feedback = std::move(feedback);
  s.results.clear();
  s.present.passed_gate = false;
}

// After the last phase.
Step finish_step(const State& s) {
  return s.definition.finish == Finish::nothing ? Step::archive : Step::integrate;
}

// PASS: the next phase, in a new loop unless it belongs to this one.
void pass(State& s) {
  const PhaseRule& rule = rule_of(s, s.phase);
  std::string next = s.then.empty() ? rule.pass.to : s.then;
  const bool same_loop_again = !s.then.empty();
  s.then.clear();
  if (next.empty()) {
    const auto group = group_of(s.definition, s.phase);
    const std::size_t index =
        static_cast<std::size_t>(group.back() - s.definition.phases.data()) + 1;
    if (index == s.definition.phases.size()) {
      s.step = finish_step(s);
      return;
    }
    next = s.definition.phases[index].name;
  }
  // A judge belongs to the loop of the writer before it; what a judge passed begins a new one.
  const bool same_loop = same_loop_again || (!judges(rule) && judges(rule_of(s, next)));
  go_to(s, next, same_loop ? s.attempt : 1, "");
}

// The same words about the same tree, twice in a row: another attempt would be spent for nothing.
bool converged(State& s, const std::string& feedback) {
  s.repeated = s.reviewed_by == s.phase && s.reviewed_feedback == feedback &&
               s.reviewed_tree == s.snapshot.tree && !s.snapshot.tree.empty();
  s.reviewed_by = s.phase;
  s.reviewed_feedback = feedback;
  s.reviewed_tree = s.snapshot.tree;
  return s.repeated && s.convergence == event::Convergence::stop;
}

// A person did not approve what would be merged: whoever the last judge sends work back to begins
// anew, with their words. What people ask for has no limit but their patience.
void send_back(State& s, const std::string& words) {
  Route route;
  for (const PhaseRule& rule : s.definition.phases)
    if (judges(rule)) route = rule.needs_work;
  if (route.to.empty())
    for (const PhaseRule& rule : s.definition.phases)
      if (rule.writes && !rule.commits && !rule.signs_off) route.to = rule.name;
  if (route.to.empty() || words.empty()) {
    const std::string said = words.empty() ? "" : ": " + words;
    return end(s, Outcome::rejected, "the merge was not approved" + said, Step::integrate);
  }
  s.signed_off = false;
  s.signed_commit.clear();
  s.sent_back.clear();
  s.reviewed_feedback.clear();
  go_to(s, route.to, 1, words);
  s.then = route.then;
}

// NEEDS_WORK of a review, of a check or of a person: the writer goes again while attempts are left.
void retry(State& s, const Route& route, const std::string& feedback, bool checked_false = false) {
  const PhaseRule& rule = rule_of(s, s.phase);
  const bool stuck = (judges(rule) || checked_false) && converged(s, feedback);
  const std::string who = s.phase;
  const std::string writer = route.to.empty() ? rule.name : route.to;
  // What a mended phase leads to: where its judge says, or where it was on its way to.
  const std::string then = route.to.empty() ? s.then : route.then;
  const int limit = route.limit > 0 ? route.limit : s.max_retries;
  const int attempt = s.attempt;
  if (writer != rule.name) ++s.sent_back[who];
  if (stuck || attempt >= limit || s.sent_back[who] >= limit) {
    go_to(s, writer, 1, feedback);  // where a resumed run goes on, with attempts of its own
    s.then = then;
    end(s, stuck ? Outcome::converged : Outcome::retries_exhausted,
        stuck && checked_false
            ? who + " left the same files twice, and the checks say the same about them"
        : stuck ? who + " said the same twice about the same files"
                : who + " still needs work after " + counted(limit, "attempt"),
        Step::run_phase);
    return;
  }
  // A mending writer counts as the beginning of the attempt of the judge that follows it.
  go_to(s, writer, attempt + 1, feedback);
  s.then = then;
}

// Whether those that failed, failed by themselves. An ERROR that one of them said counts for more.
AfterFault after_fault(const State& s) {
  AfterFault follows = AfterFault::unsaid;
  for (const auto& [phase, result] : s.results) {
    if (result.status != Status::error) continue;
    if (result.after_fault == AfterFault::unsaid) return AfterFault::unsaid;
    follows = std::max(follows, result.after_fault);
  }
  return follows;
}

// Those whose agents failed by themselves, once more, as the same attempt.
void repeat(State& s) {
  ++s.faults;
  std::erase_if(s.results, [](const auto& one) { return one.second.status == Status::error; });
  s.step = Step::run_phase;
}

void judge(State& s, Status status, const std::string& feedback, bool checked_false) {
  s.repeated = false;
  const PhaseRule& rule = rule_of(s, s.phase);
  if (rule.signs_off) {
    s.asked_sign_off = true;
    s.signed_off = status == Status::pass;
    s.signed_commit = s.signed_off ? s.snapshot.commit : "";
  }
  switch (status) {
    case Status::pass:
      if (rule.approval && s.step == Step::check) {
        s.step = Step::approve;
        s.about = Approval::phase;
        return;
      }
      return pass(s);
    case Status::error:
      if (const AfterFault follows = after_fault(s); follows == AfterFault::again)
        return repeat(s);
      else if (!rule.error.to.empty() && follows == AfterFault::unsaid)
        return retry(s, rule.error, feedback);
      return end(s, Outcome::phase_error, s.phase + ": " + feedback, Step::run_phase);
    case Status::needs_work:
      break;
  }
  if (rule.commits)
    return end(s, Outcome::merge_needs_work, s.phase + ": " + feedback, Step::run_phase);
  if (rule.needs_work.to.empty() && !rule.writes)
    return end(s, Outcome::rejected, s.phase + ": " + feedback, Step::run_phase);
  if (rule.needs_work.to.empty() && !checked_false)
    return end(s, Outcome::writer_needs_work, s.phase + ": " + feedback, Step::run_phase);
  retry(s, rule.needs_work, feedback, checked_false);
}

// A phase that a person ran by hand, outside a run: it counts for where a resumed run goes on.
void count_by_hand(State& s) {
  s.by_hand = true;
  const Step step = s.step;
  s.phase = s.last.phase;
  s.attempt = 1;
  s.then.clear();
  const int limit = std::exchange(s.max_retries, 2);
  s.sent_back.clear();
  judge(s, s.last.status, s.last.feedback, false);
  s.sent_back.clear();
  s.max_retries = limit;
  s.attempt = 1;
  s.after = s.step == Step::end ? s.after : s.step;
  s.step = step;
  s.outcome = Outcome::prepared;
}

// What phases that ran together come to. One alone: its own words.
struct Joined {
  Status status{};
  std::string feedback;
};
Joined joined(const State& s) {
  const auto group = group_of(s.definition, s.phase);
  if (group.size() == 1) return {s.last.status, s.last.feedback};
  bool all = true, any = false, error = false, work = false;
  for (const auto& [name, result] : s.results) {
    all &= result.status == Status::pass;
    any |= result.status == Status::pass;
    error |= result.status == Status::error;
    work |= result.status == Status::needs_work;
  }
  if (group.front()->any ? any : all) return {Status::pass, ""};
  const bool failed = group.front()->any ? !work : error;
  Joined together{failed ? Status::error : Status::needs_work, ""};
  for (const PhaseRule* rule : group) {
    const auto found = s.results.find(rule->name);
    if (found == s.results.end() || found->second.status == Status::pass) continue;
    // How an agent failed by itself is nothing that a writer could mend.
    if (!failed && found->second.fault != Fault::none) continue;
    if (!together.feedback.empty()) together.feedback += "\n\n";
    together.feedback += "## " + rule->name + "\n\n" + found->second.feedback;
  }
  return together;
}

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
