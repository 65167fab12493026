// Budgets that some agents can never reach, because nobody tells what they used. Reads the
// configuration only; pure.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace capsule::world {

struct UntoldBudget {
  std::string text;       // a sentence for people, without its full stop
  std::string mend = {};  // empty: nothing helps
};

// For each budget of money or tokens that is set, who of those that are configured, fallbacks too,
// does not count towards it.
std::vector<UntoldBudget> untold_budgets(const config::Config& config);

}  // namespace capsule::world
