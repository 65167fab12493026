// What runs ask people, for people and for programs. Pure. Texts of agents are made harmless.
#pragma once

#include <string>
#include <vector>

#include "world/questions.h"

namespace capsule::ui {

std::string question_lines(const std::vector<world::OpenQuestion>& list);
std::string questions_json(const std::vector<world::OpenQuestion>& list);

}  // namespace capsule::ui
