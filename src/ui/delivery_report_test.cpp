#include "ui/delivery_report.h"

#include <gtest/gtest.h>

#include "event/delivery.h"

namespace capsule::ui {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about

// Every fact with a time of its own, a minute after the one before.
std::vector<event::Fact> timed(const std::vector<DeliveryFact>& facts) {
  std::vector<event::Fact> result;
  for (const DeliveryFact& fact : facts) {
    const std::string minute = std::to_string(10 + result.size());
    result.push_back({result.size() + 1, "run-1", std::string(event::delivery::kind_of(fact)),
                      "2026-01-31T12:" + minute + ":00.000Z", event::delivery::body_of(fact)});
  }
  return result;
}

TEST(DeliveryReport, NamesAgentsFindingsSkippedReviewsExpertsAndRemediationWithTheirDates) {
  DeliveryStarted started;
  started.plan = "/p/PLAN.md";
  started.title = "The plan";
  for (const char* id : {"T-1", "T-2"}) {
    Task task;
    task.id = id;
    task.title = "Title";
    started.tasks.push_back(task);
  }
  const auto agent = [](int number, signal::Role role, const char* task) {
    return AgentDispatched{number, role, task, 1, number, Why::fresh, "", ""};
  };
  const auto ended = [](int number, signal::Signal said, const char* label, const char* text) {
    AgentFinished f;
    f.agent = number;
    f.signal = said;
    f.fields = {{label, text}};
    f.log = "/p/.capsule/logs/run-1/" + std::to_string(number) + "-x|y.log";
    f.duration_ms = 61'000;
    return f;
  };
  const std::vector<event::Fact> facts = timed(
      {started, agent(1, signal::Role::developer, "T-1"),
       ended(1, signal::Signal::ready_for_review, "Summary", "done"),
       agent(2, signal::Role::critic, "T-1"),
       ended(2, signal::Signal::review_failed, "Issues Found", "- no greeting\n# Forged heading"),
       ReviewSkipped{"T-1"}, MergeRefused{"T-1", MergeRefusal::conflict, "in a.txt"},
       MergeDone{"T-1", "abc123", {"a.txt"}, false}, RemediationEntered{1, "T-2", "no tool"},
       agent(3, signal::Role::health_auditor, ""),
       ended(3, signal::Signal::health_unhealthy, "Failed Checks", "- y"),
       RemediationLeft{1, false}, ExpertRegistered{"colours", "developer", "which blue"},
       VerifyFinished{VerifyPurpose::baseline, {"lint"}, ""}});
  const std::string report = delivery_report({"/p/PLAN.md", "run-1", facts, {}, "/p"});
  for (const char* part :
       {"- Began: 2026-01-31 12:10:00 UTC\n", "- Not reviewed, since the critic timed out: T-1\n",
        "- Merges were checked by: nothing; no verify command is configured\n",
        "| 1 | developer | 1 | fresh | READY_FOR_REVIEW |  | 2026-01-31 12:11:00 UTC | 1m 01s | "
        "unknown | .capsule/logs/run-1/1-x\\|y.log |\n",
        "- 2026-01-31 12:14:00 UTC: critic (agent 2): REVIEW_FAILED\n  > Issues Found: - no "
        "greeting\n  > # Forged heading\n",
        "- 2026-01-31 12:15:00 UTC: review skipped", "not merged: conflict\n  > in a.txt\n",
        "merged as abc123", "\n## Remediation and health audits\n\n- Duration: ",
        "round 1 begins, for T-2\n  > no tool\n", "| 3 | health-auditor | 1 | fresh | ",
        "  > Failed Checks: - y\n", "round 1 ends: healthy", "\n## Experts\n\n",
        "colours, for developer: which blue", "baseline: failing: lint"})
    EXPECT_NE(report.find(part), report.npos) << part << "\nin\n" << report;
}

}  // namespace
}  // namespace capsule::ui
