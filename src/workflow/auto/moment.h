// Points in time as the auto workflow needs them: told by the caller, never asked for. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/moment.h"

namespace capsule::auto_mode {

struct Moment {
  std::string text;          // ISO 8601, as it is written into files
  std::int64_t seconds = 0;  // since 1970 in UTC
};

using capsule::seconds_of;

}  // namespace capsule::auto_mode
