// The providers of a project for people and for programs. Pure; texts of clients are made harmless.
#pragma once

#include <string>
#include <vector>

#include "ui/style.h"
#include "world/provider_states.h"

namespace capsule::ui {

// `capsule agents`: a provider on a line, and below it why it is parked, who works and who waits.
std::string agents_table(const std::vector<world::ProviderState>& providers, const Style& style);
std::string agents_json(const std::vector<world::ProviderState>& providers);

// That somebody has lifted its parking, and what follows for the runs that waited.
std::string lifted_text(const world::ProviderState& state);

// "until 2026-01-31 23:59:59 UTC (a guess): a usage limit is reached"
std::string parking_words(const world::Parking& parking);

}  // namespace capsule::ui
