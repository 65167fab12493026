// A user's own workflow, as a YAML file states it. docs/workflows.md explains the form. What the
// file says is read here; whether it makes sense is for workflow/phases to check.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "event/definition.h"

namespace capsule::config {

// `where` names the file in errors: "FILE:LINE: …", a line for each thing that is off. Error
// damaged: it is not such a file.
Result<event::Definition> read_workflow(std::string_view text, std::string_view name,
                                        const std::string& where);

}  // namespace capsule::config
