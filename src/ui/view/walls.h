// The walls that a run had, in words. Pure.
#pragma once

#include <string>

#include "ui/view/view.h"

namespace capsule::view {

// "off" where somebody has worked and nobody had any; empty: nobody has worked yet.
std::string walls_words(const Run& run);

}  // namespace capsule::view
