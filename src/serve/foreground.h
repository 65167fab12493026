// The web face as a person starts it: in the foreground, with its address on stdout.
#pragma once

#include "base/result.h"
#include "serve/site.h"
#include "world/project.h"

namespace capsule::serve {

// Until SIGINT or SIGTERM. On a terminal each Enter prints another address. `open`: the page opens
// in the person's browser. Errors: those of Site::open().
Result<void> in_foreground(const world::Project& project, SiteOptions options, bool open);

}  // namespace capsule::serve
