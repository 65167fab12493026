// Who holds which file. A task holds what it will probably touch from its first developer to its
// end; a file has one holder at most. Nobody waits in a circle: who would, goes on with a notice.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

// Soon done: worth waiting for.
bool finishing(const TaskState& t) {
  return (t.stage == Stage::review || t.stage == Stage::audit || t.stage == Stage::merge) &&
         t.hold != Hold::person;
}

// Keeps State::contended true for one file.
void refresh(State& s, int file) {
  File& f = s.files[file];
  const bool open = f.holder >= 0 && !f.waiters.empty() && !finishing(s.tasks[f.holder]);
  const long long rank = open ? f.waiters.begin()->first : -1;
  if (f.contended >= 0) s.contended.erase({f.contended, file});
  f.contended = rank;
  if (open) s.contended.emplace(rank, file);
}

void stand_behind(State& s, int task, int file) {
  TaskState& t = s.tasks[task];
  unqueue(s, task);
  t.behind = file;
  t.since = s.at;
  s.files[file].waiters.emplace(t.rank, task);
  refresh(s, file);
}

// A free file lets the best who waits for it try; the others stay, since that one will hold it.
void wake(State& s, int file) {
  File& f = s.files[file];
  if (f.holder >= 0 || f.waiters.empty()) return;
  const int task = f.waiters.begin()->second;
  leave_file(s, task);
  enqueue(s, task);
}

void take(State& s, int task, int file) {
  s.files[file].holder = task;
  s.tasks[task].held.push_back(file);
  refresh(s, file);
}

std::string held_by(const State& s, int file) {
  const File& f = s.files[file];
  return "File " + f.name + " is being changed by task " + s.tasks[f.holder].task.id +
         ". Keep your change to it small, and expect to merge.";
}

// Takes what is free of `wanted`; true when nothing is left to wait for.
bool take_wanted(State& s, int task) {
  TaskState& t = s.tasks[task];
  std::vector<int> left;
  for (const int file : t.wanted) {
    const int holder = s.files[file].holder;
    if (holder < 0) {
      take(s, task, file);
    } else if (holder != task) {
      left.push_back(file);
    }
  }
  t.wanted = std::move(left);
  return t.wanted.empty();
}

// Goes on although others hold what it wants; they are told too.
void coordinate(State& s, int task) {
  TaskState& t = s.tasks[task];
  for (const int file : std::exchange(t.wanted, {})) {
    const int holder = s.files[file].holder;
    if (holder < 0) continue;
    announce(s, FileCoordinated{t.task.id, s.files[file].name, s.tasks[holder].task.id});
    t.notices.push_back(held_by(s, file));
    s.tasks[holder].notices.push_back("Task " + t.task.id + " has to change " + s.files[file].name +
                                      " too, which you hold.");
  }
}

void wait_for(State& s, int task) {
  TaskState& t = s.tasks[task];
  auto& queue = s.files[t.wanted.front()].queue;
  if (std::find(queue.begin(), queue.end(), task) == queue.end()) queue.push_back(task);
  set_hold(s, task, Hold::file);
  ++t.wait;
  s.to_wait.push_back(task);
}

}  // namespace

int intern(State& s, const std::string& name) {
  const auto [place, is_new] = s.file_index.emplace(name, s.files.count());
  if (is_new) s.files.emplace_back().name = name;
  return place->second;
}

void want_files(State& s, int task, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const int file = intern(s, name);
    auto& files = s.tasks[task].files;
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
}

void hold_files(State& s, int task) {
  TaskState& t = s.tasks[task];
  t.begun = true;
  for (const int file : t.files) {
    const int holder = s.files[file].holder;
    if (holder < 0) {
      take(s, task, file);
    } else if (holder != task) {
      announce(s, FileCoordinated{t.task.id, s.files[file].name, s.tasks[holder].task.id});
      s.tasks[holder].notices.push_back("Task " + t.task.id + " will probably change " +
                                        s.files[file].name + " too.");
    }
  }
}

std::vector<std::string> notices_of(const State& s, int task) {
  const TaskState& t = s.tasks[task];
  std::vector<std::string> notices = t.notices;
  if (t.stage == Stage::development && !t.begun)
    for (const int file : t.files)
      if (s.files[file].holder >= 0 && s.files[file].holder != task)
        notices.push_back(held_by(s, file));
  return notices;
}

void release_files(State& s, int task) {
  for (const int file : std::exchange(s.tasks[task].held, {})) {
    File& f = s.files[file];
    f.holder = -1;
    refresh(s, file);
    while (!f.queue.empty() && f.holder < 0) {
      const int next = f.queue.front();
      f.queue.erase(f.queue.begin());
      TaskState& n = s.tasks[next];
      if (n.hold != Hold::file || n.wanted.empty() || n.wanted.front() != file) continue;
      if (take_wanted(s, next)) {
        ask_for(s, next, n.stage, Why::file_free, "The files that you asked for are yours now.",
                true);
      } else if (waits_for(s, s.files[n.wanted.front()].holder, next)) {
        coordinate(s, next);
        ask_for(s, next, n.stage, Why::coordinated, "", true);
      } else {
        wait_for(s, next);
      }
    }
    wake(s, file);
  }
  // It may have been the one that was woken for a free file.
  for (const int file : s.tasks[task].files) wake(s, file);
}

void refresh_holder(State& s, int holder) {
  for (const int file : s.tasks[holder].held)
    if (!s.files[file].waiters.empty()) refresh(s, file);
}

int blocking_file(const State& s, int task) {
  const TaskState& t = s.tasks[task];
  if (t.begun || t.stage != Stage::development) return -1;
  int found = -1;
  for (const int file : t.files) {
    const int holder = s.files[file].holder;
    if (holder < 0 || holder == task) continue;
    if (finishing(s.tasks[holder])) return file;
    if (found < 0) found = file;
  }
  return found;
}

void leave_file(State& s, int task) {
  TaskState& t = s.tasks[task];
  const int file = std::exchange(t.behind, -1);
  if (file < 0) return;
  s.files[file].waiters.erase({t.rank, task});
  refresh(s, file);
}

void forget_wanted(State& s, int task) {
  for (const int file : std::exchange(s.tasks[task].wanted, {})) {
    auto& queue = s.files[file].queue;
    queue.erase(std::remove(queue.begin(), queue.end(), task), queue.end());
  }
}

int pick_developer(State& s) {
  while (!s.queue[0].empty()) {
    const int task = s.queue[0].begin()->second;
    const int file = blocking_file(s, task);
    if (file < 0) return task;
    stand_behind(s, task, file);
    // It may have been woken for another file, which is then still free.
    for (const int other : s.tasks[task].files) wake(s, other);
  }
  // All who could begin stand behind somebody: the best whose holder still develops goes on with a
  // notice, so that no plan ever stands still over a file.
  while (!s.contended.empty()) {
    const int file = s.contended.begin()->second;
    const int task = s.files[file].waiters.begin()->second;
    const int better = blocking_file(s, task);
    if (better < 0 || s.files[better].holder == s.files[file].holder ||
        !finishing(s.tasks[s.files[better].holder]))
      return task;
    stand_behind(s, task, better);
  }
  return -1;
}

bool waits_for(const State& s, int from, int target) {
  std::vector<int> open{from};
  std::unordered_set<int> seen;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (at == target) return true;
    if (!seen.insert(at).second) continue;
    const TaskState& t = s.tasks[at];
    if (t.hold == Hold::file && !t.wanted.empty() && s.files[t.wanted.front()].holder >= 0)
      open.push_back(s.files[t.wanted.front()].holder);
    if (t.hold == Hold::dependency && t.awaits >= 0) open.push_back(t.awaits);
    if (t.stage == Stage::blocked)
      for (const std::string& id : t.task.blocked_by)
        if (const auto found = s.index.find(id);
            found != s.index.end() && is_open(s.tasks[found->second]))
          open.push_back(found->second);
  }
  return false;
}

void file_conflict(State& s, int task, const AgentFinished& f, bool writer) {
  TaskState& t = s.tasks[task];
  if (++t.file_conflicts >= s.limits.file_waits)
    return ask_person(s, QuestionKind::file_wait, task, f.agent,
                      "Task " + t.task.id + " asks for " + f.argument +
                          ", and has asked for files of others too often. How should it go on?",
                      all_fields(f));
  t.wanted.clear();
  std::vector<std::string> names{f.argument};
  names.insert(names.end(), f.more.begin(), f.more.end());
  for (const std::string& name : names) {
    const int file = intern(s, name);
    if (std::find(t.wanted.begin(), t.wanted.end(), file) == t.wanted.end())
      t.wanted.push_back(file);
  }
  bool patient = false;
  for (const Field& each : f.fields) {  // one NO is enough not to wait
    if (each.label != "Can Wait") continue;
    std::string_view can_wait = each.text;
    while (!can_wait.empty() && (can_wait[0] == ' ' || can_wait[0] == '['))
      can_wait.remove_prefix(1);
    patient = signal::same_letters(can_wait.substr(0, 3), "yes");
    if (!patient) break;
  }
  if (!writer) {  // it holds nothing and changes nothing: it is only told
    coordinate(s, task);
    return ask_for(s, task, t.stage, Why::coordinated,
                   "You do not change files yourself; the holder was told.", true);
  }
  if (take_wanted(s, task))
    return ask_for(s, task, t.stage, Why::file_free, "The files that you asked for are yours now.",
                   true);
  if (patient && !waits_for(s, s.files[t.wanted.front()].holder, task)) return wait_for(s, task);
  coordinate(s, task);
  ask_for(s, task, t.stage, Why::coordinated,
          patient ? "The holder is itself waiting for this task, so waiting would never end." : "",
          true);
}

void file_wait_expired(State& s, const FileWaitExpired& f) {
  const auto found = s.index.find(f.task);
  if (found == s.index.end()) return;
  const int task = found->second;
  TaskState& t = s.tasks[task];
  if (t.hold != Hold::file || t.wait != f.wait) return;
  if (++t.file_waits < s.limits.file_waits) {
    ++t.wait;
    s.to_wait.push_back(task);
    return;
  }
  const int file = t.wanted.front();
  const std::string text = "Task " + t.task.id + " has waited a long time for " +
                           s.files[file].name + ", which task " +
                           s.tasks[s.files[file].holder].task.id + " holds. How should it go on?";
  forget_wanted(s, task);
  ask_person(s, QuestionKind::file_wait, task, 0, text, "");
}

}  // namespace capsule::delivery
