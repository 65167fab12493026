#include <algorithm>
#include <utility>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

constexpr long long kFresh = 1LL << 40;  // behind all work in flight

// Work in flight first, then most dependants; plan order follows from the index beside it.
long long rank_of(const TaskState& t) {
  const bool in_flight = t.begun || t.stage == Stage::review || t.stage == Stage::audit;
  return (in_flight ? 0 : kFresh) - static_cast<long long>(t.unblocks.size());
}

int limit_of(const Limits& limits, FailureKind kind) {
  switch (kind) {
    case FailureKind::merge:
      return limits.merge_rework;
    case FailureKind::unknown:
      return limits.unknown_redispatches;
    case FailureKind::restart:
      return limits.restarts;
    default:
      return limits.task_failures;
  }
}

// Whether what the developer is told holds until the next review, whatever comes between.
bool lasts(Why why) {
  return why == Why::not_approved || why == Why::review_failed || why == Why::audit_failed ||
         why == Why::merge_failed || why == Why::answered || why == Why::advised;
}

void finish(State& s, int task, Stage stage) {
  TaskState& t = s.tasks[task];
  unqueue(s, task);
  s.merges.erase({t.queued, task});
  forget_wanted(s, task);
  t.stage = stage;
  t.hold = Hold::none;
  t.doubted = false;
  ++s.finished;
  release_files(s, task);
  close_questions(s, task);
}

// Those whose agent waits for this task go on, whatever became of it.
void release_awaiting(State& s, int task, const std::string& what) {
  for (const int other : std::exchange(s.tasks[task].awaited_by, {})) {
    if (s.tasks[other].hold != Hold::dependency) continue;
    ask_for(s, other, s.tasks[other].stage, Why::dependency_done,
            "Task " + s.tasks[task].task.id + what, true);
  }
}

}  // namespace

Role role_of(Stage stage) {
  switch (stage) {
    case Stage::analysis:
      return Role::business_analyst;
    case Stage::review:
      return Role::critic;
    case Stage::audit:
      return Role::auditor;
    default:
      return Role::developer;
  }
}

int slot_class(Role role) {
  switch (role) {
    case Role::developer:
    case Role::business_analyst:
      return 0;
    case Role::critic:
      return 1;
    case Role::auditor:
      return 2;
    default:
      return -1;
  }
}

bool is_open(const TaskState& t) {
  return t.stage != Stage::complete && t.stage != Stage::failed && t.stage != Stage::removed;
}

bool stop_follows(const State& s) {
  return s.ended_by_person && (!s.stop || *s.stop == workflow::Stop::paused);
}

bool is_remedying(const State& s) { return s.remediation.step != Remediation::Step::none; }

std::string_view id_of(const State& s, int task) {
  return task < 0 ? std::string_view() : std::string_view(s.tasks[task].task.id);
}

void announce(State& s, DeliveryFact fact) { s.announcements.push_back(std::move(fact)); }

void enqueue(State& s, int task) {
  TaskState& t = s.tasks[task];
  if (t.doubted) {
    t.hold = Hold::person;
    return;
  }
  t.since = s.at;
  t.slot = slot_class(role_of(t.stage));
  t.rank = rank_of(t);
  s.queue[t.slot].emplace(t.rank, task);
}

void enqueue_merge(State& s, int task) {
  TaskState& t = s.tasks[task];
  t.stage = Stage::merge;
  t.hold = t.doubted ? Hold::person : Hold::none;
  t.queued = s.arrivals++;
  if (!t.doubted) s.merges.emplace(t.queued, task);
  refresh_holder(s, task);
}

void unqueue(State& s, int task) {
  TaskState& t = s.tasks[task];
  if (t.slot >= 0) s.queue[t.slot].erase({t.rank, task});
  t.slot = -1;
  leave_file(s, task);
}

void set_hold(State& s, int task, Hold hold) {
  unqueue(s, task);
  s.tasks[task].hold = hold;
  s.tasks[task].since = s.at;
  refresh_holder(s, task);
}

void ask_for(State& s, int task, Stage stage, Why why, std::string context, bool resume) {
  TaskState& t = s.tasks[task];
  unqueue(s, task);
  t.stage = stage;
  t.hold = Hold::none;
  if (stage == Stage::review) t.unsettled.clear();
  if (stage == Stage::development && lasts(why)) t.unsettled.push_back(context);
  t.why = why;
  t.context = std::move(context);
  t.answer = 0;
  t.told = 0;
  t.resume = resume;
  t.repeats = repeats(why);
  if (why != Why::signal_request && why != Why::checkpoint_request) t.talk.requests = 0;
  enqueue(s, task);
  refresh_holder(s, task);
}

void make_ready(State& s, int task) {
  TaskState& t = s.tasks[task];
  if (std::exchange(t.to_merge, false)) {
    t.begun = t.mended = true;
    return enqueue_merge(s, task);
  }
  ask_for(s, task, t.task.unclear ? Stage::analysis : Stage::development,
          t.again ? Why::retried : Why::fresh, t.again ? t.context : "", false);
}

void doubt(State& s, int task) {
  TaskState& t = s.tasks[task];
  t.doubted = true;
  unqueue(s, task);
  s.merges.erase({t.queued, task});
  if (!t.begun) release_files(s, task);  // others may stand behind what it would have taken
  const bool idle = t.agent == 0 && s.merging != task && t.stage != Stage::blocked;
  if (idle && t.hold == Hold::none) set_hold(s, task, Hold::person);
}

void keep_task(State& s, int task) {
  TaskState& t = s.tasks[task];
  if (!std::exchange(t.doubted, false) || t.hold != Hold::person) return;
  for (const int number : t.asked)
    if (!s.questions[number - 1].closed) return;  // it waits for another answer too
  t.hold = Hold::none;
  if (t.stage == Stage::merge) {
    s.merges.emplace(t.queued, task);
  } else {
    enqueue(s, task);
  }
  refresh_holder(s, task);
}

void complete(State& s, int task) {
  finish(s, task, Stage::complete);
  announce(s, TaskCompleted{s.tasks[task].task.id, s.tasks[task].commit});
  for (const int other : s.tasks[task].unblocks) {
    TaskState& o = s.tasks[other];
    if (--o.open_blockers == 0 && o.stage == Stage::blocked) make_ready(s, other);
  }
  release_awaiting(s, task, " is complete and merged.");
}

void drop(State& s, int task) {
  forget_delegations(s, task);
  finish(s, task, Stage::removed);
  release_awaiting(s, task, " was removed from the plan.");
}

void fail_task(State& s, int task, FailCause cause, FailureKind kind, const std::string& blocker,
               const std::string& detail) {
  // Who depends on it can never begin, nor who depends on those: a list, since chains may be long.
  std::vector<std::pair<int, std::string>> ends{{task, blocker}};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const int at = ends[i].first;
    TaskState& t = s.tasks[at];
    if (!is_open(t)) continue;
    finish(s, at, Stage::failed);
    t.cause = i == 0 ? cause : FailCause::dependency;
    t.detail = i == 0 ? detail : "task " + ends[i].second + ", which it needs, failed";
    announce(
        s, TaskFailed{t.task.id, t.cause, i == 0 ? kind : FailureKind{}, ends[i].second, t.detail});
    for (const int other : t.unblocks)
      if (s.tasks[other].stage == Stage::blocked) ends.emplace_back(other, t.task.id);
    release_awaiting(s, at, " failed; do not count on its work.");
  }
}

bool forgive(State& s, int task, FailureKind kind, const std::string& detail) {
  if (++s.tasks[task].failures[static_cast<std::size_t>(kind)] < limit_of(s.limits, kind))
    return true;
  fail_task(s, task, FailCause::limit, kind, "", detail);
  return false;
}

bool strike(State& s, int task, FailureKind kind, const std::string& detail) {
  if (!forgive(s, task, kind, detail)) return false;
  const TaskState& t = s.tasks[task];
  announce(s, TaskReworked{t.task.id, kind, t.failures[static_cast<std::size_t>(kind)]});
  return true;
}

bool repeats(Why why) {
  return why == Why::restarted || why == Why::signal_failed || why == Why::signal_request ||
         why == Why::checkpoint_request;
}

void merge_failed(State& s, int task, std::string_view why, const std::string& detail) {
  const std::string reason(why);
  if (strike(s, task, FailureKind::merge, "it could not be merged: " + reason))
    return ask_for(s, task, Stage::development, Why::merge_failed, reason + "\n" + detail, true);
  s.tasks[task].to_merge = true;
}

void link(State& s) {
  for (TaskState& t : s.tasks) {
    t.unblocks.clear();
    t.open_blockers = 0;
  }
  for (int i = 0; i < s.tasks.count(); ++i) {
    TaskState& t = s.tasks[i];
    std::vector<int> blockers;
    for (const std::string& id : t.task.blocked_by)
      if (const auto found = s.index.find(id); found != s.index.end())
        blockers.push_back(found->second);
    std::sort(blockers.begin(), blockers.end());
    blockers.erase(std::unique(blockers.begin(), blockers.end()), blockers.end());
    for (const int blocker : blockers) {
      const Stage stage = s.tasks[blocker].stage;
      if (stage != Stage::removed) s.tasks[blocker].unblocks.push_back(i);
      if (stage != Stage::complete && stage != Stage::removed) ++t.open_blockers;
    }
  }
}

}  // namespace capsule::delivery
