// JSON as clients write it: a message that was cut off may end within a character. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "json/object.h"

namespace capsule::client {

// One object. Halves of surrogate pairs and bytes that are not UTF-8 are read as U+FFFD. nullopt:
// it is no object all the same.
std::optional<json::Object> lenient_object(std::string_view text);

}  // namespace capsule::client
