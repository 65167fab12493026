// What became of what agents said: by the trees when they ended, and by the checks when their work
// was to be merged.
#include <algorithm>

#include "base/text.h"
#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

// Whether a signal says that something is not as it should be, so that its fields say what.
bool raises(Signal signal) {
  switch (signal) {
    case Signal::review_failed:
    case Signal::audit_failed:
    case Signal::audit_blocked:
    case Signal::health_unhealthy:
    case Signal::task_incomplete:
    case Signal::infra_blocked:
      return true;
    default:
      return false;
  }
}

// Who said last that the task is ready: its work is what is merged.
AgentRecord* newest_developer(State& s, int task) {
  for (auto record = s.history.end(); record != s.history.begin();) {
    --record;
    if (record->task == task && record->role == Role::developer) return &*record;
  }
  return nullptr;
}

template <class History>
auto* numbered(History& history, int number) {
  const auto found = std::lower_bound(
      history.begin(), history.end(), number,
      [](const AgentRecord& record, int wanted) { return record.number < wanted; });
  return found == history.end() || found->number != number ? nullptr : &*found;
}

}  // namespace

AgentRecord* record_of(State& s, int number) { return numbered(s.history, number); }
const AgentRecord* record_of(const State& s, int number) { return numbered(s.history, number); }

void found_at_end(State&, AgentRecord& record, const AgentFinished& f) {
  if (f.fault == Fault::refuted) {
    record.checked = workflow::Finding::refused;
    record.found = f.detail;
  }
  if (f.fault == Fault::none && f.signal == Signal::unknown)
    record.why = signal::sentence({f.miss, f.missed_line});
  if (f.fault == Fault::none && raises(f.signal)) record.why = workflow::bounded_end(all_fields(f));
}

void found_at_merge(State& s, int task, const MergeDone& f) {
  s.checks_ms += workflow::time_of(f.runs);
  AgentRecord* record = newest_developer(s, task);
  if (record == nullptr || f.runs.empty()) return;
  record->checked = workflow::Finding::held;
  record->found = workflow::evidence_words(f.evidence);
}

void found_at_merge(State& s, int task, const MergeRefused& f) {
  AgentRecord* record = newest_developer(s, task);
  if (record == nullptr || f.why != MergeRefusal::verify_failed) return;
  record->checked = workflow::Finding::refused;
  record->found = "on the merged files: " + short_list(f.failed) + " fails";
  record->why = workflow::bounded_end(f.detail);
}

}  // namespace capsule::delivery
