// What a run of an agent came to, before its words are read: whose fault it was that there are
// none, if it was anybody's. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "agent/ending.h"
#include "dialect/event.h"
#include "dialect/fault.h"
#include "event/common.h"

namespace capsule::agent {

struct Outcome {
  event::Fault fault{};
  std::string detail;         // for people, after "the agent"; empty: there is no fault
  std::string words;          // the client's own last line about it; bounded, printable
  std::int64_t reset_at = 0;  // usage_limit: when it ends, in seconds since 1970; 0: not said
};

// In this order: our clock or kill, a failure that the client told, its exit status with what it
// printed last, a closing event that is missing, no words at all. An exit status by itself decides
// nothing about the service.
Outcome outcome_of(const Ending& ending, const dialect::Reading& reading, dialect::Moment moment);

}  // namespace capsule::agent
