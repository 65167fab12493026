// A run of phases, the pipeline or a user's own, told to people: its stages, and the verdict of
// each phase.
#pragma once

#include <memory>
#include <string>

#include "ui/narrator.h"
#include "ui/style.h"
#include "workflow/phases/phases.h"

namespace capsule::ui {

// `state` must outlive it.
std::unique_ptr<Narrator> phases_narrator(const phases::State& state, Style style);

// `capsule workflow check`: its picture, and the most agent runs that it can cost.
std::string workflow_page(const event::Definition& definition, int max_retries);

}  // namespace capsule::ui
