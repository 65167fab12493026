// What a delivery came to, for people: on the terminal at its end, and as a report that is kept.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "event/fact.h"
#include "ui/style.h"
#include "ui/view/view.h"

namespace capsule::ui {

// What a person reads at the end.
std::string delivery_summary(const view::Run& run, const Style& style);

struct DeliveryReport {
  std::string plan, run;
  const std::vector<event::Fact>& facts;  // all of the run
  std::vector<std::string> checks;  // that hold a merge up: "test: go test ./..."; empty: none
  std::string root;                 // of the project: paths below it are shown without it
};

// Markdown: per task every agent with its log, findings, merges, questions and dates; then
// remediation with its health audits, experts, and agents for the plan as a whole.
std::string delivery_report(const DeliveryReport& report);

}  // namespace capsule::ui
