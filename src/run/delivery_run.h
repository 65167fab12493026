// The delivery of a plan, from its start or from where it was left to its end.
#pragma once

#include <optional>
#include <string>

#include "event/delivery.h"
#include "ui/terminal.h"
#include "world/answers.h"
#include "world/project.h"

namespace capsule::run {

// What the caller wants of a delivery.
struct DeliveryOrder {
  std::string plan;                           // a Markdown file, or a bead
  bool experts = false;                       // a plan analyst may create some
  std::optional<world::AnswersFile> answers;  // given beforehand
  event::Integrate integrate{};               // unsaid: as before, or as the project says
  bool wait = false;                          // stay when only a person can bring it on
};

// Goes on with a delivery of this plan that has not ended; else begins one with what earlier ones
// have not completed. Shows it on stdout, and writes its report. Returns the exit code. Errors:
// refused (problems of the plan, which were shown), blocked (another process delivers it), those of
// the world.
Result<int> deliver(world::Project project, DeliveryOrder order, ui::Look look);

}  // namespace capsule::run
