// Requests to a run that another process carries on: to pause at the next phase border, or to abort
// now. A request is a file in .capsule/requests/; the run looks at its borders, and an abort also
// knocks.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "event/pipeline.h"

namespace capsule::world {

enum class Request { pause, abort };

Result<void> leave_request(const std::string& project, const std::string& bead, Request request);
// What was asked; an abort counts for more than a pause.
std::optional<event::Outcome> pending_request(const std::string& project, const std::string& bead);
// Both, once they were heard or when a run begins.
void drop_requests(const std::string& project, const std::string& bead);

}  // namespace capsule::world
