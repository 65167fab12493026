// A fact as the journal keeps it: what happened in a run, never edited. The typed vocabulary and
// its wire form stand beside this file; the journal itself looks only at the envelope. Pure values.
#pragma once

#include <cstdint>
#include <string>

namespace capsule::event {

struct NewFact {
  std::string kind;  // "phase_finished"
  std::string at;    // UTC, ISO 8601 with milliseconds and Z
  std::string body;  // compact JSON
  bool operator==(const NewFact&) const = default;
};

struct Fact {
  std::uint64_t seq = 0;  // grows within a run; its facts need not be consecutive
  std::string run;
  std::string kind;
  std::string at;
  std::string body;

  bool operator==(const Fact&) const = default;
};

}  // namespace capsule::event
