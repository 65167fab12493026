#include "ui/delivery_report.h"

#include "base/text.h"
#include "event/supply.h"
#include "ui/usage_text.h"

namespace capsule::ui {

using namespace event::delivery;  // NOLINT: the facts are what this file is about
using delivery::Stage;
using delivery::State;
using delivery::TaskState;

std::string delivery_summary(const State& state, const workflow::RunSummary& whole,
                             const Style& style) {
  const delivery::Summary summary = delivery::summary_of(state);
  std::string text = "\n" + toned(style, Tone::strong, printable(state.title)) + "\n  " +
                     std::to_string(summary.completed.size()) + " of " +
                     std::to_string(state.tasks.size()) + " tasks complete";
  if (!summary.failed.empty()) text += ", " + std::to_string(summary.failed.size()) + " failed";
  if (!summary.waiting.empty()) text += ", " + std::to_string(summary.waiting.size()) + " waiting";
  text += "; " + counted(state.dispatched, "agent run") + "\n";
  if (const std::string used = usage_words(whole.usage); !used.empty()) text += "  " + used + "\n";
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
  for (const workflow::Waiting& wait : whole.waits)
    if (wait.question >= event::supply::kFirstQuestion)
      text += "  ? question " + std::to_string(wait.question) + ": " + printable(wait.text) +
              "\n    answer it: capsule answer " + std::to_string(wait.question) + " TEXT\n";
  return text;
}

}  // namespace capsule::ui
