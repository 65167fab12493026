// Which plan a command means, a Markdown file or a bead with what is below it, and what the
// configuration says of its delivery.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/journal.h"
#include "event/delivery.h"
#include "plan/plan.h"
#include "workflow/supply/policy.h"
#include "world/project.h"

namespace capsule::world {

struct PlanSource {
  std::string subject;  // in the journal: the file's real path, or "delivery:<bead>"
  std::string named;    // as the caller wrote it
  std::string bead;     // empty: a file
};

// Error not_found: neither a file nor, where a bead may be meant, a bead's id.
Result<PlanSource> find_plan(const std::string& word);

// Reads and checks it. Errors: io, refused (too large), those of the tracker.
Result<plan::Checked> load_plan(const Project& project, const PlanSource& source);

// What the deliveries of a project came to, the newest twenty; `store` may be null: none. Runs that
// cannot be read are left out. Costs that no client told are made from its tokens by the prices of
// `policy`, where it has some.
plan::Experience experience_of(engine::Records* store, const supply::Policy& policy = {});

// The commands that hold a merge up, for people: "test: go test ./...".
std::vector<std::string> checks_of(const config::Config& config);
// Who works in each role, as it is configured now. Errors: of the configuration of a provider.
Result<std::vector<event::delivery::RoleAgent>> agents_of(const Project& project);

event::delivery::Limits limits_of(const config::Config& config);
event::delivery::Slots slots_of(const config::Config& config);
// What a run of each role costs: as configured, by experience, or assumed from prices of tokens.
plan::RunPrices run_prices(const config::Config& config, const supply::Policy& policy,
                           const plan::Experience& experience);

}  // namespace capsule::world
