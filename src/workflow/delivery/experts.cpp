// Experts: they advise one agent at a time, and can neither delegate nor escalate. What they cannot
// answer goes to a person.
#include <algorithm>
#include <utility>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Step = Remediation::Step;

void to_person(State& s, const Delegation& d, int agent, const std::string& why,
               const std::string& context) {
  const std::string who = d.task < 0 ? "Remediation" : "Task " + s.tasks[d.task].task.id;
  ask_person(s, QuestionKind::expert, d.task, agent,
             who + " asked the expert " + d.expert + ", but " + why + ". What should it do?",
             d.prompt + (context.empty() ? "" : "\n\n" + context));
}

// The agent that asked goes on with the advice.
void deliver(State& s, const Delegation& d, std::string advice) {
  if (d.task >= 0) {
    if (s.tasks[d.task].hold == Hold::expert)
      ask_for(s, d.task, s.tasks[d.task].stage, Why::advised, std::move(advice), true);
    return;
  }
  Remediation& r = s.remediation;
  if (r.step != Step::expert) return;
  r.step = r.after;
  r.why = Why::advised;
  r.context = std::move(advice);
  r.resume = true;
  r.talk.requests = 0;
}

bool still_waits(const State& s, const Delegation& d) {
  return d.task >= 0 ? s.tasks[d.task].hold == Hold::expert : s.remediation.step == Step::expert;
}

}  // namespace

void register_expert(State& s, const std::string& name, std::string supports, std::string gap) {
  if (name.empty()) return;
  Expert& expert = s.experts[name];
  expert.supports = std::move(supports);
  expert.gap = std::move(gap);
}

void expert_requested(State& s, int task, const Agent& asker, const AgentFinished& f) {
  Delegation d;
  d.expert = field(f, "Target Agent");
  d.prompt = field(f, signal::kPromptLabel);
  d.question = field(f, "Request Type");
  d.task = task;
  int& count = task >= 0 ? s.tasks[task].expert_requests : s.remediation.expert_requests;
  if (!s.experts.contains(d.expert))
    return to_person(s, d, asker.number, "there is no such expert", "");
  if (count >= s.limits.expert_requests)
    return to_person(s, d, asker.number, "it has asked experts too often", "");
  ++count;
  d.number = s.delegations.count() + 1;
  announce(s, ExpertDelegated{d.expert, std::string(id_of(s, task)),
                              "request-" + std::to_string(d.number), asker.number});
  s.experts[d.expert].queue.push_back(d.number);
  ++s.delegations_queued;
  s.delegations.push_back(std::move(d));
  if (task >= 0) {
    set_hold(s, task, Hold::expert);
  } else {
    s.remediation.step = Step::expert;
  }
}

void forget_delegations(State& s, int task) {
  if (s.delegations_queued == 0) return;
  for (auto& [name, expert] : s.experts) {
    const auto gone = std::remove_if(expert.queue.begin(), expert.queue.end(), [&](int number) {
      return s.delegations[number - 1].task == task;
    });
    s.delegations_queued -= static_cast<int>(expert.queue.end() - gone);
    expert.queue.erase(gone, expert.queue.end());
  }
}

void expert_finished(State& s, const Agent& agent, const AgentFinished& f) {
  Delegation& d = s.delegations[agent.delegation - 1];
  d.running = false;
  Expert& expert = s.experts[d.expert];
  --expert.running;
  if (!still_waits(s, d)) {
    d.done = true;
    return;
  }
  if (f.fault == Fault::none && f.signal == Signal::expert_advice) {
    d.done = true;
    return deliver(s, d, all_fields(f));
  }
  if (f.fault == Fault::none && f.signal == Signal::expert_unsuccessful) {
    d.done = true;
    return to_person(s, d, agent.number, "the expert could not help", all_fields(f));
  }
  Why why{};
  if (f.fault == Fault::none && not_a_signal(s, d.talk, f, agent, why) == NoSignal::ask_again) {
    d.why = why;
    expert.queue.insert(expert.queue.begin(), d.number);
    ++s.delegations_queued;
    return;
  }
  d.done = true;
  to_person(s, d, agent.number,
            f.fault == Fault::none || f.detail.empty() ? "the expert gave no advice"
                                                       : "the expert " + f.detail,
            "");
}

void analyst_finished(State& s, const Agent& agent, const AgentFinished& f) {
  if (s.prelude != State::Prelude::analysing) return;
  Why why{};
  const bool created = f.signal == Signal::expert_created;
  if (f.fault == Fault::none && !created &&
      not_a_signal(s, s.analyst_talk, f, agent, why) == NoSignal::ask_again) {
    s.analyst_why = why;
    s.prelude = State::Prelude::analyst;
    return;
  }
  s.prelude = State::Prelude::done;
  remove_tree(s, agent.tree);                      // not before: whoever is asked again works there
  if (f.fault != Fault::none || !created) return;  // without experts, then
  std::vector<std::string> names{f.argument};
  names.insert(names.end(), f.more.begin(), f.more.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string supports(field(f, i, "Supports")), gap(field(f, i, "Gap Filled"));
    register_expert(s, names[i], supports, gap);
    announce(s, ExpertRegistered{names[i], supports, gap});
  }
}

}  // namespace capsule::delivery
