// Requests to a run that another process carries on: to pause at its next border, or to abort now.
// A request is a file in .capsule/requests/, named after the run; the run looks for it, and an
// abort also knocks.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "workflow/step.h"

namespace capsule::world {

enum class Request { pause, abort };

Result<void> leave_request(const std::string& project, const std::string& run, Request request);
// What was asked: paused or aborted; an abort counts for more than a pause.
std::optional<workflow::Stop> pending_request(const std::string& project, const std::string& run);
// Both, once they were heard or when a run is taken up.
void drop_requests(const std::string& project, const std::string& run);

}  // namespace capsule::world
