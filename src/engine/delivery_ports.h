// What the delivery runner needs from the outside world, as small interfaces. The real ones start
// processes and call git; the simulation and the benchmark have others. Single-threaded: the runner
// calls one port at a time and keeps references, so ports must outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/ports.h"
#include "event/delivery.h"
#include "workflow/delivery/delivery.h"

namespace capsule::engine {

using event::delivery::DeliveryFact;

// The journal as the runner sees it: the facts of one delivery.
class DeliveryFacts {
 public:
  virtual ~DeliveryFacts() = default;
  // Ensures: when it returns, the facts survive a power loss, all or none of them.
  virtual Result<void> append(const std::vector<DeliveryFact>& facts) = 0;
  virtual Result<std::vector<DeliveryFact>> read() = 0;
};

// Carries the workflow's commands out. Nothing here waits but wait(): what a command leads to is
// an observation that wait() returns later. Every command may be given again after a crash.
class DeliveryWorld {
 public:
  virtual ~DeliveryWorld() = default;
  virtual void carry_out(const delivery::Command& command, const delivery::State& state) = 0;
  // Sleeps until something has happened, and returns all of it. Nothing: a person asked to stop.
  virtual Result<std::vector<DeliveryFact>> wait(const delivery::State& state) = 0;
  // Whether somebody is there to answer while nothing else can be done.
  virtual bool attended() = 0;
};

// Told of facts once they are recorded. Draws; decides nothing.
class DeliveryListener {
 public:
  virtual ~DeliveryListener() = default;
  virtual void on_facts(const std::vector<DeliveryFact>& facts, const delivery::State& after,
                        const std::string& at) = 0;
};

struct DeliveryPorts {
  Clock& clock;
  DeliveryFacts& log;
  DeliveryWorld& world;
  DeliveryListener& listener;
  Probe* probe = nullptr;
};

}  // namespace capsule::engine
