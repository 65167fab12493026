// What init did and what doctor found, for people and for programs. Pure.
#pragma once

#include <string>

#include "ui/style.h"
#include "world/doctor.h"
#include "world/init.h"

namespace capsule::ui {

std::string findings_text(const world::Findings& findings, const Style& style);
std::string findings_json(const world::Findings& findings);

// `option`: " --project-dir=…", where the commands to paste need it.
std::string steps_text(const world::InitSteps& steps, const std::string& option);
std::string steps_json(const world::InitSteps& steps, const std::string& root);

}  // namespace capsule::ui
