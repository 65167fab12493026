// Requests to a run that another process carries on: to pause at its next border, to abort now, to
// tell an agent something, or to take an answer back. A request is a file in .capsule/requests/,
// named after the run; the run looks for it, and an abort also knocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workflow/step.h"

namespace capsule::world {

enum class Request { pause, abort };

Result<void> leave_request(const std::string& project, const std::string& run, Request request);
// What was asked: paused or aborted; an abort counts for more than a pause.
std::optional<workflow::Stop> pending_request(const std::string& project, const std::string& run);
// Words for an agent at work on a task, or for the next one; an empty task: whoever works. They
// stay until the run has recorded them, and are known by their id: what is found twice is told
// once.
Result<void> leave_message(const std::string& project, const std::string& run,
                           const workflow::MessageLeft& message);
std::vector<workflow::MessageLeft> pending_messages(const std::string& project,
                                                    const std::string& run);
void drop_message(const std::string& project, const std::string& run, const std::string& id);
// Wants an answer back that the run has recorded. It stays until the run has decided about it.
Result<void> leave_take_back(const std::string& project, const std::string& run, int question);
bool take_back_pending(const std::string& project, const std::string& run, int question);
std::vector<int> pending_take_backs(const std::string& project, const std::string& run);
void drop_take_back(const std::string& project, const std::string& run, int question);
// A pause and an abort, once they were heard or when a run is taken up.
void drop_requests(const std::string& project, const std::string& run);

}  // namespace capsule::world
