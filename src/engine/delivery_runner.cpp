#include "engine/delivery_runner.h"

namespace capsule::engine {
namespace {

std::string_view name_of(const delivery::Command& command) {
  constexpr std::string_view kNames[] = {"start_agent", "end_agent",  "merge",
                                         "run_verify",  "ask_person", "set_timer"};
  static_assert(std::size(kNames) == std::variant_size_v<delivery::Command>);
  return kNames[command.index()];
}

}  // namespace

void DeliveryRunner::reached(std::string_view what, std::string_view name) {
  if (ports_.probe != nullptr) ports_.probe->reached(std::string(what) + " " + std::string(name));
}

Result<std::vector<DeliveryFact>> DeliveryRunner::replay() {
  state_ = {};
  std::vector<DeliveryFact> facts = TRY(ports_.log.read());
  for (const DeliveryFact& fact : facts) delivery::apply(state_, fact);
  return facts;
}

// Journal first, then effects.
Result<void> DeliveryRunner::step(const std::vector<DeliveryFact>& observations) {
  const delivery::Turn turn = delivery::advance(state_, observations);
  if (!turn.facts.empty()) {
    TRY_VOID(ports_.log.append(turn.facts));
    ports_.listener.on_facts(turn.facts, state_, ports_.clock.utc_now());
    for (const DeliveryFact& fact : turn.facts) reached("recorded", event::delivery::kind_of(fact));
  }
  for (const delivery::Command& command : turn.commands) {
    ports_.world.carry_out(command, state_);
    reached("done", name_of(command));
  }
  return {};
}

Result<void> DeliveryRunner::start(const event::delivery::DeliveryStarted& started) {
  return step({started});
}

Result<void> DeliveryRunner::resume(const event::delivery::DeliveryResumed& resumed,
                                    const std::optional<event::delivery::PlanChanged>& changed) {
  std::vector<DeliveryFact> observations{resumed};
  if (changed) observations.emplace_back(*changed);
  return step(observations);
}

Result<DeliveryEnd> DeliveryRunner::carry_on() {
  while (state_.outcome == event::delivery::Outcome::none) {
    if (delivery::waits_for_person(state_) && !ports_.world.attended())
      return DeliveryEnd::for_a_person;
    const std::vector<DeliveryFact> observations = TRY(ports_.world.wait(state_));
    if (observations.empty()) return DeliveryEnd::stopped;
    TRY_VOID(step(observations));
  }
  return DeliveryEnd::over;
}

}  // namespace capsule::engine
