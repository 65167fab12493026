// What a delivery came to, for people: on the terminal at its end, and as a report that is kept.
// Pure.
#pragma once

#include <string>

#include "ui/style.h"
#include "workflow/delivery/delivery.h"

namespace capsule::ui {

// What a person reads at the end.
std::string delivery_summary(const delivery::State& state, const Style& style);

// Per task: attempts, verdicts, files, duration, questions and answers. Markdown.
std::string delivery_report(const delivery::State& state, const std::string& run);

}  // namespace capsule::ui
