#include "event/delivery.h"

#include <algorithm>

#include "base/enum_count.h"
#include "event/common_codec.h"

namespace capsule::event::delivery {

CAPSULE_COMPILE(DeliveryFact)

// The names of enumerators, in their order.
static constexpr std::string_view kFailureKindNames[] = {"review",     "audit",   "claims",
                                                         "incomplete", "blocked", "merge",
                                                         "unknown",    "restart", "questions"};
static constexpr std::string_view kWhyNames[] = {
    "fresh",     "review_failed", "audit_failed",   "merge_failed",       "refuted",
    "restarted", "signal_failed", "signal_request", "checkpoint_request", "answered",
    "advised",   "file_free",     "coordinated",    "dependency_done",    "remediated",
    "taken_up",  "retried",       "not_approved"};
static constexpr std::string_view kQuestionKindNames[] = {"clarification",  "missing_information",
                                                          "low_confidence", "expert",
                                                          "file_wait",      "remediation",
                                                          "removed_task",   "merge",
                                                          "main_moved",     "approval",
                                                          "guard",          "main_red"};
static constexpr std::string_view kVerifyPurposeNames[] = {"baseline", "health"};
static constexpr std::string_view kOutcomeNames[] = {"none", "complete", "incomplete", "halted"};
static constexpr std::string_view kFailCauseNames[] = {"limit", "dependency", "removed"};

static_assert(std::size(kFailureKindNames) == kFailureKinds);
static_assert(kFailureKinds == enum_count<FailureKind>());
static_assert(std::size(kWhyNames) == enum_count<Why>());
static_assert(std::size(kQuestionKindNames) == enum_count<QuestionKind>());
static_assert(std::size(kVerifyPurposeNames) == enum_count<VerifyPurpose>());
static_assert(std::size(kOutcomeNames) == enum_count<Outcome>());
static_assert(std::size(kFailCauseNames) == enum_count<FailCause>());

static constexpr Names names(FailureKind) { return kFailureKindNames; }
static constexpr Names names(Why) { return kWhyNames; }
static constexpr Names names(QuestionKind) { return kQuestionKindNames; }
static constexpr Names names(VerifyPurpose) { return kVerifyPurposeNames; }
static constexpr Names names(Outcome) { return kOutcomeNames; }
static constexpr Names names(FailCause) { return kFailCauseNames; }

// One list of members a fact serves both directions.
template <class V>
void members(V& v, Limits& f) {
  v("task_failures", f.task_failures), v("unknown_redispatches", f.unknown_redispatches),
      v("signal_requests", f.signal_requests), v("restarts", f.restarts),
      v("critic_timeouts", f.critic_timeouts), v("expert_requests", f.expert_requests),
      v("questions", f.questions), v("merge_rework", f.merge_rework), v("file_waits", f.file_waits),
      v("remediation_attempts", f.remediation_attempts);
}
template <class V>
void members(V& v, Slots& f) {
  v("developers", f.developers), v("critics", f.critics), v("auditors", f.auditors);
}
template <class V>
void members(V& v, Task& f) {
  v("id", f.id), v("title", f.title), v("phase", f.phase), v("work", f.work),
      v("criteria", f.criteria), v("blocked_by", f.blocked_by), v("reading", f.reading),
      v("files", f.files), v("predicted", f.predicted), v("environment", f.environment),
      v("unclear", f.unclear), v("line", f.line);
}
template <class V>
void members(V& v, Field& f) {
  v("label", f.label), v("text", f.text);
}
template <class V>
void members(V& v, RoleAgent& f) {
  v("role", f.role), v("provider", f.provider), v("model", f.model);
}
template <class V>
void members(V& v, DeliveryStarted& f) {
  v("plan", f.plan), v("title", f.title), v("overview", f.overview), v("provider", f.provider),
      v("tasks", f.tasks), v("slots", f.slots), v("limits", f.limits), v("experts", f.experts),
      v("known_experts", f.known_experts), v("tracked", f.tracked), v("red_allowed", f.red_allowed),
      v("agents", f.agents), v("integrate", f.integrate), v("branch", f.branch),
      v("attended", f.attended);
}
template <class V>
void members(V& v, DeliveryResumed& f) {
  v("slots", f.slots), v("limits", f.limits), v("retry_failed", f.retry_failed),
      v("tracked", f.tracked), v("red_allowed", f.red_allowed), v("agents", f.agents),
      v("integrate", f.integrate), v("attended", f.attended);
}
template <class V>
void members(V& v, PlanChanged& f) {
  v("added", f.added), v("changed", f.changed), v("removed", f.removed);
}
template <class V>
void members(V& v, AgentFinished& f) {
  v("agent", f.agent), v("signal", f.signal), v("argument", f.argument), v("more", f.more),
      v("fields", f.fields), v("preview", f.preview), v("fault", f.fault), v("detail", f.detail),
      v("snapshot", f.snapshot), v("wrote", f.wrote), v("duration_ms", f.duration_ms),
      v("cost_micros", f.cost_micros), v("exit_code", f.exit_code), v("log", f.log),
      v("miss", f.miss), v("missed_line", f.missed_line);
}
template <class V>
void members(V& v, AgentIdle& f) {
  v("agent", f.agent);
}
template <class V>
void members(V& v, MergeDone& f) {
  v("task", f.task), v("commit", f.commit), v("files", f.files), v("adopted", f.adopted),
      v("nothing", f.nothing), v("runs", f.runs), v("claims", f.claims), v("evidence", f.evidence);
}
template <class V>
void members(V& v, MergeRefused& f) {
  v("task", f.task), v("why", f.why), v("detail", f.detail), v("guarded", f.guarded),
      v("guard_stat", f.guard_stat), v("asks", f.asks), v("failed", f.failed), v("main", f.main);
}
template <class V>
void members(V& v, MergeTried& f) {
  v("task", f.task), v("folder", f.folder), v("onto", f.onto), v("files", f.files),
      v("changed", f.changed), v("runs", f.runs);
}
template <class V>
void members(V& v, VerifyFinished& f) {
  v("purpose", f.purpose), v("failures", f.failures), v("detail", f.detail), v("state", f.state),
      v("runs", f.runs);
}
template <class V>
void members(V& v, QuestionAnswered& f) {
  v("question", f.question), v("text", f.text), v("by", f.by);
}
template <class V>
void members(V& v, AnswerTakenBack& f) {
  v("question", f.question);
}
template <class V>
void members(V& v, FileWaitExpired& f) {
  v("task", f.task), v("wait", f.wait);
}
template <class V>
void members(V& v, AgentDispatched& f) {
  v("agent", f.agent), v("role", f.role), v("task", f.task), v("attempt", f.attempt),
      v("session", f.session), v("why", f.why), v("expert", f.expert), v("request", f.request);
}
template <class V>
void members(V& v, MergeIntended& f) {
  v("task", f.task);
}
template <class V>
void members(V& v, VerifyStarted& f) {
  v("purpose", f.purpose);
}
template <class V>
void members(V& v, QuestionAsked& f) {
  v("question", f.question), v("kind", f.kind), v("task", f.task), v("agent", f.agent),
      v("text", f.text), v("context", f.context), v("options", f.options);
}
template <class V>
void members(V& v, FileWaitStarted& f) {
  v("task", f.task), v("file", f.file), v("holder", f.holder), v("wait", f.wait);
}
template <class V>
void members(V& v, AgentEnded& f) {
  v("agent", f.agent);
}
template <class V>
void members(V& v, DeliveryEnded& f) {
  v("outcome", f.outcome);
}
template <class V>
void members(V& v, TaskCompleted& f) {
  v("task", f.task), v("commit", f.commit);
}
template <class V>
void members(V& v, TaskFailed& f) {
  v("task", f.task), v("cause", f.cause), v("kind", f.kind), v("blocker", f.blocker),
      v("detail", f.detail);
}
template <class V>
void members(V& v, TaskReworked& f) {
  v("task", f.task), v("kind", f.kind), v("times", f.times);
}
template <class V>
void members(V& v, ReviewSkipped& f) {
  v("task", f.task);
}
template <class V>
void members(V& v, TaskExpanded& f) {
  v("task", f.task), v("confidence", f.confidence);
}
template <class V>
void members(V& v, UnknownSignalRecovery& f) {
  v("task_id", f.task_id), v("agent_id", f.agent_id), v("attempt", f.attempt), v("level", f.level),
      v("output_preview", f.output_preview);
}
template <class V>
void members(V& v, AgentSignalFailure& f) {
  v("task_id", f.task_id), v("agent_id", f.agent_id), v("reason", f.reason);
}
template <class V>
void members(V& v, CheckpointReceived& f) {
  v("task", f.task), v("agent", f.agent), v("progress", f.progress), v("activity", f.activity),
      v("blockers", f.blockers);
}
template <class V>
void members(V& v, RemediationEntered& f) {
  v("round", f.round), v("task", f.task), v("issue", f.issue);
}
template <class V>
void members(V& v, RemediationLeft& f) {
  v("round", f.round), v("overridden", f.overridden);
}
template <class V>
void members(V& v, ExpertDelegated& f) {
  v("expert", f.expert), v("task", f.task), v("request", f.request), v("asker", f.asker);
}
template <class V>
void members(V& v, ExpertRegistered& f) {
  v("expert", f.expert), v("supports", f.supports), v("gap", f.gap);
}
template <class V>
void members(V& v, FileCoordinated& f) {
  v("task", f.task), v("file", f.file), v("holder", f.holder);
}
template <class V>
void members(V& v, TaskClosing& f) {
  v("task", f.task);
}
template <class V>
void members(V& v, TaskClosed& f) {
  v("task", f.task);
}
template <class V>
void members(V& v, TaskCloseFailed& f) {
  v("task", f.task), v("detail", f.detail);
}
template <class V>
void members(V& v, TreeRemoved& f) {
  v("tree", f.tree);
}
template <class V>
void members(V& v, TreeRemoveFailed& f) {
  v("tree", f.tree), v("detail", f.detail);
}
template <class V>
void members(V& v, TreeSettled& f) {
  v("tree", f.tree), v("took_back", f.took_back), v("detail", f.detail);
}
template <class V>
void members(V& v, MainMoved& f) {
  v("tree", f.tree);
}
template <class V>
void members(V& v, RepairIntended& f) {
  v("round", f.round);
}
template <class V>
void members(V& v, RepairDone& f) {
  v("round", f.round), v("commit", f.commit), v("files", f.files), v("adopted", f.adopted);
}

// "task_" parts the merges of a delivery from those of a pipeline, which share the journal.
template <class V>
void members(V&, DeliveryPaused&) {}

static constexpr std::string_view kKinds[] = {"delivery_started",
                                              "delivery_resumed",
                                              "plan_changed",
                                              "agent_finished",
                                              "agent_idle",
                                              "task_merge_done",
                                              "task_merge_refused",
                                              "verify_finished",
                                              "question_answered",
                                              "file_wait_expired",
                                              "agent_dispatched",
                                              "task_merge_intended",
                                              "verify_started",
                                              "question_asked",
                                              "file_wait_started",
                                              "agent_ended",
                                              "delivery_ended",
                                              "task_completed",
                                              "task_failed",
                                              "task_reworked",
                                              "review_skipped",
                                              "task_expanded",
                                              "unknown_signal_recovery",
                                              "agent_signal_failure",
                                              "checkpoint_received",
                                              "remediation_entered",
                                              "remediation_left",
                                              "expert_delegated",
                                              "expert_registered",
                                              "file_coordinated",
                                              "task_closing",
                                              "task_closed",
                                              "task_close_failed",
                                              "tree_removed",
                                              "tree_remove_failed",
                                              "tree_settled",
                                              "main_moved",
                                              "repair_intended",
                                              "repair_done",
                                              "plan_ground_moved",
                                              "task_merge_tried",
                                              "answer_taken_back",
                                              "delivery_paused"};

std::string_view name_of(FailureKind value) { return text_of(value); }
std::string_view name_of(Why value) { return text_of(value); }
std::string_view name_of(QuestionKind value) { return text_of(value); }
std::string_view name_of(VerifyPurpose value) { return text_of(value); }
std::string_view name_of(Outcome value) { return text_of(value); }
std::string_view name_of(FailCause value) { return text_of(value); }

std::string_view kind_of(const DeliveryFact& fact) { return kKinds[fact.index()]; }

bool is_kind(std::string_view kind) {
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

std::string body_of(const DeliveryFact& fact) { return written(fact); }
Result<DeliveryFact> read_fact(std::string_view kind, std::string_view body) {
  return read_written<DeliveryFact>(kKinds, kind, body);
}

}  // namespace capsule::event::delivery
