// Inside the line dialect: which signals stand in a text, which of them decides, and what its body
// says. Shared by the parser and its explanation.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "signal/line.h"

namespace capsule::signal {

// A signal line.
struct Head {
  const Row* row = nullptr;
  std::string_view argument;
  std::size_t offset = 0;
  std::size_t end = 0;  // of its line, without the line feed
};

// What was seen of one signal.
struct Tally {
  Head first;
  bool several_ids = false;
};

struct Sightings {
  std::array<Tally, kSignalCount> tallies;
  // The distinct further arguments of the signals that may repeat.
  std::vector<Head> more_conflicts;
  std::vector<Head> more_experts;
  bool too_many = false;

  const std::vector<Head>& more(Signal signal) const {
    return signal == Signal::file_conflict ? more_conflicts : more_experts;
  }
};

Sightings look(std::string_view text);

struct Choice {
  const Tally* tally = nullptr;
  WhyUnknown why = WhyUnknown::no_signal;
};

// The one signal that decides, or why there is none: first the highest class, then contradictions
// in it, then who may say so.
Choice choose(const Sightings& seen, const LineOptions& options);

// Reads the bodies of signals; all bodies of one reader share the limit on their bytes.
class Bodies {
 public:
  Bodies(std::string_view text, std::vector<std::string>& warnings)
      : text_(text), warnings_(warnings) {}

  Fields read(const Head& head);

 private:
  void add(Fields& fields, std::string_view label, std::string_view raw);

  std::string_view text_;
  std::vector<std::string>& warnings_;
  std::size_t budget_ = kMaxFieldsBytes;
  bool warned_twice_ = false;
};

}  // namespace capsule::signal
