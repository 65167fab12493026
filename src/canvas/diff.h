// From a canvas to what a terminal is sent. Pure.
#pragma once

#include <string>

#include "canvas/canvas.h"

namespace capsule::canvas {

// The bytes that turn a terminal that shows `before` into one that shows `after`; empty: there is
// nothing to change. Another size, or none at all, clears first and draws everything. One frame is
// one synchronized update, so nobody sees half of it. The terminal must not wrap lines (enter()
// sees to it); where its cursor is, does not matter.
std::string bytes_between(const Canvas& before, const Canvas& after);

// What a terminal is sent before the first frame, and what gives it back.
std::string_view enter();
std::string_view leave();

// Copies a text to the clipboard of whoever sits at the terminal (OSC 52).
std::string copy_bytes(std::string_view text);

}  // namespace capsule::canvas
