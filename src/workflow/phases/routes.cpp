#include "workflow/phases/routes.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace capsule::phases::routes {

namespace {

using namespace event;

// After the last phase.
Step finish_step(const State& s) {
  return s.definition.finish == Finish::nothing ? Step::archive : Step::integrate;
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

}  // namespace

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

void retry(State& s, const Route& route, const std::string& feedback, bool checked_false) {
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

}  // namespace capsule::phases::routes
