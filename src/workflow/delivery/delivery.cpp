#include "workflow/delivery/delivery.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Step = Remediation::Step;
using Prelude = State::Prelude;

constexpr std::string_view kRequest = "request-";
constexpr int kRunsOfOneExpert = 2;

std::size_t at(Role role) { return static_cast<std::size_t>(role); }

int task_named(const State& s, const std::string& id) {
  const auto found = s.index.find(id);
  return found == s.index.end() ? -1 : found->second;
}

int delegation_named(const State& s, std::string_view request) {
  int number = 0;
  if (!request.starts_with(kRequest)) return 0;
  request.remove_prefix(kRequest.size());
  std::from_chars(request.data(), request.data() + request.size(), number);
  return number >= 1 && number <= static_cast<int>(s.delegations.size()) ? number : 0;
}

// ---- Folding facts

struct Fold {
  State& s;

  void operator()(const DeliveryStarted& f) { started(s, f); }
  void operator()(const DeliveryResumed& f) { resumed(s, f); }
  void operator()(const PlanChanged& f) { plan_changed(s, f); }
  void operator()(const QuestionAnswered& f) { answered(s, f); }
  void operator()(const FileWaitExpired& f) { file_wait_expired(s, f); }

  void operator()(const AgentDispatched& f) {
    Agent agent{f.agent, f.role, -1, f.attempt, f.session, f.why, 0, false};
    switch (f.role) {
      case Role::plan_analyst:
        s.prelude = Prelude::analysing;
        s.analyst_attempts = f.attempt;
        s.analyst_session = f.session;
        break;
      case Role::remediation:
      case Role::health_auditor: {
        Remediation& r = s.remediation;
        const bool mends = f.role == Role::remediation;
        r.step = mends ? Step::mending : Step::judging;
        r.attempts[at(f.role)] = f.attempt;
        r.sessions[at(f.role)] = f.session;
        if (mends && f.why == Why::fresh) ++r.attempt;
        break;
      }
      case Role::expert:
        if (!begin_delegation(f, agent)) return;
        break;
      default:
        if (!begin_task(f, agent)) return;
    }
    s.next_agent = std::max(s.next_agent, f.agent + 1);
    ++s.dispatched;
    s.agents[f.agent] = agent;
  }

  bool begin_delegation(const AgentDispatched& f, Agent& agent) {
    agent.delegation = delegation_named(s, f.request);
    if (agent.delegation == 0) return false;
    Delegation& d = s.delegations[agent.delegation - 1];
    Expert& expert = s.experts[d.expert];
    const auto place = std::find(expert.queue.begin(), expert.queue.end(), d.number);
    if (place == expert.queue.end()) return false;
    expert.queue.erase(place);
    --s.delegations_queued;
    ++expert.running;
    d.running = true;
    d.attempts = f.attempt;
    d.session = f.session;
    agent.task = d.task;
    return true;
  }

  bool begin_task(const AgentDispatched& f, Agent& agent) {
    agent.task = task_named(s, f.task);
    if (agent.task < 0 || s.tasks[agent.task].agent != 0) return false;
    TaskState& t = s.tasks[agent.task];
    unqueue(s, agent.task);
    t.agent = f.agent;
    t.attempts[at(f.role)] = f.attempt;
    t.sessions[at(f.role)] = f.session;
    if (f.role == Role::developer) t.notices.clear();  // the others are told, but can do nothing
    ++s.busy[slot_class(f.role)];
    if (f.role == Role::developer && !t.begun) hold_files(s, agent.task);
    return true;
  }

  void operator()(const AgentFinished& f) {
    const auto found = s.agents.find(f.agent);
    if (found == s.agents.end()) return;
    const Agent agent = found->second;
    s.agents.erase(found);
    s.to_end.erase(std::remove(s.to_end.begin(), s.to_end.end(), f.agent), s.to_end.end());
    s.cost_micros += f.cost_micros;
    if (const int slot = slot_class(agent.role); slot >= 0) --s.busy[slot];
    if (f.fault == Fault::interrupted || (s.halted && f.fault != Fault::none))
      return cut_off(s, agent);
    switch (agent.role) {
      case Role::plan_analyst:
        return analyst_finished(s, agent, f);
      case Role::expert:
        return expert_finished(s, agent, f);
      case Role::remediation:
      case Role::health_auditor:
        return remedy_agent_finished(s, agent, f);
      default:
        return task_agent_finished(s, agent, f);
    }
  }

  void operator()(const AgentIdle& f) {
    const auto found = s.agents.find(f.agent);
    if (found == s.agents.end() || std::exchange(found->second.ending, true)) return;
    s.to_end.push_back(f.agent);
  }
  void operator()(const AgentEnded& f) {
    s.to_end.erase(std::remove(s.to_end.begin(), s.to_end.end(), f.agent), s.to_end.end());
  }

  void operator()(const MergeIntended& f) {
    const int task = task_named(s, f.task);
    if (task < 0) return;
    s.merges.erase({s.tasks[task].queued, task});
    s.merging = task;
  }
  // The task whose merge this is, or -1; the queue goes on.
  int merged(const std::string& id) {
    const int task = task_named(s, id);
    if (task < 0) return -1;
    if (s.merging == task) s.merging = -1;
    if (s.tasks[task].stage != Stage::merge) return -1;
    s.merges.erase({s.tasks[task].queued, task});
    return task;
  }
  void operator()(const MergeDone& f) {
    const int task = merged(f.task);
    if (task < 0) return;
    s.tasks[task].commit = f.commit;
    s.tasks[task].merged_files = f.files;
    complete(s, task);
  }
  void operator()(const MergeRefused& f) {
    const int task = merged(f.task);
    if (task < 0) return;
    // A file of the user's in the way, a full disk: no developer can change that.
    if (f.why == MergeRefusal::refused || f.why == MergeRefusal::error)
      return ask_person(s, QuestionKind::merge, task, 0,
                        "It cannot be merged as things are. Put that right, then answer 'retry'.",
                        f.detail, {"retry", "rework"});
    merge_failed(s, task, name_of(f.why), f.detail);
  }

  void operator()(const VerifyStarted& f) {
    if (f.purpose == VerifyPurpose::baseline) {
      if (s.prelude == Prelude::baseline) s.prelude = Prelude::verifying;
    } else if (s.remediation.step == Step::verify) {
      s.remediation.step = Step::verifying;
    }
  }
  void operator()(const VerifyFinished& f) {
    if (f.purpose == VerifyPurpose::health) return health_checked(s, f);
    if (s.prelude != Prelude::verifying) return;
    s.baseline = f.failures;
    s.prelude = s.with_experts ? Prelude::analyst : Prelude::done;
  }

  void operator()(const QuestionAsked& f) {
    s.to_ask.erase(std::remove(s.to_ask.begin(), s.to_ask.end(), f.question), s.to_ask.end());
  }
  void operator()(const FileWaitStarted& f) {
    const int task = task_named(s, f.task);
    s.to_wait.erase(std::remove(s.to_wait.begin(), s.to_wait.end(), task), s.to_wait.end());
  }
  void operator()(const DeliveryEnded& f) { s.outcome = f.outcome; }

  template <class Announcement>
  void operator()(const Announcement&) {}
};

// ---- Deciding

struct Decision {
  DeliveryFact fact;
  std::optional<Command> command;
};

Decision start(State& s, Role role, int task, int attempt, int session, Why why,
               std::string context, std::string expert = "", std::string request = "") {
  const int number = s.next_agent;
  AgentDispatched fact{number,
                       role,
                       std::string(id_of(s, task)),
                       attempt,
                       session == 0 ? number : session,
                       why,
                       std::move(expert),
                       std::move(request)};
  StartAgent command{number, role,    fact.task,   attempt,     why, std::move(context),
                     {},     session, fact.expert, fact.request};
  return {std::move(fact), std::move(command)};
}

std::optional<Decision> decide_small(State& s) {
  if (!s.to_end.empty()) return Decision{AgentEnded{s.to_end.front()}, EndAgent{s.to_end.front()}};
  if (!s.to_ask.empty()) {
    const Question& q = s.questions[s.to_ask.front() - 1];
    return Decision{QuestionAsked{q.number, q.kind, std::string(id_of(s, q.task)), q.agent, q.text,
                                  q.context, q.options},
                    AskPerson{q.number}};
  }
  while (!s.to_wait.empty()) {
    const int task = s.to_wait.front();
    const TaskState& t = s.tasks[task];
    if (t.hold != Hold::file || t.wanted.empty()) {
      s.to_wait.erase(s.to_wait.begin());
      continue;
    }
    const File& file = s.files[t.wanted.front()];
    return Decision{
        FileWaitStarted{t.task.id, file.name, std::string(id_of(s, file.holder)), t.wait},
        SetTimer{t.task.id, t.wait}};
  }
  return std::nullopt;
}

std::optional<Decision> decide_prelude(State& s) {
  if (s.prelude == Prelude::baseline)
    return Decision{VerifyStarted{VerifyPurpose::baseline}, RunVerify{VerifyPurpose::baseline}};
  if (s.prelude == Prelude::analyst)
    return start(s, Role::plan_analyst, -1, s.analyst_attempts + 1,
                 s.analyst_why == Why::fresh ? 0 : s.analyst_session, s.analyst_why, "");
  return std::nullopt;
}

std::optional<Decision> decide_remediation(State& s) {
  const Remediation& r = s.remediation;
  if (r.step == Step::verify)
    return Decision{VerifyStarted{VerifyPurpose::health}, RunVerify{VerifyPurpose::health}};
  if (r.step != Step::mend && r.step != Step::judge) return std::nullopt;
  const Role role = r.step == Step::mend ? Role::remediation : Role::health_auditor;
  // Whoever mends or judges is told what was reported, however often it was tried.
  const std::string context =
      r.context.empty() ? r.issue : r.context + "\n\nWhat was reported as broken:\n\n" + r.issue;
  return start(s, role, -1, r.attempts[at(role)] + 1, r.resume ? r.sessions[at(role)] : 0, r.why,
               context);
}

std::optional<Decision> decide_expert(State& s) {
  if (s.delegations_queued == 0) return std::nullopt;
  for (const auto& [name, expert] : s.experts) {
    if (expert.running >= kRunsOfOneExpert) continue;
    for (const int number : expert.queue) {
      const Delegation& d = s.delegations[number - 1];
      if (d.task >= 0 && (is_remedying(s) || s.tasks[d.task].doubted)) continue;
      return start(s, Role::expert, d.task, d.attempts + 1,
                   d.attempts == 0 || d.why == Why::fresh ? 0 : d.session, d.why, d.prompt, name,
                   std::string(kRequest) + std::to_string(number));
    }
  }
  return std::nullopt;
}

// What brings the agent on, and for a developer what else is still to be settled.
std::string context_of(const TaskState& t) {
  std::string text = t.context;
  if (t.stage != Stage::development) return text;
  for (const std::string& earlier : t.unsettled)
    if (earlier != t.context) text += "\n\nFrom before, still to be settled:\n\n" + earlier;
  return text;
}

Decision start_on(State& s, int task) {
  const TaskState& t = s.tasks[task];
  const Role role = role_of(t.stage);
  Decision decision = start(s, role, task, t.attempts[at(role)] + 1,
                            t.resume ? t.sessions[at(role)] : 0, t.why, context_of(t));
  std::get<StartAgent>(*decision.command).notices = notices_of(s, task);
  return decision;
}

std::optional<Decision> decide_task(State& s) {
  // Work in flight first: what is nearest to its end is most worth finishing.
  if (s.busy[1] < s.slots.critics && !s.queue[1].empty())
    return start_on(s, s.queue[1].begin()->second);
  if (s.busy[2] < s.slots.auditors && !s.queue[2].empty())
    return start_on(s, s.queue[2].begin()->second);
  if (s.busy[0] < s.slots.developers)
    if (const int task = pick_developer(s); task >= 0) return start_on(s, task);
  return std::nullopt;
}

std::optional<Decision> decide(State& s) {
  if (!s.started || s.outcome != Outcome::none) return std::nullopt;
  if (auto decision = decide_small(s)) return decision;
  const bool quiet = s.agents.empty() && s.merging < 0;
  if (s.halted) {
    if (quiet) return Decision{DeliveryEnded{Outcome::halted}, std::nullopt};
    return std::nullopt;
  }
  if (s.finished == static_cast<int>(s.tasks.size()) && quiet) {
    const bool all = std::none_of(s.tasks.begin(), s.tasks.end(),
                                  [](const TaskState& t) { return t.stage == Stage::failed; });
    return Decision{DeliveryEnded{all ? Outcome::complete : Outcome::incomplete}, std::nullopt};
  }
  if (s.prelude != Prelude::done) return decide_prelude(s);
  if (auto decision = decide_remediation(s)) return decision;
  if (auto decision = decide_expert(s)) return decision;
  if (is_remedying(s)) return std::nullopt;
  if (s.merging < 0 && !s.merges.empty()) {
    const std::string& id = s.tasks[s.merges.begin()->second].task.id;
    return Decision{MergeIntended{id}, Merge{id}};
  }
  return decide_task(s);
}

void take_announcements(State& s, Turn& turn) {
  for (DeliveryFact& fact : s.announcements) turn.facts.push_back(std::move(fact));
  s.announcements.clear();
}

}  // namespace

void apply(State& s, const DeliveryFact& fact) {
  s.announcements.clear();
  std::visit(Fold{s}, fact);
}

Turn advance(State& s, const std::vector<DeliveryFact>& observations) {
  Turn turn;
  for (const DeliveryFact& fact : observations) {
    turn.facts.push_back(fact);
    delivery::apply(s, fact);
    take_announcements(s, turn);
  }
  while (auto decision = decide(s)) {
    delivery::apply(s, decision->fact);
    turn.facts.push_back(std::move(decision->fact));
    if (decision->command) turn.commands.push_back(std::move(*decision->command));
    take_announcements(s, turn);
  }
  return turn;
}

}  // namespace capsule::delivery
