// The ports of the runner. The real ones start processes and call git; the simulation and the
// benchmark have others. Single-threaded: the runner calls one port at a time and keeps references,
// so ports must outlive it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/fact.h"
#include "workflow/step.h"

namespace capsule::engine {

// Carries commands out. Nothing here waits but wait(): what a command leads to is an observation
// that wait() returns later.
class World {
 public:
  virtual ~World() = default;
  virtual void carry_out(const workflow::Command& command) = 0;
  // Sleeps until something has happened, and returns all of it; never nothing.
  virtual Result<std::vector<workflow::Observation>> wait() = 0;
  // What only workflow/supply wants to know before the first turn of a process: which providers are
  // parked, what was spent elsewhere. Told with that turn.
  virtual std::vector<workflow::Observation> standing() { return {}; }
  // Whether what the run stands on is still there: its files, its trees. Asked before facts are
  // recorded. An error stops the run, which counts as cut off.
  virtual Result<void> intact() { return {}; }
  // Whether somebody is there to answer while nothing else can be done.
  virtual bool attended() = 0;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::string utc_now() = 0;  // ISO 8601 with milliseconds and Z
};

// Told of facts once they are recorded. Draws, or writes files that follow the journal; decides
// nothing.
class Listener {
 public:
  virtual ~Listener() = default;
  // What was recorded before this process, once, before anything else.
  virtual void recall(const std::vector<event::Fact>& /*facts*/) {}
  virtual void on_facts(std::span<const event::NewFact> facts) = 0;
  // Nothing more can be recorded: the run stops here, and counts as cut off.
  virtual void on_cut_off(const Error& /*error*/) {}
};

// Told of every point between two effects, by name: a crash at any of them must do no harm, and
// tests kill the process there to show it.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void reached(std::string_view point) = 0;
};

}  // namespace capsule::engine
