#include "ui/delivery_lines.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace capsule::ui {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about
using delivery::Hold;
using delivery::Stage;
using delivery::State;
using delivery::TaskState;
using Json = nlohmann::ordered_json;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string spoken(std::string_view name) { return replace_all(name, "_", " "); }

// What a person may answer, as usage lines write it.
std::string one_of(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += (text.empty() ? "" : "|") + printable(option);
  return text;
}

// A text of an agent in one short line.
std::string brief(std::string_view text) {
  constexpr std::size_t kColumns = 120;
  std::string words;
  for (std::string_view line : split(text, '\n'))
    if (line = trimmed(line); !line.empty())
      words += (words.empty() ? "" : " ") + std::string(line.substr(0, 4 * kColumns));
  return fitted(words, kColumns);
}

// "T-1" or "the plan".
std::string about(const std::string& task) { return task.empty() ? "plan" : printable(task); }

std::string told(const Style& style, Tone tone, std::string_view symbol, const std::string& task,
                 const std::string& text) {
  return toned(style, tone, std::string(symbol)) + " " + padded(about(task), 12) + " " + text +
         "\n";
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json names(const std::vector<std::string>& list) {
  Json result = Json::array();
  for (const std::string& one : list) result.push_back(one);
  return result;
}

}  // namespace

std::string standing_of(const State& state, const TaskState& task) {
  if (task.stage == Stage::complete) return "complete";
  if (task.stage == Stage::failed) return "failed";
  if (task.stage == Stage::removed) return "removed";
  if (task.hold == Hold::person) return "waits for a person";
  if (task.hold == Hold::expert) return "waits for an expert";
  if (task.hold == Hold::file) return "waits for a file";
  if (task.hold == Hold::dependency) return "waits for a task";
  if (task.hold == Hold::remediation) return "waits for remediation";
  if (task.stage == Stage::blocked) return "blocked";
  std::string text(delivery::name_of(task.stage));
  if (const auto found = state.agents.find(task.agent); found != state.agents.end())
    return std::string(signal::name_of(found->second.role)) + " (attempt " +
           std::to_string(found->second.attempt) + ")";
  return text + (task.stage == Stage::merge ? "" : " (queued)");
}

std::string Narrator::line(const DeliveryFact& fact, const State& after) {
  const Style& style = style_;
  const std::string_view good = style.unicode ? "✓" : "+";
  const std::string_view bad = style.unicode ? "✗" : "x";
  const std::string_view go = style.unicode ? "▶" : ">";
  const std::string_view again = style.unicode ? "↻" : "~";
  return std::visit(
      Overloaded{
          [&](const DeliveryStarted& f) {
            return "Delivering " + printable(f.title.empty() ? f.plan : f.title) + ": " +
                   std::to_string(f.tasks.size()) + (f.tasks.size() == 1 ? " task" : " tasks") +
                   "\n";
          },
          [&](const DeliveryResumed&) {
            return "Going on: " + std::to_string(after.finished) + " of " +
                   std::to_string(after.tasks.size()) + " tasks are finished\n";
          },
          [&](const AgentDispatched& f) {
            agents_[f.agent] = {f.task, f.role};
            std::string text(signal::name_of(f.role));
            if (!f.expert.empty()) text += " " + printable(f.expert);
            text += " (attempt " + std::to_string(f.attempt) + ")";
            if (f.why != Why::fresh) text += ": " + spoken(name_of(f.why));
            return told(style, Tone::quiet, go, f.task, text);
          },
          [&](const AgentFinished& f) {
            const auto node = agents_.extract(f.agent);
            if (node.empty()) return std::string();
            const Who& who = node.mapped();
            std::string text = std::string(signal::name_of(who.role)) + ": " +
                               (f.fault == Fault::none ? std::string(signal::row(f.signal).wire)
                                                       : spoken(name_of(f.fault)));
            if (!f.detail.empty()) text += " (" + printable(f.detail) + ")";
            return told(style, f.fault == Fault::none ? Tone::plain : Tone::warn,
                        f.fault == Fault::none ? "·" : again, who.task, text);
          },
          [&](const MergeDone& f) {
            return told(style, Tone::good, good, f.task,
                        "merged as " + printable(f.commit.substr(0, 12)));
          },
          [&](const MergeRefused& f) {
            return told(style, Tone::warn, again, f.task,
                        "not merged: " + spoken(name_of(f.why)) + ": " + brief(f.detail));
          },
          [&](const VerifyFinished& f) {
            if (f.failures.empty() && !f.detail.empty())
              return told(style, Tone::quiet, "·", "",
                          spoken(name_of(f.purpose)) + ": " + brief(f.detail));
            if (f.failures.empty())
              return told(style, Tone::good, good, "",
                          spoken(name_of(f.purpose)) + ": checks pass");
            std::string text = spoken(name_of(f.purpose)) + ": checks fail:";
            for (const std::string& one : f.failures) text += " " + printable(one);
            return told(style, Tone::warn, again, "", text);
          },
          [&](const QuestionAsked& f) {
            return told(style, Tone::warn, "?", f.task,
                        "question " + std::to_string(f.question) + ": " + brief(f.text) +
                            "\n  answer it: capsule answer " + std::to_string(f.question) + " " +
                            (f.options.empty() ? "TEXT" : one_of(f.options)));
          },
          [&](const QuestionAnswered& f) {
            return told(style, Tone::plain, "!", "",
                        "question " + std::to_string(f.question) + " answered (" + printable(f.by) +
                            "): " + printable(f.text));
          },
          [&](const TaskCompleted& f) { return told(style, Tone::good, good, f.task, "complete"); },
          [&](const TaskFailed& f) {
            return told(style, Tone::bad, bad, f.task, "failed: " + brief(f.detail));
          },
          [&](const UnknownSignalRecovery& f) {
            return told(style, Tone::warn, again, f.task_id,
                        "no signal that counts (" + std::to_string(f.attempt) + ")");
          },
          [&](const AgentSignalFailure& f) {
            return told(style, Tone::warn, again, f.task_id, spoken(f.reason));
          },
          [&](const ReviewSkipped& f) {
            return told(style, Tone::warn, again, f.task, "review skipped: the critic timed out");
          },
          [&](const TaskExpanded& f) {
            return told(
                style, Tone::plain, "·", f.task,
                "expanded by the business analyst (confidence " + printable(f.confidence) + ")");
          },
          [&](const RemediationEntered& f) {
            return told(style, Tone::warn, again, f.task, "remediation begins: " + brief(f.issue));
          },
          [&](const RemediationLeft& f) {
            return told(style, Tone::good, good, "",
                        f.overridden ? "remediation ends, overridden by a person"
                                     : "remediation ends: healthy");
          },
          [&](const ExpertRegistered& f) {
            return told(style, Tone::plain, "·", "", "expert " + printable(f.expert));
          },
          [&](const FileWaitStarted& f) {
            return told(style, Tone::quiet, "…", f.task,
                        "waits for " + printable(f.file) + ", held by " + printable(f.holder));
          },
          [&](const FileCoordinated& f) {
            return told(style, Tone::quiet, "·", f.task,
                        "shares " + printable(f.file) + " with " + printable(f.holder));
          },
          [](const auto&) { return std::string(); },
      },
      fact);
}

std::string delivery_json(const DeliveryFact& fact, const std::string& run, const std::string& at) {
  const std::string body = body_of(fact);
  const std::string head =
      dump(Json{{"event", std::string(kind_of(fact))}, {"at", at}, {"run", run}});
  if (body.size() <= 2) return head + "\n";
  return head.substr(0, head.size() - 1) + "," + body.substr(1) + "\n";
}

std::string delivery_finished_json(const State& state) {
  const delivery::Summary summary = delivery::summary_of(state);
  return dump(Json{{"event", "delivery_finished"},
                   {"completed", names(summary.completed)},
                   {"failed", names(summary.failed)},
                   {"waiting", names(summary.waiting)}}) +
         "\n";
}

std::string delivery_summary(const State& state, const Style& style) {
  const delivery::Summary summary = delivery::summary_of(state);
  std::string text = "\n" + toned(style, Tone::strong, printable(state.title)) + "\n  " +
                     std::to_string(summary.completed.size()) + " of " +
                     std::to_string(state.tasks.size()) + " tasks complete";
  if (!summary.failed.empty()) text += ", " + std::to_string(summary.failed.size()) + " failed";
  if (!summary.waiting.empty()) text += ", " + std::to_string(summary.waiting.size()) + " waiting";
  text += "; " + std::to_string(state.dispatched) +
          (state.dispatched == 1 ? " agent run\n" : " agent runs\n");
  for (const TaskState& task : state.tasks)
    if (task.stage == Stage::failed)
      text += "  " + toned(style, Tone::bad, style.unicode ? "✗" : "x") + " " +
              printable(task.task.id) + ": " + printable(task.detail) + "\n";
  for (int number : delivery::open_questions(state)) {
    const delivery::Question& question = state.questions[static_cast<std::size_t>(number - 1)];
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
  for (const TaskState& task : state.tasks) {
    text += "\n## " + printable(task.task.id) + ": " + printable(task.task.title) +
            "\n\n- State: " + standing_of(state, task) + "\n";
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
      if (question.task < 0 || &state.tasks[static_cast<std::size_t>(question.task)] != &task)
        continue;
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
