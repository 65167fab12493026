#include "engine/runner.h"

namespace capsule::engine {

void Runner::reached(std::string_view what, std::string_view name) {
  if (ports_.probe != nullptr) ports_.probe->reached(std::string(what) + " " + std::string(name));
}

Result<bool> Runner::replay() {
  const std::vector<event::Fact> facts = TRY(ports_.log.read());
  for (const event::Fact& fact : facts) TRY_VOID(workflow_.apply(fact));
  return !facts.empty();
}

Result<void> Runner::take(const Turn& turn) {
  auto recorded = ports_.world.intact();
  if (recorded) recorded = ports_.log.append(turn.facts, turn.ending);
  if (!recorded) {
    ports_.listener.on_cut_off(recorded.error());
    return recorded;
  }
  if (!turn.facts.empty()) {
    for (const event::NewFact& fact : turn.facts) reached("recorded", fact.kind);
    ports_.listener.on_facts(turn.facts);
  }
  for (const workflow::Command& command : turn.commands) {
    ports_.world.carry_out(command);
    reached("done", name_of(command));
  }
  return {};
}

Result<void> Runner::observe(std::vector<workflow::Observation> observations) {
  for (const workflow::Observation& observation : observations)
    reached("observed", name_of(observation));
  return take(workflow_.advance(std::move(observations), ports_.clock.utc_now()));
}

Result<void> Runner::take_up() {
  std::vector<workflow::Observation> first = ports_.world.standing();
  first.emplace_back(workflow::TakenUp{});
  return observe(std::move(first));
}

Result<End> Runner::carry_on() {
  while (!workflow_.ended()) {
    if (workflow_.stopped()) return End::stopped;
    if (workflow_.waits_for_person() && !ports_.world.attended()) return End::for_a_person;
    TRY_VOID(observe(TRY(ports_.world.wait())));
  }
  return End::over;
}

}  // namespace capsule::engine
