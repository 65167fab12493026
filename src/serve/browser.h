// The browser of the user, for who asked for one.
#pragma once

#include <string>

#include "process/tree.h"

namespace capsule::serve {

// Has it open the address; a line on stdout where that fails within a few seconds. Nobody waits for
// it: it may be the browser itself, which asks for the page while it starts, and stays.
void open_browser(process::Loop& loop, const std::string& address);

}  // namespace capsule::serve
