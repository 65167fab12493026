// Runs the delivery workflow: what happened in the world goes to the workflow, what it decides is
// recorded, all of one step in one append, and only then carried out. A crash between any two of
// these is mended by replay() and resume().
#pragma once

#include "engine/delivery_ports.h"

namespace capsule::engine {

enum class DeliveryEnd {
  over,          // the plan has ended: state().outcome says how
  for_a_person,  // only an answer brings it on, and nobody is there to give one
  stopped,       // a person asked to stop; everything is kept
};

class DeliveryRunner {
 public:
  // Ports must outlive the runner.
  explicit DeliveryRunner(DeliveryPorts ports) : ports_(ports) {}

  // What the journal says of the delivery so far. Returns its facts.
  Result<std::vector<DeliveryFact>> replay();
  // Records the start of a new delivery. Requires: the log is empty.
  Result<void> start(const event::delivery::DeliveryStarted& started);
  // Takes it up again, with what has changed in the plan. Requires: replay().
  Result<void> resume(const event::delivery::DeliveryResumed& resumed,
                      const std::optional<event::delivery::PlanChanged>& changed);
  // Carries it on. Requires: start() or resume(). On an error nothing that was not recorded has
  // happened for the workflow: the delivery counts as cut off.
  Result<DeliveryEnd> carry_on();

  const delivery::State& state() const { return state_; }

 private:
  Result<void> step(const std::vector<DeliveryFact>& observations);
  void reached(std::string_view what, std::string_view name);

  DeliveryPorts ports_;
  delivery::State state_;
};

}  // namespace capsule::engine
