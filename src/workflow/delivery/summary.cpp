#include <algorithm>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {

std::string_view name_of(Stage stage) {
  constexpr std::string_view kNames[] = {"blocked", "analysis", "development", "review", "audit",
                                         "merge",   "complete", "failed",      "removed"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::string_view name_of(Hold hold) {
  constexpr std::string_view kNames[] = {"none", "person",     "expert",
                                         "file", "dependency", "remediation"};
  return kNames[static_cast<std::size_t>(hold)];
}

bool waits_for_person(const State& s) {
  return s.started && s.outcome == Outcome::none && s.agents.empty() && s.merging < 0 &&
         s.prelude == State::Prelude::done && s.remediation.step != Remediation::Step::verifying &&
         std::any_of(s.questions.begin(), s.questions.end(),
                     [](const Question& q) { return !q.closed; });
}

Summary summary_of(const State& s) {
  Summary summary;
  for (const TaskState& t : s.tasks) {
    if (t.stage == Stage::complete) {
      summary.completed.push_back(t.task.id);
    } else if (t.stage == Stage::failed) {
      summary.failed.push_back(t.task.id);
    } else if (t.stage != Stage::removed) {
      summary.waiting.push_back(t.task.id);
    }
  }
  return summary;
}

int exit_code(const State& s) {
  const Summary summary = summary_of(s);
  return summary.failed.empty() && summary.waiting.empty() ? 0 : 1;
}

std::vector<std::string> introduced(const State& s, const std::vector<std::string>& failures) {
  std::vector<std::string> fresh;
  for (const std::string& failure : failures)
    if (std::find(s.baseline.begin(), s.baseline.end(), failure) == s.baseline.end())
      fresh.push_back(failure);
  return fresh;
}

}  // namespace capsule::delivery
