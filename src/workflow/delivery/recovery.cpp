// How a delivery begins, is taken up again, and follows a plan that changed.
#include <algorithm>
#include <utility>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Step = Remediation::Step;
using Prelude = State::Prelude;

int add_task(State& s, const Task& task) {
  const int at = s.tasks.count();
  if (!s.index.emplace(task.id, at).second) return -1;
  s.tasks.emplace_back().task = task;
  s.tasks[at].since = s.at;
  want_files(s, at, task.predicted);
  return at;
}

bool untouched(const TaskState& t) {
  if (t.agent != 0 || t.begun || t.hold != Hold::none) return false;
  if (t.again) return is_open(t);
  for (const int attempts : t.attempts)
    if (attempts > 0) return false;
  return is_open(t);
}

// Begins what can begin, and ends what never will.
void settle_blocked(State& s) {
  for (int i = 0; i < s.tasks.count(); ++i) {
    TaskState& t = s.tasks[i];
    if (t.stage != Stage::blocked) continue;
    if (t.open_blockers == 0) {
      make_ready(s, i);
      continue;
    }
    for (const std::string& id : t.task.blocked_by) {
      const auto found = s.index.find(id);
      if (found == s.index.end() || s.tasks[found->second].stage != Stage::failed) continue;
      fail_task(s, i, FailCause::dependency, FailureKind{}, id,
                "task " + id + ", which it needs, failed");
      break;
    }
  }
}

// A task that was over begins again, with limits of its own.
void renew(State& s, TaskState& t) {
  TaskState fresh;
  fresh.task = std::move(t.task);
  fresh.files = std::move(t.files);
  fresh.attempts = t.attempts;
  fresh.sessions = t.sessions;
  fresh.confidence = t.confidence;
  fresh.runs = std::move(t.runs);
  fresh.asked = std::move(t.asked);
  fresh.wait = t.wait;
  fresh.to_merge = t.to_merge;
  fresh.allowed = std::move(t.allowed);
  t = std::move(fresh);
  --s.finished;
}

void begin_again(State& s) {
  for (TaskState& t : s.tasks) {
    if (t.stage != Stage::failed) continue;
    const std::string why = std::exchange(t.detail, {});
    renew(s, t);
    t.again = !t.runs.empty();
    if (t.again) t.context = "It ended with: " + why;
  }
  link(s);
  settle_blocked(s);
}

// What the plan says of a task that has not begun.
void replace(State& s, int task, const Task& with) {
  TaskState& t = s.tasks[task];
  unqueue(s, task);
  release_files(s, task);
  t.stage = Stage::blocked;
  t.task = with;
  t.files.clear();
  want_files(s, task, with.predicted);
}

constexpr std::string_view kByPlan = "plan";

bool asked_to_remove(int task, const Question& q) {
  return q.kind == QuestionKind::removed_task && q.task == task && q.by != kByPlan;
}

// A task that the plan has again: nobody needs to say any more what becomes of it.
void restore(State& s, int task, const Task& as) {
  for (Question& q : s.questions)
    if (!q.closed && asked_to_remove(task, q)) q.closed = true, q.answer = "keep", q.by = kByPlan;
  TaskState& t = s.tasks[task];
  keep_task(s, task);
  if (t.stage == Stage::removed) renew(s, t);
  if (untouched(t) || t.stage == Stage::blocked) replace(s, task, as);
}

}  // namespace

void started(State& s, const DeliveryStarted& f) {
  if (s.started) return;
  s.started = true;
  s.plan = f.plan;
  s.title = f.title;
  s.overview = f.overview;
  s.provider = f.provider;
  s.slots = f.slots;
  s.limits = f.limits;
  s.with_experts = f.experts;
  s.tracked = f.tracked;
  s.red_allowed = f.red_allowed;
  if (f.integrate != event::Integrate::unsaid) s.integrate = f.integrate;
  s.branch = f.branch;
  s.roles = f.agents;
  s.can_ask = f.attended;
  s.tasks.reserve(f.tasks.size());
  for (const Task& task : f.tasks) add_task(s, task);
  for (const std::string& name : f.known_experts) register_expert(s, name, "", "");
  link(s);
  settle_blocked(s);
  s.prelude = Prelude::baseline;
}

void cut_off(State& s, const Agent& agent) {
  const int begun = agent.repeats ? 0 : 1;  // attempts that begin again
  --s.dispatched;
  ++s.cut_off;
  switch (agent.role) {
    case Role::plan_analyst:
      s.analyst_attempts -= begun;
      s.prelude = Prelude::analyst;
      return;
    case Role::expert: {
      Delegation& d = s.delegations[agent.delegation - 1];
      d.running = false;
      d.attempts -= begun;
      Expert& expert = s.experts[d.expert];
      --expert.running;
      expert.queue.insert(expert.queue.begin(), d.number);
      ++s.delegations_queued;
      return;
    }
    case Role::remediation:
    case Role::health_auditor: {
      Remediation& r = s.remediation;
      r.attempts[at(agent.role)] -= begun;
      const bool mends = agent.role == Role::remediation;
      if (r.step != (mends ? Step::mending : Step::judging)) return;
      r.step = mends ? Step::mend : Step::judge;
      if (mends && agent.why == Why::fresh) --r.attempt;
      if (is_restart(agent.why)) --r.restarts;
      return;
    }
    default:
      break;
  }
  TaskState& t = s.tasks[agent.task];
  t.agent = 0;
  t.attempts[at(agent.role)] -= begun;
  if (!is_open(t)) return;
  // A review or an audit is repeated as it was; a developer goes on with what is half done.
  if (agent.role == Role::developer) {
    t.why = Why::taken_up;
    t.resume = true;
  } else {
    t.resume = false;
  }
  enqueue(s, agent.task);
}

// Who no longer wants to be asked has answered what was open.
void choose_integration(State& s, event::Integrate how) {
  if (how == event::Integrate::unsaid) return;
  s.integrate = how;
  if (how == event::Integrate::ask) return;
  for (int i = 0; i < s.questions.count(); ++i) {
    Question& q = s.questions[i];
    if (q.closed || q.kind != QuestionKind::approval) continue;
    q.closed = true;
    q.by = "--integrate";
    if (s.tasks[q.task].hold == Hold::person) enqueue_merge(s, q.task);
  }
}

void resumed(State& s, const DeliveryResumed& f) {
  if (!s.started) return;
  s.slots = f.slots;
  s.limits = f.limits;
  s.tracked = s.tracked || f.tracked;
  if (!f.agents.empty()) s.roles = f.agents;
  for (AgentRecord& record : s.history) {
    if (!std::exchange(record.running, false)) continue;
    record.fault = Fault::lost;
    record.detail = "it was cut off";
  }
  for (const auto& [number, agent] : std::exchange(s.agents, {})) {
    left_half_done(s, agent);
    cut_off(s, agent);
  }
  tidy_again(s);
  for (int& busy : s.busy) busy = 0;
  s.waiting.clear();
  if (s.merging >= 0) {
    const int task = std::exchange(s.merging, -1);
    s.tasks[task].merge_tries = 0;
    if (s.tasks[task].stage == Stage::merge) s.merges.emplace(s.tasks[task].queued, task);
    if (s.tasks[task].doubted) doubt(s, task);
  }
  s.red_allowed = f.red_allowed;
  choose_integration(s, f.integrate);
  s.no_ground.clear();
  if (s.prelude == Prelude::verifying || s.prelude == Prelude::refused)
    s.prelude = Prelude::baseline;
  Remediation& r = s.remediation;
  if (r.step == Step::verifying || r.step == Step::merging) r.step = Step::verify;
  r.merge_tries = 0;
  s.to_end.clear();
  s.to_wait.clear();
  for (int i = 0; i < s.tasks.count(); ++i) {
    if (s.tasks[i].hold != Hold::file) continue;
    ++s.tasks[i].wait;
    s.to_wait.push_back(i);
  }
  // Main may have been mended meanwhile: the next merge shows it, and asks again when it was not.
  s.can_ask = f.attended;
  s.red_main.clear();
  s.red_main_asked = 0;
  for (Question& q : s.questions) q.closed |= q.kind == QuestionKind::main_red;
  s.to_ask = open_questions(s);  // whoever listened for the answers is gone
  if (std::exchange(s.halted, false) && is_remedying(s)) retry_remediation(s);
  if (f.retry_failed) begin_again(s);
  if (s.outcome == Outcome::halted || s.finished < s.tasks.count() || !unclosed(s).empty())
    s.outcome = Outcome::none;
}

void remove_task(State& s, int task) {
  TaskState& t = s.tasks[task];
  if (t.stage == Stage::complete || t.stage == Stage::removed) return;
  if (is_open(t)) {
    if (t.agent != 0) {
      if (const auto found = s.agents.find(t.agent);
          found != s.agents.end() && !std::exchange(found->second.ending, true))
        s.to_end.push_back(t.agent);
    }
    drop(s, task);
  } else {
    t.stage = Stage::removed;  // it had failed; it is counted already
  }
  link(s);
  settle_blocked(s);
}

void plan_changed(State& s, const PlanChanged& f) {
  if (!s.started) return;
  for (const Task& task : f.changed) {
    const auto found = s.index.find(task.id);
    if (found == s.index.end() || !untouched(s.tasks[found->second])) continue;
    replace(s, found->second, task);
  }
  for (const Task& task : f.added)
    if (add_task(s, task) < 0) restore(s, s.index.at(task.id), task);
  for (const std::string& id : f.removed) {
    const auto found = s.index.find(id);
    if (found == s.index.end() || !is_open(s.tasks[found->second])) continue;
    // It had failed, and then it was taken out of the plan: that says it.
    if (s.tasks[found->second].again) {
      remove_task(s, found->second);
      continue;
    }
    const bool asked = std::any_of(s.questions.begin(), s.questions.end(), [&](const Question& q) {
      return asked_to_remove(found->second, q);
    });
    if (asked) continue;
    ask_person(s, QuestionKind::removed_task, found->second, 0,
               "Task " + id + " is no longer in the plan: keep or remove it?", "",
               {"keep", "remove"});
    doubt(s, found->second);
  }
  link(s);
  settle_blocked(s);
  // A wait that became a circle by the new references ends.
  for (int i = 0; i < s.tasks.count(); ++i) {
    TaskState& t = s.tasks[i];
    if (t.hold != Hold::dependency || t.awaits < 0 || !waits_for(s, t.awaits, i)) continue;
    ask_for(s, i, t.stage, Why::dependency_done,
            "Task " + s.tasks[t.awaits].task.id + " waits for this one; go on without it.", true);
  }
  if (s.finished < s.tasks.count()) s.outcome = Outcome::none;
}

}  // namespace capsule::delivery
