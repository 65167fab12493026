#include "world/provider_states.h"

#include <algorithm>
#include <map>
#include <set>

#include "agent/clients.h"
#include "base/moment.h"
#include "workflow/supply/state.h"
#include "world/programs.h"
#include "world/providers.h"
#include "world/runs.h"
#include "world/spending.h"
#include "world/wall_clock.h"
#include "world/workflows.h"

namespace capsule::world {
namespace {

using States = std::map<std::string, ProviderState, std::less<>>;

ProviderState& state_named(States& states, const std::string& name) {
  ProviderState& state = states[name];
  state.name = name;
  return state;
}

void find_programs(const Project& project, States& states) {
  for (auto& [name, state] : states) {
    // One that lacks a setting has its program all the same.
    const auto provider = provider_named(project, name, "", "");
    if (provider)
      state.program = provider->argv.front();
    else if (agent::client_named(name) != nullptr)
      state.program = name;
    state.found = !state.program.empty() && on_path(state.program);
  }
}

// What the run itself knows of its providers.
struct Supplied {
  supply::State state;
  std::int64_t heard = 0;  // seconds since 1970, when it recorded something last
};
Result<Supplied> supplied_to(engine::Records& store, const std::string& run) {
  Supplied supplied;
  const std::vector<event::Fact> facts = TRY(store.read(run, 0));
  for (const event::Fact& fact : facts)
    if (event::supply::is_supply(fact.kind))
      if (const auto read = event::supply::read_fact(fact.kind, fact.body))
        supply::apply(supplied.state, *read);
  if (!facts.empty()) supplied.heard = seconds_of(facts.back().at).value_or(0);
  return supplied;
}

void count_agent(std::vector<AgentsOfRun>& list, const Run& run) {
  if (list.empty() || list.back().run != run.head.run)
    list.push_back({run.head.run, word_for(run), 0});
  ++list.back().count;
}

// Where and when it is looked.
struct Look {
  const Project& project;
  const std::string& parkings;
  std::int64_t now = 0;
};

void look_at_run(const Look& look, const Run& run, const Supplied& known, States& states) {
  const supply::State& supplied = known.state;
  for (const auto& [provider, parking] : supplied.parked) {
    if (parking.until != 0 && parking.until <= look.now) continue;
    // It will hear of that when it is started again.
    if (!run.live() && lifted_at(look.parkings, provider) >= known.heard) continue;
    ParkedRun one{run.head.run, word_for(run), {}, run.live(), {}};
    one.parking = {provider, parking.until, parking.guessed, parking.fault, parking.words, 0};
    if (!run.live()) one.go_on = go_on_command(look.project, run);
    state_named(states, provider).parked_in.push_back(std::move(one));
  }
  if (!run.live()) return;
  for (const workflow::AgentSummary& agent : run.summary.agents) {
    if (!agent.running) continue;
    const auto record = supplied.agents.find(agent.number);
    const bool held = record != supplied.agents.end() && record->second.hold != supply::Hold::none;
    const std::string& provider = held                     ? record->second.held_by
                                  : agent.provider.empty() ? run.summary.provider
                                                           : agent.provider;
    if (provider.empty()) continue;
    ProviderState& state = state_named(states, provider);
    count_agent(held ? state.waiting : state.running, run);
  }
}

Result<void> look_at_runs(const Look& look, engine::Records& store, States& states) {
  const std::string today = local_day(look.now);
  for (const Run& run : TRY(newest_runs(store))) {
    if (engine::state_of(run) == engine::RunState::ended && !run.live()) continue;
    const auto supplied = supplied_to(store, run.head.run);
    if (supplied) look_at_run(look, run, *supplied, states);
  }
  // Days are the machine's, times those of UTC: what ended two days ago has no part in this one.
  const std::string since = local_day(look.now - std::int64_t{2} * 86'400);
  for (const Call& call : TRY(calls_of(store, since)))
    if (call.used.day == today && !call.used.provider.empty())
      add_call(state_named(states, call.used.provider).today, call.used);
  return {};
}

}  // namespace

std::set<std::string> configured_providers(const Project& project) {
  const config::Config& config = project.config;
  std::set<std::string> names{config.provider};
  const auto add = [&](const std::vector<config::Fallback>& fallbacks) {
    for (const config::Fallback& one : fallbacks) names.insert(one.provider);
  };
  add(config.fallbacks);
  for (const auto& [name, row] : config.providers) names.insert(name);
  for (const auto& [name, phase] : config.phases) {
    names.insert(phase.provider);
    if (phase.fallbacks) add(*phase.fallbacks);
  }
  for (const auto& [name, role] : config.roles) {
    names.insert(role.provider);
    if (role.fallbacks) add(*role.fallbacks);
  }
  // A workflow that cannot be read is told by whoever runs it.
  for (const std::string& workflow : workflow_names(project))
    if (const auto definition = find_workflow(project, workflow))
      for (const event::PhaseRule& rule : definition->phases) names.insert(rule.provider);
  names.erase("");
  return names;
}

Result<std::vector<ProviderState>> provider_states(const Project& project, engine::Records* store,
                                                   const std::string& parkings, std::int64_t now) {
  States states;
  for (const std::string& name : configured_providers(project))
    state_named(states, name).configured = true;
  for (const agent::Client& client : agent::clients())
    if (on_path(client.name)) state_named(states, std::string(client.name));
  for (Parking& parking : read_parkings(parkings, now))
    state_named(states, parking.provider).machine = std::move(parking);
  if (store != nullptr) TRY_VOID(look_at_runs({project, parkings, now}, *store, states));
  find_programs(project, states);
  std::vector<ProviderState> all;
  for (auto& [name, state] : states) all.push_back(std::move(state));
  return all;
}

}  // namespace capsule::world
