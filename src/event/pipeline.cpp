#include "event/pipeline.h"

#include <array>

#include "base/enum_count.h"
#include "event/common_codec.h"

namespace capsule::event {

CAPSULE_COMPILE(PipelineFact)

static Names names(Outcome) {
  static constexpr std::string_view kNames[] = {
      "none",        "merged",           "retries_exhausted", "converged",   "writer_needs_work",
      "phase_error", "merge_needs_work", "merge_refused",     "merge_error", "prep_failed",
      "interrupted", "paused",           "aborted",           "prepared",    "on_branch",
      "finished",    "rejected"};
  static_assert(std::size(kNames) == kOutcomes);
  static_assert(kOutcomes == enum_count<Outcome>());
  return kNames;
}
static Names names(Convergence) {
  static constexpr std::string_view kNames[] = {"stop", "warn", "off"};
  static_assert(std::size(kNames) == enum_count<Convergence>());
  return kNames;
}
static Names names(Finish) {
  static constexpr std::string_view kNames[] = {"merge", "branch", "nothing"};
  static_assert(std::size(kNames) == kFinishes);
  static_assert(kFinishes == enum_count<Finish>());
  return kNames;
}
std::string_view name_of(Finish finish) { return text_of(finish); }
static Names names(Session) {
  static constexpr std::string_view kNames[] = {"unsaid", "new", "resume"};
  static_assert(std::size(kNames) == kSessions);
  static_assert(kSessions == enum_count<Session>());
  return kNames;
}
std::string_view name_of(Session session) { return text_of(session); }
static Names names(AfterFault) {
  static constexpr std::string_view kNames[] = {"unsaid", "again", "end"};
  static_assert(std::size(kNames) == kAfterFaults);
  static_assert(kAfterFaults == enum_count<AfterFault>());
  return kNames;
}

// One list of members a fact serves both directions.
template <class V>
void members(V& v, Route& f) {
  v("to", f.to), v("then", f.then), v("limit", f.limit);
}
template <class V>
void members(V& v, PhaseRule& f) {
  v("name", f.name), v("prompt", f.prompt), v("provider", f.provider), v("model", f.model),
      v("timeout_seconds", f.timeout_seconds), v("writes", f.writes), v("edits", f.edits),
      v("writes_tests", f.writes_tests), v("signs_off", f.signs_off), v("commits", f.commits),
      v("approval", f.approval), v("clean", f.clean), v("group", f.group), v("any", f.any),
      v("stage", f.stage), v("needs", f.needs), v("checks", f.checks), v("pass", f.pass),
      v("needs_work", f.needs_work), v("error", f.error), v("session", f.session);
}
template <class V>
void members(V& v, Definition& f) {
  v("name", f.name), v("summary", f.summary), v("on_branch", f.on_branch), v("phases", f.phases),
      v("finish", f.finish), v("integrate", f.integrate);
}
template <class V>
void members(V& v, RunStarted& f) {
  v("bead", f.bead), v("title", f.title), v("provider", f.provider),
      v("max_retries", f.max_retries), v("convergence", f.convergence);
  v("definition", f.definition), v("branch", f.branch), v("request", f.request),
      v("red_allowed", f.red_allowed), v("integrate", f.integrate);
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
      v("provider", f.provider), v("model", f.model), v("by_hand", f.by_hand),
      v("session", f.session);
}
template <class V>
void members(V& v, PhaseFinished& f) {
  v("phase", f.phase), v("number", f.number), v("attempt", f.attempt), v("status", f.status),
      v("feedback", f.feedback), v("summary", f.summary), v("files_changed", f.files_changed),
      v("signal", f.signal), v("fault", f.fault), v("exit_code", f.exit_code), v("log", f.log),
      v("duration_ms", f.duration_ms), v("took_back", f.took_back), v("miss", f.miss),
      v("after_fault", f.after_fault);
}
template <class V>
void members(V& v, SnapshotTaken& f) {
  v("phase", f.phase), v("number", f.number), v("ref", f.ref), v("commit", f.commit),
      v("tree", f.tree), v("head", f.head);
}
template <class V>
void members(V& v, PhaseChecked& f) {
  v("phase", f.phase), v("number", f.number), v("passed", f.passed), v("feedback", f.feedback),
      v("claims", f.claims), v("runs", f.runs), v("guarded", f.guarded);
}
template <class V>
void members(V& v, BaselineChecked& f) {
  v("state", f.state), v("commit", f.commit), v("detail", f.detail), v("runs", f.runs);
}
template <class V>
void members(V& v, MergeIntended& f) {
  v("main_branch", f.main_branch), v("main_before", f.main_before);
}
template <class V>
void members(V& v, MergeDone& f) {
  v("commit", f.commit), v("adopted", f.adopted), v("onto", f.onto), v("runs", f.runs),
      v("evidence", f.evidence);
}
template <class V>
void members(V& v, MergeRefused& f) {
  v("why", f.why), v("detail", f.detail), v("main", f.main);
}
template <class V>
void members(V& v, ApprovalAsked& f) {
  v("phase", f.phase), v("number", f.number), v("question", f.question), v("about", f.about),
      v("files", f.files), v("detail", f.detail);
}
template <class V>
void members(V& v, MergeTried& f) {
  v("onto", f.onto), v("files", f.files), v("changed", f.changed), v("runs", f.runs);
}
template <class V>
void members(V& v, IntegrationChosen& f) {
  v("integrate", f.integrate);
}
template <class V>
void members(V& v, ApprovalGiven& f) {
  v("question", f.question), v("approved", f.approved), v("text", f.text), v("by", f.by);
}
template <class V>
void members(V& v, AnswerTakenBack& f) {
  v("question", f.question);
}
template <class V>
void members(V& v, RunArchived& f) {
  v("folder", f.folder);
}
template <class V>
void members(V&, WorktreeRemoved&) {}
template <class V>
void members(V&, BeadClosing&) {}
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
    "run_started",        "worktree_intended", "worktree_ready", "phase_started",
    "phase_finished",     "snapshot_taken",    "phase_checked",  "merge_intended",
    "merge_done",         "merge_refused",     "run_archived",   "worktree_removed",
    "bead_closed",        "run_ended",         "run_resumed",    "approval_asked",
    "approval_given",     "baseline_checked",  "ground_moved",   "merge_tried",
    "integration_chosen", "answer_taken_back", "bead_closing",
};

std::string_view name_of(Outcome outcome) { return text_of(outcome); }

std::string_view kind_of(const PipelineFact& fact) { return kKinds[fact.index()]; }
std::string body_of(const PipelineFact& fact) { return written(fact); }
Result<PipelineFact> read_fact(std::string_view kind, std::string_view body) {
  return read_written<PipelineFact>(kKinds, kind, body);
}

}  // namespace capsule::event
