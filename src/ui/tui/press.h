// What a key does. Pure: it gives where the person is then, and what is wanted of the world.
#pragma once

#include <optional>

#include "canvas/keys.h"
#include "ui/tui/focus.h"

namespace capsule::tui {

struct Step {
  Focus focus;
  std::optional<Effect> effect = {};
};
Step press(Focus focus, const canvas::Key& key, const Shown& shown, int columns, int rows);

}  // namespace capsule::tui
