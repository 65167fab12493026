// A canvas as a picture, for pages that show a screen. Pure.
#pragma once

#include <string>

#include "canvas/canvas.h"

namespace capsule::canvas {

// One SVG with a dark ground, text as text, nothing from elsewhere. `title` is for readers of
// screens.
std::string svg_of(const Canvas& canvas, std::string_view title);

}  // namespace capsule::canvas
