// What happened to the services, budgets and messages of a run's agents, in lines for people: one
// wording for all workflows. Pure; texts of clients and people are made harmless.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "event/common.h"
#include "event/fact.h"

namespace capsule::ui {

// What an agent is called, by its number: "execute".
using AgentName = std::function<std::string(int agent)>;

// The lines that tell a fact of workflow/supply, each ended by a line feed; empty: it is not worth
// one, or none of these. Without a name an agent is "agent 3".
std::string supply_lines(const event::NewFact& fact, const AgentName& name = {});

// The beginning of what a person told, on a line.
std::string message_words(std::string_view text);

}  // namespace capsule::ui
