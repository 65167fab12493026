// What a command prints for programs: one JSON value on a line of its own.
#pragma once

#include "json/value.h"

namespace capsule::cli {

// To stdout, at once.
void print_json(const json::Value& value);

}  // namespace capsule::cli
