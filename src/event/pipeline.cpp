#include "event/pipeline.h"

#include <array>

#include "event/codec.h"

namespace capsule::event {

static Names names(Phase) {
  static constexpr std::string_view kNames[] = {"test-writer",    "test-review", "execute",
                                                "execute-review", "sign-off",    "merge"};
  return kNames;
}
static Names names(PhaseFault) {
  static constexpr std::string_view kNames[] = {
      "none", "no_signal", "exit_status", "timed_out", "not_started", "interrupted", "lost"};
  return kNames;
}
static Names names(Outcome) {
  static constexpr std::string_view kNames[] = {
      "none",        "merged",           "retries_exhausted", "converged",   "writer_needs_work",
      "phase_error", "merge_needs_work", "merge_refused",     "merge_error", "prep_failed",
      "interrupted", "paused",           "aborted",           "prepared"};
  return kNames;
}
static Names names(MergeRefusal) {
  static constexpr std::string_view kNames[] = {
      "no_sign_off",         "nothing_to_merge", "conflict",    "foreign_commits",
      "checkout_in_the_way", "verify_failed",    "work_missing"};
  return kNames;
}

// One list of members a fact serves both directions.
template <class V>
void members(V& v, RunStarted& f) {
  v("bead", f.bead), v("title", f.title), v("provider", f.provider),
      v("max_retries", f.max_retries), v("convergence", f.convergence);
}
template <class V>
void members(V& v, WorktreeIntended& f) {
  v("worktree", f.worktree), v("branch", f.branch), v("base", f.base);
}
template <class V>
void members(V& v, WorktreeReady& f) {
  v("worktree", f.worktree), v("branch", f.branch), v("base", f.base);
}
template <class V>
void members(V& v, PhaseStarted& f) {
  v("phase", f.phase), v("number", f.number), v("attempt", f.attempt), v("feedback", f.feedback),
      v("provider", f.provider), v("model", f.model), v("by_hand", f.by_hand);
}
template <class V>
void members(V& v, PhaseFinished& f) {
  v("phase", f.phase), v("number", f.number), v("attempt", f.attempt), v("status", f.status),
      v("feedback", f.feedback), v("summary", f.summary), v("files_changed", f.files_changed),
      v("signal", f.signal), v("fault", f.fault), v("exit_code", f.exit_code), v("log", f.log),
      v("duration_ms", f.duration_ms);
}
template <class V>
void members(V& v, SnapshotTaken& f) {
  v("phase", f.phase), v("number", f.number), v("ref", f.ref), v("commit", f.commit),
      v("tree", f.tree), v("head", f.head);
}
template <class V>
void members(V& v, PhaseChecked& f) {
  v("phase", f.phase), v("number", f.number), v("passed", f.passed), v("feedback", f.feedback),
      v("claims", f.claims);
}
template <class V>
void members(V& v, Claim& f) {
  v("what", f.what), v("verdict", f.verdict), v("detail", f.detail);
}
template <class V>
void members(V& v, MergeIntended& f) {
  v("main_branch", f.main_branch), v("main_before", f.main_before);
}
template <class V>
void members(V& v, MergeDone& f) {
  v("commit", f.commit), v("adopted", f.adopted);
}
template <class V>
void members(V& v, MergeRefused& f) {
  v("why", f.why), v("detail", f.detail);
}
template <class V>
void members(V& v, RunArchived& f) {
  v("folder", f.folder);
}
template <class V>
void members(V&, WorktreeRemoved&) {}
template <class V>
void members(V&, BeadClosed&) {}
template <class V>
void members(V& v, RunEnded& f) {
  v("outcome", f.outcome), v("detail", f.detail);
}
template <class V>
void members(V& v, RunResumed& f) {
  v("max_retries", f.max_retries), v("at_merge", f.at_merge);
}

static constexpr std::string_view kKinds[] = {
    "run_started",    "worktree_intended", "worktree_ready", "phase_started", "phase_finished",
    "snapshot_taken", "phase_checked",     "merge_intended", "merge_done",    "merge_refused",
    "run_archived",   "worktree_removed",  "bead_closed",    "run_ended",     "run_resumed",
};

std::string_view name_of(Phase phase) { return text_of(phase); }
std::string_view name_of(Outcome outcome) { return text_of(outcome); }

std::optional<Phase> phase_named(std::string_view name) {
  Phase phase{};
  return find_value(name, phase) ? std::optional(phase) : std::nullopt;
}

std::string_view kind_of(const PipelineFact& fact) { return kKinds[fact.index()]; }
std::string body_of(const PipelineFact& fact) { return written(fact); }
Result<PipelineFact> read_fact(std::string_view kind, std::string_view body) {
  return read_written<PipelineFact>(kKinds, kind, body);
}

}  // namespace capsule::event
