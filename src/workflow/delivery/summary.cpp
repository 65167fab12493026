#include <algorithm>

#include "base/enum_count.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery {

std::string_view name_of(Stage stage) {
  constexpr std::string_view kNames[] = {"blocked", "analysis", "development", "review", "audit",
                                         "merge",   "complete", "failed",      "removed"};
  static_assert(std::size(kNames) == enum_count<Stage>());
  return kNames[static_cast<std::size_t>(stage)];
}

std::string_view name_of(Hold hold) {
  constexpr std::string_view kNames[] = {"none", "person",     "expert",
                                         "file", "dependency", "remediation"};
  static_assert(std::size(kNames) == enum_count<Hold>());
  return kNames[static_cast<std::size_t>(hold)];
}

namespace {

using Step = Remediation::Step;

// Everything but agents that was commanded has been answered.
bool nothing_open(const State& s) {
  const Step step = s.remediation.step;
  return !stop_follows(s) && s.merging < 0 && s.prelude != State::Prelude::verifying &&
         step != Step::merging && step != Step::verifying && !tidying(s);
}

}  // namespace

bool waits_for_person(const State& s) {
  return s.started && s.outcome == Outcome::none && s.agents.empty() && nothing_open(s) &&
         s.prelude == State::Prelude::done && s.to_settle.empty() &&
         std::any_of(s.questions.begin(), s.questions.end(),
                     [](const Question& q) { return !q.closed; });
}

bool stopped(const State& s) {
  using workflow::Stop;
  if (!s.stop || s.outcome != Outcome::none || !s.agents.empty()) return false;
  // Whatever else is open when a person interrupts it is commanded again when it is taken up.
  return *s.stop == Stop::interrupted || (*s.stop == Stop::paused && nothing_open(s));
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
  if (!s.no_ground.empty()) return 2;
  const Summary summary = summary_of(s);
  return summary.failed.empty() && summary.waiting.empty() && unclosed(s).empty() ? 0 : 1;
}

std::vector<std::string> introduced(const State& s, const std::vector<std::string>& failures) {
  std::vector<std::string> fresh;
  for (const std::string& failure : failures)
    if (std::find(s.baseline.begin(), s.baseline.end(), failure) == s.baseline.end())
      fresh.push_back(failure);
  return fresh;
}

}  // namespace capsule::delivery
