// Remediation: while it lasts nothing new is started or merged. A round mends and judges in turns
// until the verify commands agree with the health auditor, or a person decides.
#include <utility>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Step = Remediation::Step;

void go(Remediation& r, Step step, Why why, std::string context, bool resume) {
  r.step = step;
  r.why = why;
  r.context = std::move(context);
  r.resume = resume;
  if (why != Why::signal_request && why != Why::checkpoint_request) r.talk.requests = 0;
}

void ask_what_to_do(State& s, const std::string& why, const std::string& context) {
  s.remediation.after = Step::mend;
  ask_person(s, QuestionKind::remediation, -1, 0, why + ": retry, override (go on anyway) or halt?",
             s.remediation.issue + "\n" + context, {"retry", "override", "halt"});
}

// This attempt did not help: the next one, or a person.
void next_attempt(State& s, const std::string& context) {
  Remediation& r = s.remediation;
  r.talk = {};
  if (r.attempt < s.limits.remediation_attempts)
    return go(r, Step::mend, Why::fresh, "The previous attempt did not help:\n\n" + context, false);
  ask_what_to_do(
      s, "The infrastructure is still broken after " + std::to_string(r.attempt) + " attempts",
      context);
}

// That is no attempt, and says nothing about the infrastructure. It is bounded apart.
void failed_by_itself(State& s, const Agent& agent, Step step, Why why, const std::string& how) {
  Remediation& r = s.remediation;
  const signal::Missed missed = r.talk.missed;
  r.talk = {};
  if (why == Why::signal_failed) r.talk.missed = missed;  // the next one is told
  if (r.restarts < s.limits.restarts - 1) return go(r, step, why, r.context, why == Why::restarted);
  const std::string who(signal::name_of(agent.role));
  ask_what_to_do(s,
                 "Agents that mend or judge the infrastructure failed by themselves too often; the "
                 "last time the " +
                     who + " " + how,
                 "");
}

}  // namespace

void enter_remediation(State& s, int task, const std::string& issue) {
  Remediation& r = s.remediation;
  const std::string report =
      (task < 0 ? "Main:\n\n" : "Task " + std::string(id_of(s, task)) + " reports:\n\n") + issue;
  if (is_remedying(s)) {
    r.issue += "\n" + report;
    return;
  }
  ++r.round;
  r.on_main = false;
  r.merge_tries = 0;
  r.attempt = r.restarts = 0;
  r.expert_requests = r.questions = 0;
  r.talk = {};
  r.issue = report;
  go(r, Step::mend, Why::fresh, "", false);
  announce(s, RemediationEntered{r.round, std::string(id_of(s, task)), issue});
}

void leave_remediation(State& s, bool overridden) {
  Remediation& r = s.remediation;
  r.step = Step::none;
  remove_tree(s, tree_for(s, Role::remediation, -1));
  announce(s, RemediationLeft{r.round, overridden});
  for (const int task : std::exchange(r.blocked, {})) {
    if (s.tasks[task].hold != Hold::remediation) continue;
    ask_for(s, task, s.tasks[task].stage, Why::remediated,
            overridden ? "A person decided to go on although the infrastructure is not healthy."
                       : "The infrastructure was repaired.",
            true);
  }
}

// Earlier versions took the end of an agent that failed by itself for an attempt: their journals
// may have this question where a restart would follow.
void asked_about_remediation(State& s, const QuestionAsked& f) {
  if (f.kind != QuestionKind::remediation || f.question != s.questions.count() + 1) return;
  s.remediation.after = Step::mend;
  ask_person(s, f.kind, -1, f.agent, f.text, f.context, f.options);
}

void retry_remediation(State& s) {
  s.remediation.attempt = s.remediation.restarts = 0;
  s.remediation.talk = {};
  go(s.remediation, Step::mend, Why::fresh, "", false);
}

void health_checked(State& s, const VerifyFinished& f) {
  Remediation& r = s.remediation;
  if (r.step != Step::verify && r.step != Step::merging && r.step != Step::verifying) return;
  r.merge_tries = 0;
  const auto failures = introduced(s, f.failures);
  if (failures.empty()) {
    s.baseline = f.failures;  // what was mended since must not break again
    return leave_remediation(s, false);
  }
  std::string context = "The health auditor said HEALTHY, but these verify commands fail:\n";
  for (const std::string& failure : failures) context += "- " + failure + "\n";
  next_attempt(s, context + f.detail);
}

void remedy_agent_finished(State& s, const Agent& agent, const AgentFinished& f) {
  Remediation& r = s.remediation;
  const bool mends = agent.role == Role::remediation;
  const Step step = mends ? Step::mend : Step::judge;
  if (r.step != (mends ? Step::mending : Step::judging)) return;
  if (f.fault != Fault::none) return failed_by_itself(s, agent, step, Why::restarted, f.detail);
  switch (may_send(agent.role, f.signal) ? f.signal : Signal::unknown) {
    case Signal::remediation_complete:
      r.talk = {};
      return go(r, Step::judge, Why::fresh, all_fields(f), false);
    case Signal::health_healthy:
      r.talk = {};
      r.step = Step::verify;
      return;
    case Signal::health_unhealthy:
      return next_attempt(s, all_fields(f));
    case Signal::divine_clarification:
      r.talk = {};
      if (++r.questions > s.limits.questions) return next_attempt(s, all_fields(f));
      r.after = step;
      return ask_person(s, QuestionKind::clarification, -1, agent.number,
                        std::string(field(f, "Question")), all_fields(f));
    case Signal::expert_request:
      r.talk = {};
      r.after = step;
      return expert_requested(s, -1, agent, f);
    default: {
      // FILE CONFLICT too: nothing else is started now, so there is nothing to coordinate but to
      // ask for the signal.
      Why why{};
      if (not_a_signal(s, r.talk, f, agent, why) == NoSignal::ask_again)
        return go(r, step, why, r.context, true);
      failed_by_itself(s, agent, step, Why::signal_failed, "printed no valid signal");
    }
  }
}

}  // namespace capsule::delivery
