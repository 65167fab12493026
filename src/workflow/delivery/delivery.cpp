#include "workflow/delivery/delivery.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "workflow/approval.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Step = Remediation::Step;
using Prelude = State::Prelude;

int task_named(const State& s, const std::string& id) {
  const auto found = s.index.find(id);
  return found == s.index.end() ? -1 : found->second;
}

int delegation_named(const State& s, std::string_view request) {
  int number = 0;
  if (!request.starts_with(kRequest)) return 0;
  request.remove_prefix(kRequest.size());
  std::from_chars(request.data(), request.data() + request.size(), number);
  return number >= 1 && number <= s.delegations.count() ? number : 0;
}

// ---- Folding facts

struct Fold {
  State& s;

  void operator()(const DeliveryStarted& f) { started(s, f); }
  void operator()(const DeliveryResumed& f) { resumed(s, f); }
  void operator()(const PlanChanged& f) { plan_changed(s, f); }
  void operator()(const QuestionAnswered& f) { answered(s, f); }
  void operator()(const AnswerTakenBack& f) { answer_taken_back(s, f); }
  void operator()(const DeliveryPaused&) { s.paused = true; }  // it is where it was
  void operator()(const FileWaitExpired& f) { file_wait_expired(s, f); }

  void operator()(const AgentDispatched& f) {
    Agent agent{f.agent, f.role, -1, f.attempt, f.session, f.why, 0, false, false, "", 0};
    switch (f.role) {
      case Role::plan_analyst:
        s.prelude = Prelude::analysing;
        count_attempt(s.analyst_attempts, f, agent);
        s.analyst_session = f.session;
        break;
      case Role::remediation:
      case Role::health_auditor: {
        Remediation& r = s.remediation;
        const bool mends = f.role == Role::remediation;
        r.step = mends ? Step::mending : Step::judging;
        count_attempt(r.attempts[at(f.role)], f, agent);
        r.sessions[at(f.role)] = f.session;
        if (mends && f.why == Why::fresh) ++r.attempt;
        if (is_restart(f.why)) ++r.restarts;
        if (mends) r.on_main = false;
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
    agent.tree = tree_for(s, f.role, agent.task);
    s.trees.insert(agent.tree);
    s.to_settle.erase(agent.tree);  // journals of version 1 do not tell of it
    AgentRecord record;
    record.number = f.agent;
    record.role = f.role;
    record.task = agent.task;
    record.attempt = f.attempt;
    for (const RoleAgent& who : s.roles)
      if (who.role == f.role) record.provider = who.provider, record.model = who.model;
    s.history.push_back(std::move(record));
    s.agents[f.agent] = std::move(agent);
  }

  static void count_attempt(int& attempts, const AgentDispatched& f, Agent& agent) {
    agent.repeats = f.attempt <= attempts;
    attempts = f.attempt;
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
    count_attempt(d.attempts, f, agent);
    d.session = f.session;
    agent.task = d.task;
    return true;
  }

  bool begin_task(const AgentDispatched& f, Agent& agent) {
    agent.task = task_named(s, f.task);
    if (agent.task < 0 || s.tasks[agent.task].agent != 0) return false;
    TaskState& t = s.tasks[agent.task];
    unqueue(s, agent.task);
    // Earlier versions had a Developer work on what had failed at its merge.
    if (t.stage == Stage::merge) {
      s.merges.erase({t.queued, agent.task});
      t.stage = Stage::development;
    }
    t.agent = f.agent;
    ++t.told;
    t.again = false;
    count_attempt(t.attempts[at(f.role)], f, agent);
    t.sessions[at(f.role)] = f.session;
    if (f.role == Role::developer) t.approved = t.mended = t.edited = false;
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
    s.waiting.erase(f.agent);
    s.to_end.erase(std::remove(s.to_end.begin(), s.to_end.end(), f.agent), s.to_end.end());
    s.cost_micros += f.cost_micros;
    if (AgentRecord* record = record_of(s, f.agent)) {
      record->running = false;
      record->signal = f.signal;
      record->fault = f.fault;
      record->detail = f.detail;
      record->log = f.log;
      record->duration_ms = f.duration_ms;
      found_at_end(s, *record, f);
    }
    if (const int slot = slot_class(agent.role); slot >= 0) --s.busy[slot];
    if (f.fault == Fault::interrupted) left_half_done(s, agent);
    if (agent.regretted != 0) {
      cut_off(s, agent);
      return reopen(s, agent.regretted);
    }
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
    s.tasks[task].merge_tries = 0;
    if (s.tasks[task].stage != Stage::merge) return -1;
    s.merges.erase({s.tasks[task].queued, task});
    return task;
  }
  void operator()(const MergeDone& f) {
    const int task = merged(f.task);
    if (task < 0) return;
    if (!f.nothing) s.tasks[task].commit = s.newest_commit = f.commit;
    s.tasks[task].merged_files = f.files;
    s.tasks[task].evidence = f.evidence;
    s.red_main_asked = 0;
    found_at_merge(s, task, f);
    s.tasks[task].merge_claims = f.claims;
    complete(s, task);
    remove_tree(s, f.task);
    close_task(s, task);
  }
  void operator()(const MergeTried& f) {
    if (const int task = merged(f.task); task >= 0) merge_tried(s, task, f);
  }
  void operator()(const MainMoved& f) {
    if (s.remediation.step == Step::merging && f.tree == tree_for(s, Role::remediation, -1)) {
      ++s.remediation.merge_tries;
      s.remediation.step = Step::verify;
      return;
    }
    const int task = task_named(s, f.tree);
    if (task < 0 || s.merging != task) return;
    s.merging = -1;
    TaskState& t = s.tasks[task];
    ++t.merge_tries;
    if (t.stage != Stage::merge) return;
    if (t.doubted) return doubt(s, task);
    s.merges.emplace(t.queued, task);  // its place is its own: it is the first again
  }
  void operator()(const MergeRefused& f) {
    const int task = merged(f.task);
    if (task < 0) return;
    TaskState& t = s.tasks[task];
    const bool again = std::exchange(t.mended, false);
    t.approved = t.approved && !workflow::voids_approval(f.why);
    t.edited = false;
    if (f.why == MergeRefusal::main_red) {
      if (t.doubted) return doubt(s, task);
      s.merges.emplace(t.queued, task);  // its place is its own
      return main_turned_red(s, f);
    }
    found_at_merge(s, task, f);
    if (f.asks && !f.guarded.empty()) {
      t.guarded = f.guarded;
      return ask_person(s, QuestionKind::guard, task, 0,
                        workflow::guard_question(t.task.id, f.guarded), f.guard_stat);
    }
    // What it left is gone: it is done again.
    if (again && f.why == MergeRefusal::error)
      return ask_for(s, task, Stage::development, Why::retried, f.detail, false);
    // A file of the user's in the way, a full disk: no developer can change that.
    if (f.why == MergeRefusal::checkout_in_the_way || f.why == MergeRefusal::refused ||
        f.why == MergeRefusal::error)
      return ask_person(s, QuestionKind::merge, task, 0,
                        "It cannot be merged as things are. Fix that, then answer 'retry'.",
                        f.detail, {"retry", "rework"});
    merge_failed(s, task, name_of(f.why), f.detail);
  }

  void operator()(const RepairIntended&) {
    if (s.remediation.step == Step::verify) s.remediation.step = Step::merging;
  }
  void operator()(const RepairDone&) {
    Remediation& r = s.remediation;
    if (r.step != Step::merging) return;
    r.step = Step::verify;
    r.on_main = true;
    r.merge_tries = 0;
  }

  void operator()(const VerifyStarted& f) {
    if (f.purpose == VerifyPurpose::baseline) {
      if (s.prelude == Prelude::baseline) s.prelude = Prelude::verifying;
    } else if (s.remediation.step == Step::verify) {
      s.remediation.step = Step::verifying;
    }
  }
  void operator()(const VerifyFinished& f) {
    s.checks_ms += workflow::time_of(f.runs);
    if (f.purpose == VerifyPurpose::health) return health_checked(s, f);
    if (s.prelude != Prelude::verifying) return;
    s.baseline = f.failures;
    if (f.state == event::Baseline::cannot_run ||
        (f.state == event::Baseline::red && !s.red_allowed)) {
      s.no_ground = f.detail;
      s.prelude = Prelude::refused;
      return;
    }
    s.prelude = s.with_experts ? Prelude::analyst : Prelude::done;
  }

  void operator()(const QuestionAsked& f) {
    asked_about_remediation(s, f);
    s.to_ask.erase(std::remove(s.to_ask.begin(), s.to_ask.end(), f.question), s.to_ask.end());
  }
  void operator()(const FileWaitStarted& f) {
    const int task = task_named(s, f.task);
    s.to_wait.erase(std::remove(s.to_wait.begin(), s.to_wait.end(), task), s.to_wait.end());
  }
  void operator()(const DeliveryEnded& f) { s.outcome = f.outcome; }
  void operator()(const GroundMoved& f) { ground_moved(s, f); }

  void operator()(const TaskClosing& f) {
    const int task = task_named(s, f.task);
    if (s.to_close.erase(task) > 0) s.closing.insert(task);
  }
  void operator()(const TaskClosed& f) {
    const int task = task_named(s, f.task);
    if (task < 0) return;
    s.tasks[task].closed = true;
    for (std::set<int>* tasks : {&s.to_close, &s.closing, &s.not_closed}) tasks->erase(task);
  }
  void operator()(const TaskCloseFailed& f) {
    const int task = task_named(s, f.task);
    if (s.closing.erase(task) > 0) s.not_closed.insert(task);
  }
  void operator()(const TreeRemoved& f) {
    for (std::set<std::string>* trees : {&s.trees, &s.to_remove, &s.removing, &s.not_removed})
      trees->erase(f.tree);
  }
  void operator()(const TreeRemoveFailed& f) {
    if (s.removing.erase(f.tree) + s.to_remove.erase(f.tree) > 0) s.not_removed.insert(f.tree);
  }
  void operator()(const TreeSettled& f) {
    s.settling.erase(f.tree);
    s.to_settle.erase(f.tree);
  }

  template <class Announcement>
  void operator()(const Announcement&) {}
};

// Agents are being ended for both an interruption and an abort; only the second ends the delivery.
void heed(State& s, workflow::Stop how) {
  using workflow::Stop;
  if (!s.stop || how == Stop::aborted || *s.stop == Stop::paused) s.stop = how;
}

void heed(State& s, const Observation& observation) {
  if (const auto* asked = std::get_if<workflow::StopAsked>(&observation)) heed(s, asked->how);
  if (const auto* waits = std::get_if<workflow::AgentWaits>(&observation)) {
    if (waits->waits)
      s.waiting[waits->agent] = waits->alone;
    else
      s.waiting.erase(waits->agent);
  }
  const auto* finished = std::get_if<workflow::AgentFinished>(&observation);
  const auto* failed = std::get_if<workflow::CommandFailed>(&observation);
  if ((finished != nullptr && finished->fault == Fault::interrupted && !finished->held) ||
      (failed != nullptr && failed->reason == Reason::interrupted))
    s.ended_by_person = true;
}

void take_announcements(State& s, Turn& turn) {
  for (DeliveryFact& fact : s.announcements) turn.facts.push_back(std::move(fact));
  s.announcements.clear();
}

}  // namespace

void apply(State& s, const DeliveryFact& fact) {
  s.announcements.clear();
  s.paused = false;
  std::visit(Fold{s}, fact);
}

Turn advance(State& s, const std::vector<DeliveryFact>& given,
             const std::vector<Observation>& observations) {
  // A task whose agents are through, and the next one, make about so many.
  constexpr std::size_t kUsualFacts = 16, kUsualCommands = 8;
  Turn turn;
  turn.facts.reserve(kUsualFacts);
  turn.commands.reserve(kUsualCommands);
  const auto record = [&](DeliveryFact fact) {
    delivery::apply(s, fact);
    turn.facts.push_back(std::move(fact));
    take_announcements(s, turn);
  };
  for (const DeliveryFact& fact : given) record(fact);
  for (const Observation& observation : observations) {
    heed(s, observation);
    for (DeliveryFact& fact : facts_of(s, observation)) record(std::move(fact));
  }
  while (auto decision = decide(s)) {
    if (decision->command) turn.commands.push_back(std::move(*decision->command));
    if (decision->fact) record(std::move(*decision->fact));
  }
  // Without it the delivery would look as if its process had died.
  if (s.stop == workflow::Stop::paused && !s.paused && stopped(s)) record(DeliveryPaused{});
  return turn;
}

}  // namespace capsule::delivery
