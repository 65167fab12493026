// Points in time as the auto workflow needs them: told by the caller, never asked for. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace capsule::auto_mode {

struct Moment {
  std::string text;          // ISO 8601, as it is written into files
  std::int64_t seconds = 0;  // since 1970 in UTC
};

// The seconds since 1970 of an ISO 8601 date and time in its extended form. Fractions are dropped;
// without a zone it is read as UTC. nullopt: it is not one.
std::optional<std::int64_t> seconds_of(std::string_view text);

}  // namespace capsule::auto_mode
