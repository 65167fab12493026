// Deliveries that the journal has of a plan: what they brought to main, and which one goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workflow/delivery/workflow.h"
#include "world/delivery_plan.h"

namespace capsule::world {

struct DeliveryRecord {
  std::string run;
  std::vector<event::delivery::DeliveryFact> facts;
  delivery::State state;
};

struct EarlierDeliveries {
  std::vector<std::string> completed;        // by runs before `unfinished`: not done again
  std::optional<DeliveryRecord> unfinished;  // to be gone on with
  bool retry = false;                        // it had ended: what failed in it is tried again
  std::optional<DeliveryRecord> ended;       // the newest of the others
};
// `tasks` are those that the plan has now; of a bead, those that are open.
Result<EarlierDeliveries> earlier_deliveries(engine::Records& store, const PlanSource& source,
                                             const std::vector<event::delivery::Task>& tasks);

// Takes `completed` out of a plan: the tasks, and that others wait for them.
void leave_out(std::vector<event::delivery::Task>& tasks,
               const std::vector<std::string>& completed);

// What is given to a delivery that goes on: that it does, and what has changed in its plan.
std::vector<event::delivery::DeliveryFact> facts_to_go_on(
    const DeliveryRecord& record, const std::vector<event::delivery::Task>& tasks,
    const event::delivery::DeliveryResumed& resumed);

}  // namespace capsule::world
