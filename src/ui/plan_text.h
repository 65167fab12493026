// A checked plan, for people and for programs. Pure. Every text of a plan is made harmless.
#pragma once

#include <string>

#include "plan/plan.h"

namespace capsule::ui {

// "PLAN.md:12: error: …", a line each; `named` is the plan as the caller wrote it.
std::string plan_problems(const std::string& named, const plan::Checked& checked);

// What it takes: probably, and at most.
struct Costs {
  plan::Likely likely = {};
  plan::Bound bound = {};
  plan::RunPrices prices = {};  // that both were made with
};

// Waves, critical path and costs of a plan without errors.
std::string plan_page(const plan::Plan& plan, const plan::Schedule& schedule, const Costs& costs);

// One line of JSON. Of a plan with errors only these count.
std::string plan_json(const plan::Checked& checked, const plan::Schedule& schedule,
                      const Costs& costs);

}  // namespace capsule::ui
