// What `capsule status` says about deliveries. Pure.
#pragma once

#include <optional>
#include <string>

#include "engine/delivery_log.h"
#include "ui/style.h"

namespace capsule::ui {

// "PLAN.md  2026-01-31 23:59  Title  3 of 8 complete, 1 failed; running, pid 4711 on host"
std::string delivery_status_line(const engine::DeliveryRecord& record,
                                 const std::optional<engine::Holder>& holder, const Style& style);

// The same in full, task by task, with the open questions and what to do next. `named` is the plan
// as the caller wrote it, `option` what commands to paste need.
std::string delivery_status_page(const engine::DeliveryRecord& record,
                                 const std::optional<engine::Holder>& holder, const Style& style,
                                 const std::string& named, const std::string& option);
// As one line of JSON.
std::string delivery_status_json(const engine::DeliveryRecord& record,
                                 const std::optional<engine::Holder>& holder);

}  // namespace capsule::ui
