#include "ui/run_json.h"

#include <algorithm>

#include "json/value.h"
#include "ui/activity_text.h"
#include "ui/run_text.h"
#include "ui/usage_text.h"

namespace capsule::ui {
namespace {

using Json = json::Value;
using view::Attempt;
using view::Run;
using workflow::Standing;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json waits_json(const Run& run) {
  Json list = Json::array();
  for (const view::Wait& wait : run.waits)
    list.push_back(
        {{"for", workflow::name_of(wait.kind)},
         {"task", or_null(wait.task)},
         {"question", wait.question > 0 ? Json(wait.question) : Json()},
         {"on", or_null(wait.what)},
         {"by", or_null(wait.holder)},
         {"kind", or_null(wait.word)},
         {"text", or_null(wait.text)},
         {"context", or_null(wait.context)},
         {"options", wait.options},
         {"until", wait.until > 0 ? Json(wait.until) : Json()},
         {"fault", wait.fault == event::Fault::none ? Json() : Json(event::name_of(wait.fault))},
         {"since", or_null(wait.since)}});
  return list;
}

Json messages_json(const Run& run) {
  Json list = Json::array();
  for (const view::Message& message : run.messages)
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

Json walls_json(const Run& run) {
  Json list = Json::array();
  for (const event::Contained& walls : run.contained)
    list.push_back({{"who", walls.who},
                    {"preset", walls.preset},
                    {"network", walls.network},
                    {"namespaces", walls.namespaces},
                    {"landlock", walls.landlock},
                    {"seccomp", walls.seccomp},
                    {"broker", walls.broker},
                    {"gaps", walls.gaps}});
  return list;
}

Json refused_json(const Run& run) {
  Json list = Json::array();
  for (const event::RefusedHost& one : run.refused)
    list.push_back({{"host", one.host},
                    {"count", one.count},
                    {"leads_to", or_null(one.leads_to)},
                    {"allowed_by", or_null(one.allowed_by)}});
  return list;
}

Json agent_json(const Attempt& agent) {
  return {{"agent", agent.agent},
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
          {"snapshot", or_null(agent.snapshot)},
          {"duration_ms", agent.duration_ms},
          {"tokens", tokens_json(agent.use, agent.use.tokens_known)},
          {"cost_micros", agent.use.cost_known ? Json(agent.use.cost_micros) : Json()},
          {"turns", agent.use.turns > 0 ? Json(agent.use.turns) : Json()},
          {"compactions", told_json(agent.use.compactions, agent.use.compactions_untold)},
          {"cache_rewrites", told_json(agent.use.cache_rewrites, agent.use.rewrites_untold)},
          {"service_faults", agent.service_faults},
          {"checked", workflow::name_of(agent.checked)},
          {"found", or_null(agent.found)},
          {"why", or_null(agent.sent_back)},
          {"redacted", agent.redacted}};
}

// With what it does, as far as that is known.
Json agent_now(const Attempt& agent, std::int64_t now_ms) {
  Json one = agent_json(agent);
  one["doing"] = agent.doing ? activity_json(*agent.doing) : Json();
  if (agent.doing)
    one["doing"]["elapsed_ms"] = std::max<std::int64_t>(0, now_ms - agent.doing->since_ms);
  return one;
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
TaskLists lists_of(const Run& run, const std::vector<std::string>& before = {}) {
  TaskLists lists;
  for (const std::string& id : before) lists.completed.push_back(id);
  for (const view::Task& task : run.tasks) {
    // What was completed before may be this very run's: nothing was left to do.
    if (std::find(before.begin(), before.end(), task.id) != before.end()) continue;
    if (task.standing == Standing::succeeded)
      lists.completed.push_back(task.id);
    else if (task.standing == Standing::failed)
      lists.failed.push_back(task.id);
    else if (task.standing == Standing::open)
      lists.waiting.push_back(task.id);
  }
  return lists;
}

// What it is about, by the names that scripts know.
void add_delivery(Json& json, const Run& run) {
  Json tasks = Json::array();
  for (const view::Task& task : run.tasks)
    tasks.push_back({{"id", task.id},
                     {"title", task.title},
                     {"stage", view::name_of(task.stage)},
                     {"standing", task.words},
                     {"runs", task.attempts.size()},
                     {"commit", or_null(task.commit)},
                     {"detail", or_null(task.detail)},
                     {"evidence", evidence_json(task.evidence)},
                     {"usage", usage_json(view::usage_of(run.attempts, task.attempts))}});
  json["tasks"] = tasks;
  const TaskLists lists = lists_of(run);
  json["plan"] = run.subject;
  json["completed"] = lists.completed;
  json["failed"] = lists.failed;
  json["waiting"] = lists.waiting;
  Json questions = Json::array();
  for (const view::Wait& wait : run.waits)
    if (wait.question > 0) questions.push_back(wait.question);
  json["open_questions"] = questions;
  json["agent_runs"] = run.usage.agent_runs;
}

void add_phases(Json& json, const Run& run) {
  json["bead"] = run.subject;
  json["phase"] = nullptr;
  json["attempt"] = nullptr;
  if (state_of(run) == engine::RunState::ended || run.attempts.empty()) return;
  const Attempt* newest = &run.attempts.back();
  for (const Attempt& attempt : run.attempts)
    if (attempt.running) newest = &attempt;
  json["phase"] = newest->role;
  json["attempt"] = newest->attempt;
}

// A session's and a headless run's are named by their task, in words.
std::string subject_of(const Run& run) {
  return run.subject == engine::kAutoSubject ? run.title : run.subject;
}

Json object_of(const Run& run) {
  const bool ended = state_of(run) == engine::RunState::ended;
  Json json{{"run", run.run},
            {"workflow", run.workflow},
            {"subject", subject_of(run)},
            {"name", run.name},
            {"title", run.title},
            {"state", engine::name_of(state_of(run))},
            {"standing", workflow::name_of(run.standing)},
            {"outcome", ended ? or_null(run.outcome) : Json()},
            {"now", or_null(run.now)},
            {"waits_for", waits_json(run)},
            {"can_go_on", run.can_go_on},
            {"holder", nullptr},
            {"started_at", run.started},
            {"ended_at", ended ? or_null(run.ended) : Json()},
            {"merged_as", or_null(run.merged_as)},
            {"on_branch", or_null(run.on_branch)},
            {"evidence", evidence_json(run.evidence)},
            {"usage", usage_json(run.usage)}};
  if (run.holder) json["holder"] = {{"pid", run.holder->pid}, {"host", run.holder->host}};
  if (!run.unreadable.empty()) json["unreadable"] = run.unreadable;
  if (run.workflow == engine::kDelivery)
    add_delivery(json, run);
  else if (is_phases(run))
    add_phases(json, run);
  return json;
}

// How every run ends in --json, whatever came in between.
Json last_line(const Run& run, int exit_code, const std::string& at,
               const std::vector<std::string>& completed_before) {
  Json json{{"event", "run_finished"},
            {"at", at},
            {"run", run.run},
            {"workflow", run.workflow},
            {"subject", subject_of(run)},
            {"name", run.name},
            {"outcome", or_null(run.outcome)},
            {"exit_code", exit_code},
            {"standing", workflow::name_of(run.standing)},
            {"waits_for", waits_json(run)},
            {"merged_as", or_null(run.merged_as)},
            {"on_branch", or_null(run.on_branch)},
            {"evidence", evidence_json(run.evidence)},
            {"usage", usage_json(run.usage)}};
  if (run.workflow != engine::kDelivery) return json;
  const TaskLists lists = lists_of(run, completed_before);
  json["completed"] = lists.completed;
  json["failed"] = lists.failed;
  json["waiting"] = lists.waiting;
  return json;
}

}  // namespace

std::string runs_json(const std::vector<Run>& runs, std::int64_t now_ms) {
  Json list = Json::array();
  for (const Run& run : runs) {
    Json one = object_of(run);
    Json working = Json::array();
    for (const Attempt& attempt : run.attempts)
      if (attempt.running && run.holder) working.push_back(agent_now(attempt, now_ms));
    one["working"] = working;
    list.push_back(std::move(one));
  }
  return list.compact() + "\n";
}

std::string run_json(const Run& run, const std::string& archive, std::int64_t now_ms) {
  Json json = object_of(run);
  json["detail"] = run.detail;
  Json phases = Json::array();
  for (const RoleLine& line : role_lines(run.attempts))
    phases.push_back({{"phase", line.role},
                      {"runs", line.runs},
                      {"last", line.last},
                      {"duration_ms", line.duration_ms}});
  json["phases"] = phases;
  Json agents = Json::array();
  for (const Attempt& attempt : run.attempts) agents.push_back(agent_now(attempt, now_ms));
  json["agents"] = agents;
  Json remarks = Json::array();
  for (const view::Remark& remark : run.remarks) remarks.push_back(remark.text);
  json["remarks"] = remarks;
  json["contained"] = walls_json(run);
  json["refused_hosts"] = refused_json(run);
  json["refused_others"] = run.refused_others;
  json["messages"] = messages_json(run);
  Json trees = Json::array();
  for (const view::Tree& tree : run.trees)
    trees.push_back({{"task", or_null(tree.task)},
                     {"folder", or_null(tree.folder)},
                     {"branch", or_null(tree.branch)}});
  // The run's own; those of tasks are in `trees`.
  const bool own = !run.trees.empty() && run.trees.front().task.empty();
  json["worktree"] = own ? or_null(run.trees.front().folder) : Json();
  json["trees"] = trees;
  json["snapshots"] = "refs/capsule/" + run.run;
  json["archive"] = or_null(archive);
  return json.compact() + "\n";
}

std::string finished_lines(const Run& run, int exit_code, const std::string& at,
                           const std::vector<std::string>& completed_before) {
  Json last = last_line(run, exit_code, at, completed_before);
  if (run.workflow != engine::kDelivery) return last.compact() + "\n";
  return Json{{"event", "delivery_finished"},
              {"at", at},
              {"run", run.run},
              {"completed", last["completed"]},
              {"failed", last["failed"]},
              {"waiting", last["waiting"]}}
             .compact() +
         "\n" + last.compact() + "\n";
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

std::string cut_off_line(const Run& run, const Error& error, const std::string& at,
                         const std::vector<std::string>& completed_before) {
  constexpr int kExitCode = 2;
  Json last = last_line(run, kExitCode, at, completed_before);
  last["outcome"] = nullptr;
  last["standing"] = workflow::name_of(Standing::open);
  last["error"] = error.message;
  last["hint"] = error.hint;
  return last.compact() + "\n";
}

std::string already_merged_lines(const Run& run, const std::string& at) {
  return Json{{"event", "already_merged"},
              {"at", at},
              {"run", run.run},
              {"bead", run.subject},
              {"commit", run.merged_as}}
             .compact() +
         "\n" + finished_lines(run, 0, at);
}

std::string already_on_branch_lines(const Run& run, const std::string& description,
                                    const std::string& at) {
  return Json{{"event", "already_on_branch"},
              {"at", at},
              {"run", run.run},
              {"bead", run.subject},
              {"branch", run.on_branch},
              {"description", description}}
             .compact() +
         "\n" + finished_lines(run, 0, at);
}

}  // namespace capsule::ui
