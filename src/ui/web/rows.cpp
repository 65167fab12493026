#include "ui/web/rows.h"

#include <set>

#include "ui/web/json_line.h"

namespace capsule::web {
namespace {

using view::name_of;

std::string action_json(const view::Action& action, std::string_view options) {
  return JsonLine()
      .text("verb", name_of(action.verb))
      .text("command", view::command_of(action, options))
      .text("wants", action.wants)
      .done();
}

std::string item_json(const view::Item& item, std::string_view options) {
  return JsonLine()
      .text("key", item.key)
      .number("rank", static_cast<int>(item.kind))
      .text("kind", name_of(item.kind))
      .text("run", item.run)
      .text("name", item.name)
      .text("task", item.task)
      .number("question", item.question)
      .number("agent", item.agent)
      .text("title", item.title)
      .text("text", item.text)
      .text("context", item.context)
      .text("reason", item.reason)
      .texts("options", item.options)
      .text("since", item.since)
      .number("until", item.until)
      .flag("answered", item.answered)
      .list("actions", item.actions,
            [&](const view::Action& one) { return action_json(one, options); })
      .done();
}

std::string evidence_json(const event::TestEvidence& evidence) {
  return JsonLine()
      .number("failing", evidence.failing)
      .number("passing", evidence.passing)
      .flag("failed_before", evidence.failed_before)
      .number("others_pass", evidence.others_pass)
      .number("others_fail", evidence.others_fail)
      .done();
}

void add_evidence(JsonLine& to, const event::TestEvidence& evidence) {
  if (evidence.by_name) to.raw("evidence", evidence_json(evidence));
}

std::string claim_json(const event::Claim& claim) {
  JsonLine line;
  line.text("what", claim.what).text("verdict", event::name_of(claim.verdict));
  line.text("detail", claim.detail);
  add_evidence(line, claim.evidence);
  return line.done();
}

std::string check_json(const event::CheckRun& check) {
  return JsonLine()
      .text("name", check.name)
      .text("command", check.command)
      .text("ending", event::name_of(check.ending))
      .number("exit", check.exit_code)
      .flag("clean", check.clean)
      .flag("known", check.known)
      .number("ms", check.duration_ms)
      .flag("by_name", check.by_name)
      .number("passed", check.passed)
      .number("failed", check.failed)
      .number("skipped", check.skipped)
      .texts("failing", check.failing)
      .text("output", check.output)
      .done();
}

std::string use_json(const event::TokenUse& use) {
  return JsonLine()
      .flag("tokens_known", use.tokens_known)
      .number("input", use.input)
      .number("output", use.output)
      .number("cache_read", use.cache_read)
      .number("cache_written", use.cache_written)
      .flag("cost_known", use.cost_known)
      .number("cost_micros", use.cost_micros)
      .number("turns", use.turns)
      .done();
}

std::string doing_json(const dialect::Activity& doing) {
  return JsonLine()
      .text("what", dialect::name_of(doing.what))
      .text("tool", doing.tool)
      .text("detail", doing.detail)
      .text("said", doing.said)
      .done();
}

std::string wait_json(const view::Wait& wait) {
  return JsonLine()
      .text("kind", workflow::name_of(wait.kind))
      .text("task", wait.task)
      .text("words", view::words_of(wait))
      .number("question", wait.question)
      .number("until", wait.until)
      .text("since", wait.since)
      .done();
}

std::string attempt_json(const view::Attempt& attempt) {
  JsonLine line;
  line.number("agent", attempt.agent)
      .text("task", attempt.task)
      .text("role", attempt.role)
      .number("attempt", attempt.attempt)
      .text("why", attempt.why)
      .text("began", attempt.began)
      .text("ended", attempt.ended)
      .flag("running", attempt.running)
      .flag("held", attempt.held)
      .text("said", attempt.said);
  if (attempt.fault != event::Fault::none) line.text("fault", event::name_of(attempt.fault));
  line.text("detail", attempt.detail);
  if (attempt.checked != view::Finding::none)
    line.text("checked", workflow::name_of(attempt.checked));
  line.text("found", attempt.found)
      .text("sent_back", attempt.sent_back)
      .list("claims", attempt.claims, claim_json)
      .list("checks", attempt.checks, check_json)
      .flag("snapshot", !attempt.snapshot.empty())
      .text("provider", attempt.provider)
      .text("model", attempt.answered.empty() ? attempt.model : attempt.answered)
      .text("client", attempt.client)
      .raw("use", use_json(attempt.use))
      .number("ms", attempt.duration_ms)
      .number("service_faults", attempt.service_faults)
      .number("redacted", attempt.redacted)
      .flag("idle", !attempt.idle.empty());
  if (attempt.doing) line.raw("doing", doing_json(*attempt.doing));
  line.number("printed", attempt.printed);
  return line.done();
}

std::string task_json(const view::Run& run, const view::Task& task) {
  JsonLine line;
  line.text("id", task.id)
      .text("title", task.title)
      .text("stage", name_of(task.stage))
      .text("standing", workflow::name_of(task.standing))
      .text("words", task.words)
      .number("number", task.number)
      .number("wave", task.wave)
      .flag("critical", task.critical)
      .list("needs", task.needs, [](int number) { return std::to_string(number); })
      .list("agents", task.attempts,
            [&](int place) {
              return std::to_string(run.attempts[static_cast<std::size_t>(place)].agent);
            })
      .list("waits", task.waits, wait_json)
      .text("began", task.began)
      .text("since", task.since)
      .text("ended", task.ended)
      .text("commit", task.commit)
      .text("detail", task.detail)
      .texts("files", task.files)
      .list("checks", task.checks, check_json)
      .number("cost_micros", task.cost_micros);
  add_evidence(line, task.evidence);
  return line.done();
}

std::string phase_json(const view::Run& run, const view::Phase& phase, std::size_t number) {
  return JsonLine()
      .text("name", phase.name)
      .text("state", name_of(phase.state))
      .number("stage", phase.stage)
      .number("number", number)
      .list("agents", phase.attempts,
            [&](int place) {
              return std::to_string(run.attempts[static_cast<std::size_t>(place)].agent);
            })
      .done();
}

std::string band_json(const view::Band& band) {
  return JsonLine()
      .text("kind", name_of(band.kind))
      .text("task", band.task)
      .number("question", band.question)
      .text("began", band.began)
      .text("ended", band.ended)
      .done();
}

std::string mark_json(const view::Mark& mark) {
  return JsonLine()
      .text("kind", name_of(mark.kind))
      .number("seq", mark.when.seq)
      .text("at", mark.when.at)
      .text("task", mark.task)
      .text("text", mark.text)
      .done();
}

std::string slot_json(const view::Slot& slot) {
  return JsonLine()
      .text("role", slot.role)
      .number("busy", slot.busy)
      .number("all", slot.all)
      .done();
}

std::string day_json(const view::Day& day) {
  return JsonLine()
      .text("day", day.day)
      .number("cost_micros", day.cost_micros)
      .number("tokens", day.tokens)
      .number("calls", day.calls)
      .number("calls_without_cost", day.calls_without_cost)
      .done();
}

std::string spending_json(const view::Spending& usage) {
  return JsonLine()
      .number("agent_runs", usage.agent_runs)
      .number("calls", usage.calls)
      .number("ms", usage.duration_ms)
      .number("checks_ms", usage.checks_ms)
      .number("cost_micros", usage.cost_micros)
      .number("calls_without_cost", usage.calls_without_cost)
      .number("calls_without_tokens", usage.calls_without_tokens)
      .raw("tokens", use_json(usage.tokens))
      .done();
}

std::string message_json(const view::Message& message) {
  return JsonLine()
      .text("task", message.task)
      .text("text", message.text)
      .text("by", message.by)
      .text("at", message.at)
      .number("agent", message.agent)
      .flag("heard", message.heard)
      .done();
}

std::string run_json(const view::Run& run, std::string_view options) {
  JsonLine line;
  line.text("run", run.run)
      .text("workflow", run.workflow)
      .text("name", run.name)
      .text("title", run.title)
      .text("provider", run.provider)
      .text("life", name_of(run.life))
      .text("standing", workflow::name_of(run.standing))
      .text("outcome", run.outcome)
      .text("detail", run.detail)
      .text("now", run.now)
      .flag("can_go_on", run.can_go_on)
      .flag("superseded", run.superseded)
      .number("pid", run.holder ? run.holder->pid : 0)
      .text("started", run.started)
      .text("ended", run.ended)
      .text("since", run.since)
      .number("done", run.done)
      .number("failed", run.failed)
      .number("all", run.all)
      .number("at_work", run.at_work)
      .list("waits", run.waits, wait_json)
      .list("bands", run.bands, band_json)
      .list("marks", run.marks, mark_json)
      .texts("merge_queue", run.merge_queue)
      .list("slots", run.slots, slot_json)
      .texts("critical_path", run.critical_path)
      .number("waves", run.waves)
      .number("remediation", run.remediation);
  if (run.baseline != event::Baseline::none) line.text("baseline", event::name_of(run.baseline));
  line.list("baseline_checks", run.baseline_checks, check_json)
      .list("claims", run.claims, claim_json)
      .text("merged_as", run.merged_as)
      .text("on_branch", run.on_branch)
      .list("messages", run.messages, message_json)
      .texts("ground", run.ground)
      .texts("to_know", run.to_know)
      .text("walls", workflow::walls_words(run.contained))
      .raw("usage", spending_json(run.usage))
      .list("days", run.days, day_json)
      .list("actions", run.actions,
            [&](const view::Action& one) { return action_json(one, options); })
      .text("left_since", view::left_since(run))
      .number("facts", run.facts)
      .number("seq", run.newest.seq)
      .text("unreadable", run.unreadable);
  add_evidence(line, run.evidence);
  return line.done();
}

std::string project_json(const view::Project& project) {
  return JsonLine()
      .number("seq", project.newest.seq)
      .text("at", project.newest.at)
      .list("days", project.days, day_json)
      .raw("usage", spending_json(project.usage))
      .done();
}

class RowList {
 public:
  void add(const std::string& key, const std::string& row) {
    rows_.append(rows_.empty() ? "" : ",");
    rows_ += row.empty() ? JsonLine().text("key", key).done()
                         : JsonLine().text("key", key).raw("row", row).done();
  }
  std::string done(const view::Moment& newest) const {
    return JsonLine()
        .raw("seq", std::to_string(newest.seq))
        .text("at", newest.at)
        .raw("rows", "[" + rows_ + "]")
        .done();
  }

 private:
  std::string rows_;
};

// The rows of a run that `wanted` says yes to, in their order.
template <class Wanted>
void add_rows(RowList& rows, const view::Run& run, std::string_view options, Wanted wanted) {
  const std::string prefix = "run/" + run.run;
  const auto add = [&](const std::string& key, const auto& make) {
    if (wanted(key)) rows.add(key, make());
  };
  add(prefix, [&] { return run_json(run, options); });
  for (const view::Task& task : run.tasks)
    add(prefix + "/task/" + task.id, [&] { return task_json(run, task); });
  for (std::size_t i = 0; i < run.phases.size(); ++i)
    add(prefix + "/phase/" + run.phases[i].name, [&] { return phase_json(run, run.phases[i], i); });
  for (const view::Attempt& attempt : run.attempts)
    add(prefix + "/agent/" + std::to_string(attempt.agent), [&] { return attempt_json(attempt); });
}

}  // namespace

std::string fact_json(const event::Fact& fact) {
  std::string line = JsonLine()
                         .text("event", fact.kind)
                         .text("at", fact.at)
                         .text("run", fact.run)
                         .number("seq", fact.seq)
                         .done();
  if (fact.body.size() > 2 && fact.body.front() == '{') {  // one object, as the journal has it
    line.back() = ',';
    line.append(fact.body, 1);
  }
  return line;
}

std::string view_json(const view::Project& project, std::string_view run,
                      std::string_view options) {
  RowList rows;
  rows.add("project", project_json(project));
  for (const view::Item& item : project.inbox)
    rows.add("inbox/" + item.key, item_json(item, options));
  for (const view::Run& one : project.runs) {
    if (run.empty())
      rows.add("run/" + one.run, run_json(one, options));
    else if (one.run == run)
      add_rows(rows, one, options, [](const std::string&) { return true; });
  }
  return rows.done(project.newest);
}

std::string changes_json(const view::Project& before, const view::Project& after,
                         std::string_view options) {
  const std::vector<view::Change> changed = view::changes(before, after);
  if (changed.empty()) return "";
  std::set<std::string_view> keys;
  std::set<std::string_view> runs;
  for (const view::Change& change : changed) {
    if (change.gone) continue;
    keys.insert(change.key);
    runs.insert(change.run);
  }
  RowList rows;
  if (keys.contains("project")) rows.add("project", project_json(after));
  for (const view::Item& item : after.inbox)
    if (keys.contains("inbox/" + item.key)) rows.add("inbox/" + item.key, item_json(item, options));
  for (const view::Run& run : after.runs)
    if (runs.contains(run.run))
      add_rows(rows, run, options, [&](const std::string& key) { return keys.contains(key); });
  for (const view::Change& change : changed)
    if (change.gone) rows.add(change.key, "");
  return rows.done(after.newest);
}

}  // namespace capsule::web
