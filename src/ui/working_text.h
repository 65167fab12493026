// The agents of a run that work now, for people. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "ui/style.h"
#include "ui/view/view.h"

namespace capsule::ui {

// "developer ▶ attempt 1, Bash go test ./…  12s · 21k tokens", and its newest words below.
// `now_ms`: on the clock of what it does.
std::string working_text(const view::Run& run, const view::Attempt& agent, std::int64_t now_ms,
                         const Style& style);
// The same of all that work; empty: nobody does.
std::string working_agents(const view::Run& run, std::int64_t now_ms, const Style& style);

}  // namespace capsule::ui
