// What is done next. Each decision is one fact and one command; advance() asks until there is none.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/delivery/parts.h"
#include "workflow/delivery/prompts.h"

namespace capsule::delivery {
namespace {

using Step = Remediation::Step;
using Prelude = State::Prelude;

constexpr int kRunsOfOneExpert = 2;

// What the agent waited for is on main, so it has to be in its worktree too.
bool tells_of_main(Why why) {
  return why == Why::merge_failed || why == Why::not_approved || why == Why::remediated ||
         why == Why::dependency_done || why == Why::file_free || why == Why::retried;
}

workflow::BringMain bring_main(const Telling& telling) {
  if (telling.task < 0 || !tells_of_main(telling.why)) return workflow::BringMain::no;
  return telling.role == Role::developer ? workflow::BringMain::mark
                                         : workflow::BringMain::if_no_clash;
}

int slots_of(const State& s, Role role) {
  const int slots[] = {s.slots.developers, s.slots.critics, s.slots.auditors};
  return slots[slot_class(role)];
}

// Whoever waits for its service or a budget has its place, and yet does not keep others from work:
// only those of its own role, who would have to wait for the same, and not even them when it waits
// for its task's sake.
bool has_room(const State& s, Role role) {
  int busy = s.busy[slot_class(role)];
  for (const auto& [agent, alone] : s.waiting)
    if (const auto found = s.agents.find(agent);
        found != s.agents.end() && slot_class(found->second.role) == slot_class(role) &&
        (alone || found->second.role != role))
      --busy;
  return busy < slots_of(s, role);
}

// `session`: the agent whose session goes on; 0: a new one.
Decision start(State& s, int attempt, int session, Telling telling) {
  const int number = s.next_agent;
  telling.goes_on = session != 0;
  StartAgent command;
  command.agent = number;
  command.role = signal::name_of(telling.role);
  command.settings = workflow::Settings::role;
  command.task = id_of(s, telling.task);
  command.attempt = attempt;
  command.tree = tree_for(s, telling.role, telling.task);
  command.settle = writes(telling.role) ? workflow::Settle::keep : workflow::Settle::take_back;
  command.judges = !writes(telling.role);
  command.bring_main = bring_main(telling);
  command.watched = telling.role == Role::developer;
  command.dialect = workflow::Dialect::line;
  if (const int slot = slot_class(telling.role); slot >= 0) {
    command.lane = std::to_string(slot);
    command.at_once = slots_of(s, telling.role);
  }
  command.prompt = prompt_for(s, telling);
  command.session = workflow::session_id(s.run, telling.goes_on ? session : number);
  command.resume = telling.goes_on;
  if (telling.role == Role::expert) {
    command.env = {{"CAPSULE_EXPERT", telling.expert}, {"CAPSULE_REQUEST", telling.request}};
    command.expert = telling.expert;
    command.short_limit = true;
  }
  AgentDispatched fact{number,
                       telling.role,
                       command.task,
                       attempt,
                       telling.goes_on ? session : number,
                       telling.why,
                       std::move(telling.expert),
                       std::move(telling.request)};
  return {std::move(fact), std::move(command)};
}

Command question_of(const State& s, const Question& q) {
  Ask ask;
  ask.question = q.number;
  ask.task = id_of(s, q.task);
  ask.text = q.text;
  ask.context = q.context;
  ask.options = q.options;
  ask.may_be_closed = q.kind == QuestionKind::removed_task;
  return ask;
}

std::optional<Decision> decide_small(State& s) {
  if (!s.to_end.empty()) return Decision{AgentEnded{s.to_end.front()}, EndAgent{s.to_end.front()}};
  while (!s.to_ask.empty()) {
    const Question& q = s.questions[s.to_ask.front() - 1];
    if (q.closed) {
      s.to_ask.erase(s.to_ask.begin());
      continue;
    }
    return Decision{QuestionAsked{q.number, q.kind, std::string(id_of(s, q.task)), q.agent, q.text,
                                  q.context, q.options},
                    question_of(s, q)};
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

// All of the project's checks, in a clean checkout of the newest main.
Command check(const State& s, int number) {
  Check command;
  command.number = number;
  command.names = {number == kBaselineCheck ? "baseline" : "all"};
  command.clean = true;
  command.red_allowed = s.red_allowed;
  return command;
}

// The words of a task, in which it may ask for a file to be changed.
std::string request_of(const Task& task) {
  return task.title + "\n" + task.work + "\n" + joined(task.criteria, "\n") + "\n" +
         joined(task.files, "\n");
}

Merge merge(const State& s, const std::string& tree, const std::string& title) {
  Merge command;
  command.tree = command.task = tree;
  command.title = title;
  command.of = Merge::Of::kept;
  command.test = Merge::Test::always;
  command.known = s.baseline;
  if (const auto found = s.index.find(tree); found != s.index.end()) {
    const TaskState& t = s.tasks[found->second];
    // What a person has seen, and changed, is as they want it.
    command.guarded = !t.approved;
    command.edited = t.approved || t.mended || t.edited;
    command.request = request_of(t.task);
    command.allowed = t.allowed;
    if (s.integrate == event::Integrate::ask && !t.approved) command.into = Merge::Into::nowhere;
  }
  return command;
}

std::optional<Decision> decide_prelude(State& s) {
  if (s.prelude == Prelude::baseline)
    return Decision{VerifyStarted{VerifyPurpose::baseline}, check(s, kBaselineCheck)};
  // Nobody is paid for work on it.
  if (s.prelude == Prelude::refused) return Decision{DeliveryEnded{Outcome::halted}, std::nullopt};
  if (s.prelude != Prelude::analyst) return std::nullopt;
  Telling telling;
  telling.role = Role::plan_analyst;
  telling.why = s.analyst_why;
  telling.missed = s.analyst_talk.missed;
  return start(s, attempt_after(s.analyst_attempts, repeats(s.analyst_why)),
               s.analyst_why == Why::fresh ? 0 : s.analyst_session, std::move(telling));
}

// What remediation made is merged on the newest main, which tests it: it lands when all checks pass
// that passed at the start. Main itself is checked when there is nothing to merge.
Decision verify_health(const State& s) {
  const Remediation& r = s.remediation;
  const std::string tree = tree_for(s, Role::remediation, -1);
  if (r.on_main || !s.trees.contains(tree))
    return {VerifyStarted{VerifyPurpose::health}, check(s, kHealthCheck)};
  return {RepairIntended{r.round}, merge(s, tree, "Remediation")};
}

std::optional<Decision> decide_remediation(State& s) {
  const Remediation& r = s.remediation;
  if (r.step == Step::verify && s.ground.doubted()) return std::nullopt;
  if (r.step == Step::verify) return verify_health(s);
  if (r.step != Step::mend && r.step != Step::judge) return std::nullopt;
  Telling telling;
  telling.role = r.step == Step::mend ? Role::remediation : Role::health_auditor;
  telling.why = r.why;
  telling.missed = r.talk.missed;
  // Whoever mends or judges is told what was reported, however often it was tried.
  telling.context =
      r.context.empty() ? r.issue : r.context + "\n\nWhat was reported as broken:\n\n" + r.issue;
  const std::size_t role = at(telling.role);
  return start(s, attempt_after(r.attempts[role], repeats(r.why)), r.resume ? r.sessions[role] : 0,
               std::move(telling));
}

std::optional<Decision> decide_expert(State& s) {
  if (s.delegations_queued == 0) return std::nullopt;
  for (const auto& [name, expert] : s.experts) {
    if (expert.running >= kRunsOfOneExpert) continue;
    for (const int number : expert.queue) {
      const Delegation& d = s.delegations[number - 1];
      if (d.task >= 0 && (is_remedying(s) || s.tasks[d.task].doubted)) continue;
      Telling telling;
      telling.role = Role::expert;
      telling.task = d.task;
      telling.why = d.why;
      telling.missed = d.talk.missed;
      telling.context = d.prompt;
      telling.expert = name;
      telling.request = std::string(kRequest) + std::to_string(number);
      return start(s, attempt_after(d.attempts, repeats(d.why)),
                   d.attempts == 0 || d.why == Why::fresh ? 0 : d.session, std::move(telling));
    }
  }
  return std::nullopt;
}

// What brings the agent on, and for a developer what else is still to be settled.
std::string context_of(const TaskState& t) {
  std::string text = t.context;
  if (t.stage != Stage::development) return text;
  for (const std::string& earlier : t.unsettled)
    if (earlier != t.context) text += "\n\nFrom before, still open:\n\n" + earlier;
  return text;
}

Decision start_on(State& s, int task) {
  const TaskState& t = s.tasks[task];
  Telling telling;
  telling.role = role_of(t.stage);
  telling.task = task;
  telling.why = t.why;
  telling.missed = t.talk.missed;
  telling.context = context_of(t);
  telling.notices = notices_of(s, task);
  const std::size_t role = at(telling.role);
  return start(s, attempt_after(t.attempts[role], t.repeats), t.resume ? t.sessions[role] : 0,
               std::move(telling));
}

std::optional<Decision> decide_task(State& s) {
  // Work in flight first: what is nearest to its end is most worth finishing.
  if (has_room(s, Role::critic) && !s.queue[1].empty())
    return start_on(s, s.queue[1].begin()->second);
  if (has_room(s, Role::auditor) && !s.queue[2].empty())
    return start_on(s, s.queue[2].begin()->second);
  const bool develops = has_room(s, Role::developer),
             analyses = has_room(s, Role::business_analyst);
  if (develops && analyses)
    if (const int task = pick_developer(s); task >= 0) return start_on(s, task);
  // The others of that role wait for their service: those who can work need not.
  if (develops != analyses)
    for (const auto& [rank, task] : s.queue[0])
      if ((role_of(s.tasks[task].stage) == Role::developer) == develops &&
          blocking_file(s, task) < 0)
        return start_on(s, task);
  return std::nullopt;
}

bool all_finished(const State& s) { return s.finished == s.tasks.count(); }

Decision end(const State& s) {
  const bool all = unclosed(s).empty() &&
                   std::none_of(s.tasks.begin(), s.tasks.end(),
                                [](const TaskState& t) { return t.stage == Stage::failed; });
  return {DeliveryEnded{all ? Outcome::complete : Outcome::incomplete}, std::nullopt};
}

}  // namespace

std::optional<Decision> decide(State& s) {
  using workflow::Stop;
  if (!s.started || s.outcome != Outcome::none || s.stop == Stop::interrupted || stop_follows(s))
    return std::nullopt;
  if (s.stop == Stop::aborted) {
    if (!s.agents.empty()) return std::nullopt;
    // What is open otherwise is asked for again when the delivery is taken up.
    if (all_finished(s) && !tidying(s) && s.to_close.empty() && s.to_remove.empty()) return end(s);
    return Decision{DeliveryEnded{Outcome::halted}, std::nullopt};
  }
  if (auto decision = decide_small(s)) return decision;
  if (auto decision = decide_tidy(s)) return decision;
  const bool quiet = s.agents.empty() && s.merging < 0 && !tidying(s);
  if (s.halted) {
    if (quiet) return Decision{DeliveryEnded{Outcome::halted}, std::nullopt};
    return std::nullopt;
  }
  if (all_finished(s) && quiet) return end(s);
  if (s.stop) return std::nullopt;                // paused: nothing new
  if (!s.to_settle.empty()) return std::nullopt;  // nobody works in, nor merges, what is half done
  if (s.prelude != Prelude::done) return decide_prelude(s);
  if (auto decision = decide_remediation(s)) return decision;
  if (auto decision = decide_expert(s)) return decision;
  if (is_remedying(s)) return std::nullopt;
  if (s.merging < 0 && !s.merges.empty() && !s.ground.doubted() && s.red_main.empty()) {
    const Task& task = s.tasks[s.merges.begin()->second].task;
    return Decision{MergeIntended{task.id}, merge(s, task.id, task.title)};
  }
  return decide_task(s);
}

}  // namespace capsule::delivery
