// What every command and every face wants to know of a delivery.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

using workflow::RunSummary;
using workflow::Standing;
using workflow::Waiting;

Standing standing_of(Stage stage) {
  return stage == Stage::complete  ? Standing::succeeded
         : stage == Stage::failed  ? Standing::failed
         : stage == Stage::removed ? Standing::stopped
                                   : Standing::open;
}

bool asks_approval(const State& s, const TaskState& t) {
  return std::any_of(t.asked.begin(), t.asked.end(), [&](int number) {
    const Question& q = s.questions[number - 1];
    return !q.closed && (q.kind == QuestionKind::approval || q.kind == QuestionKind::guard);
  });
}

std::string words_for(const State& s, const TaskState& t) {
  if (standing_of(t.stage) != Standing::open) return std::string(name_of(t.stage));
  switch (t.hold) {
    case Hold::person:
      return asks_approval(s, t) ? "waits for approval" : "waits for a person";
    case Hold::expert:
      return "waits for an expert";
    case Hold::file:
      return "waits for a file";
    case Hold::dependency:
      return "waits for a task";
    case Hold::remediation:
      return "waits for remediation";
    case Hold::none:
      break;
  }
  if (t.stage == Stage::blocked || t.stage == Stage::merge) return std::string(name_of(t.stage));
  if (const auto found = s.agents.find(t.agent); found != s.agents.end())
    return std::string(signal::name_of(found->second.role)) + " (attempt " +
           std::to_string(found->second.attempt) + ")";
  return std::string(name_of(t.stage)) + " (queued)";
}

void add_file(const State& s, const TaskState& t, int file, RunSummary& to) {
  Waiting wait;
  wait.what = Waiting::For::file;
  wait.task = t.task.id;
  wait.since = t.since;
  wait.on = s.files[file].name;
  wait.by = id_of(s, s.files[file].holder);
  to.waits.push_back(std::move(wait));
}

void add(Waiting::For what, const TaskState& t, std::string_view on, RunSummary& to) {
  Waiting wait;
  wait.what = what;
  wait.task = t.task.id;
  wait.since = t.since;
  wait.on = on;
  to.waits.push_back(std::move(wait));
}

// The expert that a task's agent waits for: whom it asked last.
std::string_view expert_of(const State& s, int task) {
  for (auto d = s.delegations.rbegin(); d != s.delegations.rend(); ++d)
    if (d->task == task) return d->expert;
  return {};
}

void add_waits(const State& s, int task, RunSummary& to) {
  const TaskState& t = s.tasks[task];
  if (!is_open(t)) return;
  if (t.hold == Hold::file && !t.wanted.empty()) add_file(s, t, t.wanted.front(), to);
  if (t.behind >= 0) add_file(s, t, t.behind, to);
  if (t.hold == Hold::dependency) add(Waiting::For::dependency, t, id_of(s, t.awaits), to);
  if (t.hold == Hold::expert) add(Waiting::For::expert, t, expert_of(s, task), to);
  if (t.hold == Hold::remediation) add(Waiting::For::remediation, t, "", to);
  if (t.slot >= 0 && t.hold == Hold::none) add(Waiting::For::slot, t, "", to);
  if (t.stage != Stage::blocked) return;
  for (const std::string& id : t.task.blocked_by)
    if (const auto found = s.index.find(id);
        found != s.index.end() && is_open(s.tasks[found->second]))
      add(Waiting::For::dependency, t, id, to);
}

void add_questions(const State& s, RunSummary& to) {
  for (const Question& q : s.questions) {
    const bool about_main = q.kind == QuestionKind::main_moved || q.kind == QuestionKind::main_red;
    if (q.closed || (about_main && s.outcome != Outcome::none)) continue;
    Waiting wait;
    const bool approval = q.kind == QuestionKind::approval || q.kind == QuestionKind::guard;
    wait.what = approval ? Waiting::For::approval : Waiting::For::answer;
    wait.task = id_of(s, q.task);
    wait.question = q.number;
    wait.since = q.since;
    wait.text = q.text;
    wait.options = q.options;
    wait.kind = name_of(q.kind);
    if (q.kind == QuestionKind::merge || q.kind == QuestionKind::approval)
      wait.about = event::Approval::merge;
    if (q.kind == QuestionKind::guard) wait.about = event::Approval::guard;
    wait.context = q.context;
    to.waits.push_back(std::move(wait));
  }
}

workflow::AgentSummary agent_of(const State& s, const AgentRecord& record) {
  workflow::AgentSummary agent;
  agent.number = record.number;
  agent.task = id_of(s, record.task);
  agent.role = signal::name_of(record.role);
  agent.attempt = record.attempt;
  agent.running = record.running;
  agent.fault = record.fault;
  if (record.fault == Fault::none && record.signal != Signal::unknown)
    agent.said = signal::row(record.signal).wire;
  agent.detail = record.detail;
  agent.log = record.log;
  agent.provider = record.provider;
  agent.model = record.model;
  agent.duration_ms = record.duration_ms;
  agent.checked = record.checked;
  agent.found = record.found;
  agent.why = record.why;
  return agent;
}

// What Capsule held against the worktree when an agent had spoken.
void add_claims(const State& s, RunSummary& to) {
  const auto add = [&](const AgentRecord& record, const char* what, event::Verdict verdict,
                       const std::string& detail) {
    to.claims.push_back({record.number,
                         std::string(id_of(s, record.task)),
                         std::string(signal::name_of(record.role)),
                         {what, verdict, detail}});
  };
  std::set<int> wrote;
  for (const TaskState& t : s.tasks)
    for (const Run& run : t.runs)
      if (run.wrote) wrote.insert(run.agent);
  // What was found in the merged work is its newest developer's.
  std::map<int, const AgentRecord*> developers;
  for (const AgentRecord& record : s.history)
    if (record.role == Role::developer) developers[record.task] = &record;
  for (const auto& [task, record] : developers)
    if (task >= 0)
      for (const event::Claim& claim : s.tasks[task].merge_claims)
        add(*record, claim.what.c_str(), claim.verdict, claim.detail);
  for (const AgentRecord& record : s.history) {
    if (record.running) continue;
    const bool refuted = record.fault == Fault::refuted;
    if (refuted || (record.fault == Fault::none && record.signal == Signal::ready_for_review))
      add(record, "ready for review", refuted ? event::Verdict::broken : event::Verdict::held,
          refuted ? record.detail : "");
    if (record.role == Role::critic || record.role == Role::auditor) {
      const bool changed = wrote.contains(record.number);
      add(record, "it only looked", changed ? event::Verdict::differs : event::Verdict::held,
          changed ? record.detail : "");
    }
  }
}

Standing standing_of(const State& s) {
  switch (s.outcome) {
    case Outcome::complete:
      return Standing::succeeded;
    case Outcome::incomplete:
      return Standing::failed;
    case Outcome::halted:
      return Standing::stopped;
    case Outcome::none:
      break;
  }
  return waits_for_person(s) ? Standing::waiting : Standing::open;
}

std::string detail_of(const State& s, const Summary& tasks) {
  std::string text;
  const auto say = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!s.no_ground.empty()) return s.no_ground;
  if (!tasks.failed.empty()) say(counted(tasks.failed.size(), "task") + " failed");
  if (!s.not_closed.empty()) say(counted(s.not_closed.size(), "task") + " merged, but not closed");
  return text;
}

std::string now_of(const State& s, const Summary& tasks) {
  std::string text = std::to_string(tasks.completed.size()) + " of " +
                     std::to_string(s.tasks.size()) + " tasks complete";
  if (!tasks.failed.empty()) text += ", " + std::to_string(tasks.failed.size()) + " failed";
  if (!s.agents.empty()) text += ", " + counted(s.agents.size(), "agent") + " at work";
  if (is_remedying(s)) text += ", in remediation";
  if (!s.red_main.empty()) text += ", main is red: merging pauses";
  return text;
}

}  // namespace

bool can_go_on(const State& s) {
  return s.started &&
         (s.outcome == Outcome::none || s.outcome == Outcome::halted || !unclosed(s).empty());
}

std::optional<workflow::AgentSummary> agent_summary(const State& s, int number) {
  const AgentRecord* const record = record_of(s, number);
  if (record == nullptr) return std::nullopt;
  return agent_of(s, *record);
}

RunSummary run_summary(const State& s) {
  const Summary tasks = summary_of(s);
  RunSummary summary;
  summary.workflow = "delivery";
  summary.subject = s.plan;
  summary.title = s.title;
  summary.provider = s.provider;
  summary.standing = standing_of(s);
  if (s.outcome == Outcome::none) {
    summary.now = now_of(s, tasks);
  } else {
    summary.outcome = name_of(s.outcome);
  }
  summary.detail = detail_of(s, tasks);
  summary.can_go_on = can_go_on(s);
  const bool on_branch = s.integrate == event::Integrate::branch;
  if (!on_branch) summary.merged_as = s.newest_commit;
  if (on_branch && !s.newest_commit.empty()) summary.on_branch = s.branch;
  add_questions(s, summary);
  for (int i = 0; i < s.tasks.count(); ++i) {
    const TaskState& t = s.tasks[i];
    add_waits(s, i, summary);
    summary.tasks.push_back({t.task.id, t.task.title, standing_of(t.stage),
                             std::string(name_of(t.stage)), words_for(s, t),
                             static_cast<int>(t.runs.size()), t.commit, t.detail, t.evidence});
  }
  for (const std::string& tree : s.trees)
    if (!s.to_remove.contains(tree) && !s.removing.contains(tree))
      summary.trees.push_back({tree, "", ""});
  for (const AgentRecord& record : s.history) {
    summary.agents.push_back(agent_of(s, record));
    summary.usage.duration_ms += record.duration_ms;
  }
  add_claims(s, summary);
  summary.ground = s.ground.lines;
  summary.usage.agent_runs = s.dispatched;
  summary.usage.cost_micros = s.cost_micros;
  summary.usage.checks_ms = s.checks_ms;
  return summary;
}

}  // namespace capsule::delivery
