#include "ui/delivery_report.h"

#include <algorithm>

#include "base/text.h"
#include "ui/run_text.h"

namespace capsule::ui {

std::string delivery_summary(const view::Run& run, const Style& style) {
  const auto waiting = std::count_if(
      run.tasks.begin(), run.tasks.end(),
      [](const view::Task& task) { return task.standing == workflow::Standing::open; });
  std::string text = "\n" + toned(style, Tone::strong, printable(run.title)) + "\n  " +
                     std::to_string(run.done) + " of " + std::to_string(run.all) +
                     " tasks complete";
  if (run.failed > 0) text += ", " + std::to_string(run.failed) + " failed";
  if (waiting > 0) text += ", " + std::to_string(waiting) + " waiting";
  text += "; " + counted(run.usage.agent_runs, "agent run") + "\n";
  text += run_lines(run);
  if (!run.no_ground.empty())
    for (const std::string_view line : split(run.no_ground, '\n'))
      text += "  " + printable(line) + "\n";
  else if (!run.tolerated.empty())
    text += "  ! these checks failed before anybody worked, and were tolerated: " +
            short_list(run.tolerated) + "\n";
  for (const view::Task& task : run.tasks)
    if (task.stage == view::Stage::failed)
      text += "  " + toned(style, Tone::bad, style.unicode ? "✗" : "x") + " " + printable(task.id) +
              ": " + printable(task.detail) + "\n";
  for (const view::Wait& wait : run.waits)
    if (wait.question > 0)
      text += "  ? question " + std::to_string(wait.question) + ": " + printable(wait.text) +
              "\n    answer it: capsule answer " + std::to_string(wait.question) + " TEXT\n";
  return text;
}

}  // namespace capsule::ui
