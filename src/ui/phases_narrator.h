// A run of phases, the pipeline or a user's own, told to people: its stages, and the verdict of
// each phase; on a terminal as a picture with attempts, elapsed time and what agents printed last.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ui/narrator.h"
#include "ui/style.h"
#include "workflow/phases/phases.h"

namespace capsule::ui {

// `state` must outlive it.
std::unique_ptr<Narrator> phases_narrator(const phases::State& state, Style style);

// `capsule workflow check`: its picture, and the most agent runs that it can cost.
std::string workflow_page(const event::Definition& definition, int max_retries);

// "[2/5] Phase pair: test-writer → test-review"
std::string stage_title(const event::Definition& definition, int stage, const Style& style);

}  // namespace capsule::ui
