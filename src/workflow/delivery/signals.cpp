// What a signal of an agent that works on a task leads to: one row a signal.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using Handler = void (*)(State&, int task, const Agent&, const AgentFinished&);

std::string_view bare(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\n-*`'\"[](){}<>,;:.!?";
  while (!text.empty() && kAround.find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  while (!text.empty() && kAround.find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

void rework(State& s, int task, FailureKind kind, Why why, const std::string& context,
            const std::string& detail) {
  if (strike(s, task, kind, detail)) ask_for(s, task, Stage::development, why, context, true);
}

void to_audit(State& s, int task) { ask_for(s, task, Stage::audit, Why::fresh, "", false); }

void ready_for_review(State& s, int task, const Agent&, const AgentFinished& f) {
  s.tasks[task].critic_timeouts = 0;
  ask_for(s, task, Stage::review, Why::fresh, all_fields(f), false);
}

void review_passed(State& s, int task, const Agent&, const AgentFinished&) { to_audit(s, task); }

void review_failed(State& s, int task, const Agent&, const AgentFinished& f) {
  rework(s, task, FailureKind::review, Why::review_failed, all_fields(f),
         "the critic rejected it too often");
}

void audit_passed(State& s, int task, const Agent&, const AgentFinished&) {
  enqueue_merge(s, task);
}

void audit_failed(State& s, int task, const Agent&, const AgentFinished& f) {
  rework(s, task, FailureKind::audit, Why::audit_failed, all_fields(f),
         "the auditor rejected it too often");
}

void blocked(State& s, int task, const Agent&, const AgentFinished& f) {
  if (!strike(s, task, FailureKind::blocked, "the infrastructure blocked it too often")) return;
  set_hold(s, task, Hold::remediation);
  s.remediation.blocked.push_back(task);
  enter_remediation(s, task, all_fields(f));
}

// Whether a word can only be meant as an id. "A" and "2" are words of other sentences too.
bool tells_itself(std::string_view id) {
  return id.find_first_of("0123456789-_") != id.npos &&
         id.find_first_not_of("0123456789-_.") != id.npos;
}

// The first task that a text names, other than `task` itself; -1: none. An id that could be
// anything counts behind the word "task", or a list of ids that follows it.
int named_task(const State& s, int task, std::string_view text) {
  bool after_task = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,;()", at), text.size());
    const std::string word(bare(text.substr(at, end - at)));
    at = end + 1;
    if (word.empty()) continue;
    const auto found = s.index.find(word);
    if (found != s.index.end() && (after_task || tells_itself(word))) {
      if (found->second != task) return found->second;
      continue;
    }
    const bool joins = signal::same_letters(word, "and") || signal::same_letters(word, "or");
    after_task = signal::same_letters(word, "task") || signal::same_letters(word, "tasks") ||
                 (after_task && joins);
  }
  return -1;
}

// What is broken, and not what is unsaid: "the network protocol is not specified" is a question.
bool names_infrastructure(const std::string& text) {
  constexpr std::string_view kWords[] = {
      "infrastructure",       "network is",       "network error",       "network failure",
      "no network",           "network access",   "network unreachable", "connection refused",
      "connection timed out", "disk full",        "disk is full",        "no space left",
      "docker daemon",        "docker is not",    "permission denied",   "not installed",
      "command not found",    "toolchain is",     "out of memory",       "service unavailable",
      "server is down",       "database is down", "cannot connect",      "could not connect",
      "is unreachable",       "is not reachable", "is not running",
  };
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

void task_incomplete(State& s, int task, const Agent& agent, const AgentFinished& f) {
  const std::string needs =
      std::string(field(f, "Blocker")) + "\n" + std::string(field(f, "Needed"));
  const int other = named_task(s, task, needs);
  if (other < 0 && names_infrastructure(lowered(needs))) return blocked(s, task, agent, f);
  if (!strike(s, task, FailureKind::incomplete, "it was left incomplete too often")) return;
  TaskState& t = s.tasks[task];
  if (other >= 0 && s.tasks[other].stage == Stage::complete)
    return ask_for(s, task, t.stage, Why::dependency_done,
                   "Task " + s.tasks[other].task.id + " is complete and merged.", true);
  if (other >= 0 && is_open(s.tasks[other]) && !waits_for(s, other, task)) {
    t.awaits = other;
    s.tasks[other].awaited_by.push_back(task);
    return set_hold(s, task, Hold::dependency);
  }
  ask_person(s, QuestionKind::missing_information, task, agent.number,
             "Task " + t.task.id + " cannot go on: " + std::string(bare(field(f, "Blocker"))) +
                 ". Needed: " + std::string(bare(field(f, "Needed"))),
             all_fields(f));
}

// The items of a list, without their marks.
std::vector<std::string> items(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && std::string_view(" \t\r-*").find(line.front()) != line.npos)
      line.remove_prefix(1);
    if (line.size() >= 3 && line[0] == '[' && line[2] == ']') line.remove_prefix(3);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && std::string_view(" \t\r").find(line.back()) != line.npos)
      line.remove_suffix(1);
    if (!line.empty()) out.emplace_back(line);
  }
  return out;
}

void expanded(State& s, int task, const Agent& agent, const AgentFinished& f) {
  TaskState& t = s.tasks[task];
  t.confidence = std::string(bare(field(f, "Confidence")));
  announce(s, TaskExpanded{t.task.id, t.confidence});
  if (!signal::same_letters(t.confidence, "high") && !signal::same_letters(t.confidence, "medium"))
    return ask_person(s, QuestionKind::low_confidence, task, agent.number,
                      "The business analyst is not sure what task " + t.task.id +
                          " means. Is this right? If not, what should be different?",
                      all_fields(f));
  if (const std::string_view work = field(f, "Expanded Specification"); !work.empty())
    t.task.work = work;
  if (auto criteria = items(field(f, "Acceptance Criteria")); !criteria.empty())
    t.task.criteria = std::move(criteria);
  std::vector<std::string> files;
  for (const std::string& item : items(field(f, "Target Files"))) {
    const std::string_view word = std::string_view(item).substr(0, item.find_first_of(" \t"));
    if (const std::string_view name = bare(word); !name.empty()) files.emplace_back(name);
  }
  want_files(s, task, files);
  ask_for(s, task, Stage::development, Why::fresh, all_fields(f), false);
}

void clarification(State& s, int task, const Agent& agent, const AgentFinished& f) {
  std::string_view question = bare(field(f, "Question"));
  ask_person(s, QuestionKind::clarification, task, agent.number,
             question.empty() ? "Task " + s.tasks[task].task.id + " asks for guidance."
                              : std::string(field(f, "Question")),
             all_fields(f));
}

void conflict(State& s, int task, const Agent& agent, const AgentFinished& f) {
  file_conflict(s, task, f, agent.role == Role::developer);
}

struct Row {
  Signal signal;
  Handler handler;
};
constexpr Row kRows[] = {
    {Signal::ready_for_review, ready_for_review},
    {Signal::task_incomplete, task_incomplete},
    {Signal::infra_blocked, blocked},
    {Signal::review_passed, review_passed},
    {Signal::review_failed, review_failed},
    {Signal::audit_passed, audit_passed},
    {Signal::audit_failed, audit_failed},
    {Signal::audit_blocked, blocked},
    {Signal::expanded_spec, expanded},
    {Signal::divine_clarification, clarification},
    {Signal::expert_request, expert_requested},
    {Signal::file_conflict, conflict},
};

// It died, timed out, was idle, or never printed its signal: that costs no attempt, and is bounded
// apart. One that failed goes on in its session; workflow/supply begins another when that has
// failed twice. `late`: it ran, and brought nothing; a review alone can do without that.
void agent_failed(State& s, int task, const Agent& agent, FailureKind kind, Why why, bool late,
                  const std::string& detail) {
  TaskState& t = s.tasks[task];
  t.talk = {0, 0, false, t.talk.missed};
  const bool failed = kind == FailureKind::restart;
  if (agent.role == Role::critic && late) {
    if (++t.critic_timeouts < s.limits.critic_timeouts)
      return ask_for(s, task, t.stage, why, t.context, failed);
    announce(s, ReviewSkipped{t.task.id});
    return to_audit(s, task);
  }
  if (!forgive(s, task, kind, detail)) return;
  const bool ask_first = failed && agent.ending && agent.why != Why::checkpoint_request;
  ask_for(s, task, t.stage, ask_first ? Why::checkpoint_request : why, t.context, failed);
}

// Of a task that ends by it.
std::string failed_too_often(const State& s, const Agent& agent, const AgentFinished& f) {
  return "its agents failed by themselves too often (" + counted(s.limits.restarts, "time") +
         "); the last time the " + std::string(signal::name_of(agent.role)) + " " +
         (f.detail.empty() ? "ended by " + std::string(name_of(f.fault)) : f.detail);
}

}  // namespace

void task_agent_finished(State& s, const Agent& agent, const AgentFinished& f) {
  const int task = agent.task;
  TaskState& t = s.tasks[task];
  t.agent = 0;
  if (t.runs.empty()) t.runs.reserve(4);  // most tasks have three
  t.runs.push_back({agent.number, agent.role, agent.attempt, f.signal, f.fault, f.wrote,
                    f.duration_ms, f.cost_micros});
  if (!is_open(t)) return;  // it was removed meanwhile
  if (f.fault == Fault::refuted) {
    t.talk = {};
    if (strike(s, task, FailureKind::claims, "what its agents claimed was not true"))
      ask_for(s, task, t.stage, Why::refuted, f.detail + "\n\n" + all_fields(f), true);
    return;
  }
  if (f.fault != Fault::none)
    return agent_failed(s, task, agent, FailureKind::restart, Why::restarted,
                        f.fault == Fault::timed_out, failed_too_often(s, agent, f));
  if (f.signal == Signal::checkpoint || !may_send(agent.role, f.signal)) {
    Why why{};
    if (not_a_signal(s, t.talk, f, agent, why) == NoSignal::ask_again)
      return ask_for(s, task, t.stage, why, t.context, true);
    return agent_failed(
        s, task, agent, FailureKind::unknown, Why::signal_failed, true,
        "its agents printed no valid signal" + (t.talk.missed.why == signal::Miss::none
                                                    ? std::string()
                                                    : ": " + signal::sentence(t.talk.missed)));
  }
  t.talk = {};
  for (const Row& row : kRows)
    if (row.signal == f.signal) return row.handler(s, task, agent, f);
}

}  // namespace capsule::delivery
