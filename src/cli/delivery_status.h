// What `capsule status` says about deliveries. Reads only.
#pragma once

#include <optional>
#include <string>

#include "cli/delivery_plan.h"
#include "ui/style.h"

namespace capsule::cli {

// "PLAN.md  2026-01-31 23:59  Title  3 of 8 complete, 1 failed; running, pid 4711 on host"
std::string delivery_status_line(const DeliveryRecord& record,
                                 const std::optional<engine::Holder>& holder,
                                 const ui::Style& style);

// Tells about the newest delivery of the plan that the first word names; the exit code. nullopt:
// there is none of it, so the word means something else.
Result<std::optional<int>> delivery_status(const Args& args, const Project& project,
                                           store::Store& store);

}  // namespace capsule::cli
