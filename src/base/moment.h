// Points in time as pure code needs them: told by the caller, never asked for. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace capsule {

// The seconds since 1970 of an ISO 8601 date and time in its extended form. Fractions are dropped;
// without a zone it is read as UTC. nullopt: it is not one.
std::optional<std::int64_t> seconds_of(std::string_view text);
// The same in milliseconds; further digits of the fraction are dropped.
std::optional<std::int64_t> milliseconds_of(std::string_view text);

}  // namespace capsule
