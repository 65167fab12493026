// A workflow of phases before it runs, for people. Pure.
#pragma once

#include <string>

#include "event/pipeline.h"

namespace capsule::ui {

// `capsule workflow check`: its picture, and the most agent runs that it can cost.
std::string workflow_page(const event::Definition& definition, int max_retries);

}  // namespace capsule::ui
