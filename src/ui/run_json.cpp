#include "ui/run_json.h"

#include <algorithm>

#include "json/value.h"
#include "ui/activity_text.h"
#include "ui/run_text.h"
#include "ui/usage_text.h"

namespace capsule::ui {
namespace {

using Json = json::Value;
using workflow::AgentSummary;
using workflow::RunSummary;
using workflow::Standing;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json waits_json(const RunSummary& summary) {
  Json list = Json::array();
  for (const workflow::Waiting& wait : summary.waits)
    list.push_back(
        {{"for", name_of(wait.what)},
         {"task", or_null(wait.task)},
         {"question", wait.question > 0 ? Json(wait.question) : Json()},
         {"on", or_null(wait.on)},
         {"by", or_null(wait.by)},
         {"kind", or_null(wait.kind)},
         {"text", or_null(wait.text)},
         {"context", or_null(wait.context)},
         {"options", wait.options},
         {"until", wait.until > 0 ? Json(wait.until) : Json()},
         {"fault", wait.fault == event::Fault::none ? Json() : Json(event::name_of(wait.fault))}});
  return list;
}

Json messages_json(const RunSummary& summary) {
  Json list = Json::array();
  for (const workflow::MessageSummary& message : summary.messages)
    list.push_back({{"id", message.id},
                    {"task", or_null(message.task)},
                    {"text", message.text},
                    {"by", or_null(message.by)},
                    {"agent", message.agent > 0 ? Json(message.agent) : Json()},
                    {"delivered", message.agent == 0 ? "no"
                                  : message.live     ? "live"
                                                     : "prompt"},
                    {"heard", message.heard}});
  return list;
}

Json agent_json(const AgentSummary& agent) {
  return {{"agent", agent.number},
          {"task", or_null(agent.task)},
          {"role", agent.role},
          {"attempt", agent.attempt},
          {"provider", or_null(agent.provider)},
          {"model", or_null(agent.model)},
          {"client", or_null(agent.client)},
          {"answered", or_null(agent.answered)},
          {"running", agent.running},
          {"fault", event::name_of(agent.fault)},
          {"said", or_null(agent.said)},
          {"detail", or_null(agent.detail)},
          {"log", or_null(agent.log)},
          {"duration_ms", agent.duration_ms},
          {"tokens", tokens_json(agent.use, agent.use.tokens_known)},
          {"cost_micros", agent.use.cost_known ? Json(agent.use.cost_micros) : Json()},
          {"turns", agent.use.turns > 0 ? Json(agent.use.turns) : Json()},
          {"compactions", agent.use.compactions},
          {"cache_rewrites", agent.use.cache_rewrites},
          {"service_faults", agent.faults},
          {"checked", name_of(agent.checked)},
          {"found", or_null(agent.found)},
          {"why", or_null(agent.why)},
          {"redacted", agent.redacted}};
}

Json evidence_json(const event::TestEvidence& evidence) {
  if (!evidence.by_name) return {};
  return {{"failing", evidence.failing},
          {"passing", evidence.passing},
          {"failed_before", evidence.failed_before},
          {"others_pass", evidence.others_pass},
          {"others_fail", evidence.others_fail},
          {"words", workflow::evidence_words(evidence)}};
}

struct TaskLists {
  Json completed = Json::array(), failed = Json::array(), waiting = Json::array();
};
TaskLists lists_of(const RunSummary& summary, const std::vector<std::string>& before = {}) {
  TaskLists lists;
  for (const std::string& id : before) lists.completed.push_back(id);
  for (const workflow::TaskSummary& task : summary.tasks) {
    if (task.standing == Standing::succeeded)
      lists.completed.push_back(task.id);
    else if (task.standing == Standing::failed)
      lists.failed.push_back(task.id);
    else if (task.standing == Standing::open)
      lists.waiting.push_back(task.id);
  }
  return lists;
}

// By which commands find it: a bead, a plan or "auto".
std::string name_for_commands(const std::string& workflow, const std::string& subject) {
  if (workflow == engine::kAuto || workflow == engine::kAutoSession)
    return std::string(engine::kAuto);
  return subject.starts_with(engine::kDeliveredBead) ? subject.substr(engine::kDeliveredBead.size())
                                                     : subject;
}

// What it is about, by the names that scripts know.
void add_delivery(Json& json, const engine::Run& run) {
  const TaskLists lists = lists_of(run.summary);
  json["plan"] = run.head.subject;
  json["completed"] = lists.completed;
  json["failed"] = lists.failed;
  json["waiting"] = lists.waiting;
  Json questions = Json::array();
  for (const workflow::Waiting& wait : run.summary.waits)
    if (wait.question > 0) questions.push_back(wait.question);
  json["open_questions"] = questions;
  json["agent_runs"] = run.summary.usage.agent_runs;
}

void add_phases(Json& json, const engine::Run& run) {
  json["bead"] = run.head.subject;
  json["phase"] = nullptr;
  json["attempt"] = nullptr;
  if (engine::state_of(run) == engine::RunState::ended || run.summary.agents.empty()) return;
  const AgentSummary* newest = &run.summary.agents.back();
  for (const AgentSummary& agent : run.summary.agents)
    if (agent.running) newest = &agent;
  json["phase"] = newest->role;
  json["attempt"] = newest->attempt;
}

void leave_only(RunSummary& summary, const std::string& task) {
  const auto other = [&](const auto& one) { return one.task != task; };
  std::erase_if(summary.tasks, [&](const workflow::TaskSummary& one) { return one.id != task; });
  std::erase_if(summary.waits, other);
  std::erase_if(summary.trees, other);
  std::erase_if(summary.agents, other);
  std::erase_if(summary.claims, other);
}

Json object_of(const engine::Run& run) {
  const RunSummary& summary = run.summary;
  const bool ended = engine::state_of(run) == engine::RunState::ended;
  Json json{{"run", run.head.run},
            {"workflow", summary.workflow},
            {"subject", summary.subject},
            {"name", name_for_commands(run.head.workflow, run.head.subject)},
            {"title", summary.title},
            {"state", name_of(engine::state_of(run))},
            {"standing", name_of(summary.standing)},
            {"outcome", ended ? or_null(summary.outcome) : Json()},
            {"now", or_null(summary.now)},
            {"waits_for", waits_json(summary)},
            {"can_go_on", summary.can_go_on},
            {"holder", nullptr},
            {"started_at", run.head.started_at},
            {"ended_at", ended ? or_null(run.head.ended_at) : Json()},
            {"merged_as", or_null(summary.merged_as)},
            {"on_branch", or_null(summary.on_branch)},
            {"evidence", evidence_json(summary.evidence)},
            {"usage", usage_json(summary.usage)}};
  if (run.holder)
    json["holder"] = {{"pid", run.holder->process.pid}, {"host", run.holder->process.host}};
  if (!run.unreadable.empty()) json["unreadable"] = run.unreadable;
  if (run.head.workflow == engine::kDelivery) {
    Json tasks = Json::array();
    for (const workflow::TaskSummary& task : summary.tasks)
      tasks.push_back({{"id", task.id},
                       {"title", task.title},
                       {"stage", task.stage},
                       {"standing", task.words},
                       {"runs", task.agent_runs},
                       {"commit", or_null(task.commit)},
                       {"detail", or_null(task.detail)},
                       {"evidence", evidence_json(task.evidence)},
                       {"usage", usage_json(usage_of_task(summary, task.id))}});
    json["tasks"] = tasks;
    add_delivery(json, run);
  } else if (engine::is_phases(run.head)) {
    add_phases(json, run);
  }
  return json;
}

}  // namespace

std::string runs_json(const std::vector<engine::Run>& runs) {
  Json list = Json::array();
  for (const engine::Run& run : runs) list.push_back(object_of(run));
  return list.compact() + "\n";
}

std::string run_json(engine::Run run, const std::string& archive, const std::string& task,
                     const world::Activities& now) {
  if (!task.empty()) leave_only(run.summary, task);
  Json json = object_of(run);
  json["detail"] = run.summary.detail;
  Json phases = Json::array();
  for (const RoleLine& line : role_lines(run.summary))
    phases.push_back({{"phase", line.role},
                      {"runs", line.runs},
                      {"last", line.last},
                      {"duration_ms", line.duration_ms}});
  json["phases"] = phases;
  Json agents = Json::array();
  for (const AgentSummary& agent : run.summary.agents) {
    Json one = agent_json(agent);
    const auto doing = now.of.find(agent.number);
    one["doing"] = doing == now.of.end() ? Json() : activity_json(doing->second);
    if (doing != now.of.end())
      one["doing"]["elapsed_ms"] = std::max<std::int64_t>(0, now.now_ms - doing->second.since_ms);
    agents.push_back(std::move(one));
  }
  json["agents"] = agents;
  json["remarks"] = remarks_of(run.summary);
  json["messages"] = messages_json(run.summary);
  Json trees = Json::array();
  for (const workflow::TreeSummary& tree : run.summary.trees)
    trees.push_back({{"task", or_null(tree.task)},
                     {"folder", or_null(tree.folder)},
                     {"branch", or_null(tree.branch)}});
  // The run's own; those of tasks are in `trees`.
  const bool own = !run.summary.trees.empty() && run.summary.trees.front().task.empty();
  json["worktree"] = own ? or_null(run.summary.trees.front().folder) : Json();
  json["trees"] = trees;
  json["snapshots"] = "refs/capsule/" + run.head.run;
  json["archive"] = or_null(archive);
  return json.compact() + "\n";
}

std::string finished_lines(const std::string& run, const RunSummary& summary, int exit_code,
                           const std::string& at,
                           const std::vector<std::string>& completed_before) {
  Json json{{"event", "run_finished"},
            {"at", at},
            {"run", run},
            {"workflow", summary.workflow},
            {"subject", summary.subject},
            {"name", name_for_commands(summary.workflow, summary.subject)},
            {"outcome", or_null(summary.outcome)},
            {"exit_code", exit_code},
            {"standing", name_of(summary.standing)},
            {"waits_for", waits_json(summary)},
            {"merged_as", or_null(summary.merged_as)},
            {"on_branch", or_null(summary.on_branch)},
            {"evidence", evidence_json(summary.evidence)},
            {"usage", usage_json(summary.usage)}};
  if (summary.workflow != engine::kDelivery) return json.compact() + "\n";
  const TaskLists lists = lists_of(summary, completed_before);
  json["completed"] = lists.completed;
  json["failed"] = lists.failed;
  json["waiting"] = lists.waiting;
  return Json{{"event", "delivery_finished"},
              {"at", at},
              {"run", run},
              {"completed", lists.completed},
              {"failed", lists.failed},
              {"waiting", lists.waiting}}
             .compact() +
         "\n" + json.compact() + "\n";
}

std::string check_line(const std::string& run, const std::string& task,
                       const workflow::CheckProgress& check, const std::string& at) {
  Json json{{"event", check.ended ? "check_finished" : "check_started"},
            {"at", at},
            {"run", run},
            {"task", check.task.empty() ? task : check.task},
            {"what", name_of(check.what)},
            {"check", check.id},
            {"name", check.name},
            {"command", check.command}};
  if (!check.ended) return json.compact() + "\n";
  json["ending"] = event::name_of(check.run.ending);
  json["exit_code"] = check.run.exit_code;
  json["duration_ms"] = check.run.duration_ms;
  json["by_name"] = check.run.by_name;
  json["passed"] = check.run.passed;
  json["failed"] = check.run.failed;
  json["skipped"] = check.run.skipped;
  json["failing"] = check.run.failing;
  return json.compact() + "\n";
}

std::string agent_activity_line(const std::string& run, const WhichAgent& agent,
                                const dialect::Activity& activity, const std::string& at) {
  return Json{{"event", "agent_activity"},
              {"at", at},
              {"run", run},
              {"agent", agent.number},
              {"task", agent.task},
              {"role", agent.role},
              {"attempt", agent.attempt},
              {"doing", activity_json(activity)}}
             .compact() +
         "\n";
}

std::string cut_off_line(const std::string& run, const RunSummary& summary, const Error& error,
                         const std::string& at) {
  constexpr int kExitCode = 2;
  return Json{{"event", "run_finished"},
              {"at", at},
              {"run", run},
              {"workflow", summary.workflow},
              {"subject", summary.subject},
              {"outcome", nullptr},
              {"exit_code", kExitCode},
              {"standing", name_of(workflow::Standing::open)},
              {"waits_for", nullptr},
              {"merged_as", nullptr},
              {"on_branch", nullptr},
              {"error", error.message},
              {"hint", error.hint}}
             .compact() +
         "\n";
}

}  // namespace capsule::ui
