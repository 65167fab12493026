// The rules of a delivery, with a bug in them.
#pragma once

#include "tests/simulation/delivery.h"
#include "workflow/delivery/workflow.h"

namespace capsule::simulation {

struct DeliveryPlanted : delivery::Rules {
  static inline DeliveryBug bug = DeliveryBug::none;
  static inline Random* random = nullptr;  // of the run
  static Turn advance(State& state, std::vector<Fact> given,
                      const std::vector<workflow::Observation>& observations,
                      const std::string& at);
};

}  // namespace capsule::simulation
