// The agents of a run that work now, for people. Pure.
#pragma once

#include <string>

#include "engine/run.h"
#include "ui/style.h"
#include "world/activities.h"

namespace capsule::ui {

// "developer ▶ attempt 1, Bash go test ./…  12s · 21k tokens", and its newest words below.
std::string working_text(const engine::Run& run, const workflow::AgentSummary& agent,
                         const world::Activities& now, const Style& style);
// The same of all that work; empty: nobody does.
std::string working_agents(const engine::Run& run, const world::Activities& now,
                           const Style& style);

}  // namespace capsule::ui
