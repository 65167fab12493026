#include "ui/delivery_report.h"

#include "base/text.h"

namespace capsule::ui {

using namespace event::delivery;  // NOLINT: the facts are what this file is about
using delivery::Stage;
using delivery::State;
using delivery::TaskState;

std::string delivery_summary(const State& state, const Style& style) {
  const delivery::Summary summary = delivery::summary_of(state);
  std::string text = "\n" + toned(style, Tone::strong, printable(state.title)) + "\n  " +
                     std::to_string(summary.completed.size()) + " of " +
                     std::to_string(state.tasks.size()) + " tasks complete";
  if (!summary.failed.empty()) text += ", " + std::to_string(summary.failed.size()) + " failed";
  if (!summary.waiting.empty()) text += ", " + std::to_string(summary.waiting.size()) + " waiting";
  text += "; " + counted(state.dispatched, "agent run") + "\n";
  if (!state.no_ground.empty())
    for (const std::string_view line : split(state.no_ground, '\n'))
      text += "  " + printable(line) + "\n";
  else if (!state.baseline.empty())
    text += "  ! these checks failed before anybody worked, and were tolerated: " +
            short_list(state.baseline) + "\n";
  for (const TaskState& task : state.tasks)
    if (task.stage == Stage::failed)
      text += "  " + toned(style, Tone::bad, style.unicode ? "✗" : "x") + " " +
              printable(task.task.id) + ": " + printable(task.detail) + "\n";
  for (int number : delivery::open_questions(state)) {
    const delivery::Question& question = state.questions[number - 1];
    text += "  ? question " + std::to_string(number) + ": " + printable(question.text) +
            "\n    answer it: capsule answer " + std::to_string(number) + " TEXT\n";
  }
  return text;
}

std::string delivery_report(const State& state, const std::string& run) {
  const delivery::Summary summary = delivery::summary_of(state);
  std::string text =
      "# Delivery: " + printable(state.title) + "\n\n- Plan: " + printable(state.plan) +
      "\n- Run: " + run + "\n- Outcome: " +
      (state.outcome == Outcome::none ? "waiting" : std::string(name_of(state.outcome))) +
      "\n- Tasks: " + std::to_string(state.tasks.size()) + ", complete " +
      std::to_string(summary.completed.size()) + ", failed " +
      std::to_string(summary.failed.size()) + ", waiting " +
      std::to_string(summary.waiting.size()) +
      "\n- Agent runs: " + std::to_string(state.dispatched) + "\n";
  if (!state.baseline.empty()) {
    text += "- Failing before any task began:";
    for (const std::string& name : state.baseline) text += " " + printable(name);
    text += "\n";
  }
  const std::vector<workflow::TaskSummary> tasks = delivery::run_summary(state).tasks;
  for (std::size_t i = 0; i < state.tasks.size(); ++i) {
    const TaskState& task = state.tasks[i];
    text += "\n## " + printable(task.task.id) + ": " + printable(task.task.title) +
            "\n\n- State: " + printable(tasks[i].words) + "\n";
    if (!task.detail.empty()) text += "- Why: " + printable(task.detail) + "\n";
    if (!task.commit.empty()) text += "- Merged as: " + printable(task.commit) + "\n";
    if (!task.merged_files.empty()) {
      text += "- Files:";
      for (const std::string& file : task.merged_files) text += " `" + printable(file) + "`";
      text += "\n";
    }
    std::int64_t total = 0;
    for (const delivery::Run& one : task.runs) total += one.duration_ms;
    if (!task.runs.empty())
      text += "- Duration: " + duration(total) +
              "\n\n| agent | role | attempt | verdict | duration |\n|---|---|---|---|---|\n";
    for (const delivery::Run& one : task.runs)
      text += "| " + std::to_string(one.agent) + " | " + std::string(signal::name_of(one.role)) +
              " | " + std::to_string(one.attempt) + " | " +
              (one.fault == Fault::none ? std::string(signal::row(one.signal).name)
                                        : std::string(name_of(one.fault))) +
              (one.wrote ? ", wrote (taken back)" : "") + " | " + duration(one.duration_ms) +
              " |\n";
    bool first = true;
    for (const delivery::Question& question : state.questions) {
      if (question.task < 0 || &state.tasks[question.task] != &task) continue;
      text += (first ? "\n" : "") + std::string("- Question ") + std::to_string(question.number) +
              ": " + printable(question.text) + "\n  - " +
              (!question.by.empty()
                   ? "Answer (" + printable(question.by) + "): " + printable(question.answer)
                   : "Not answered yet") +
              "\n";
      first = false;
    }
  }
  return text;
}

}  // namespace capsule::ui
