// A database with journals, for people and for programs. Pure.
#pragma once

#include <string>

#include "world/journal.h"

namespace capsule::ui {

// What keeps this project from being worked on there, and what mends it; empty: nothing.
std::string missing_in(const world::Database& found);
std::string database_text(const world::Database& found);
std::string database_json(const world::Database& found);

}  // namespace capsule::ui
