#include "ui/narrator.h"

#include "base/text.h"
#include "engine/run.h"
#include "workflow/ground.h"

namespace capsule::ui {

std::unique_ptr<Narrator> narrator_of(const engine::RunHead& head, Style style) {
  if (head.workflow == engine::kDelivery) return delivery_narrator(style);
  return engine::is_phases(head) ? phases_narrator(style) : auto_narrator(style);
}

std::string ground_words(const event::GroundMoved& moved, view::OneRun& shown) {
  const bool of_plan = !shown.run().tasks.empty();
  return printable(workflow::ground_line(moved, [&](int agent) {
    const std::string number = "agent " + std::to_string(agent);
    const auto attempt = shown.attempt(agent);
    if (!attempt) return number;
    return attempt->role + (of_plan && !attempt->task.empty() ? " of " + attempt->task : "") +
           " (" + number + ")";
  }));
}

}  // namespace capsule::ui
