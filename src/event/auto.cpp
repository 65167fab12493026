#include "event/auto.h"

#include "base/enum_count.h"
#include "event/common_codec.h"

namespace capsule::event::auto_run {

CAPSULE_COMPILE(Fact)

static Names names(Why) {
  static constexpr std::string_view kNames[] = {"fresh", "go_on", "retry", "mend", "restart"};
  static_assert(std::size(kNames) == enum_count<Why>());
  return kNames;
}
static Names names(Verdict) {
  static constexpr std::string_view kNames[] = {"APPROVED", "NEEDS_FIX", "REJECTED"};
  static_assert(std::size(kNames) == enum_count<Verdict>());
  return kNames;
}
static Names names(Outcome) {
  static constexpr std::string_view kNames[] = {"none",          "complete",      "max_iterations",
                                                "needs_person",  "checks_failed", "not_approved",
                                                "merge_refused", "error",         "interrupted",
                                                "cancelled",     "paused",        "aborted"};
  static_assert(std::size(kNames) == kOutcomes);
  static_assert(kOutcomes == enum_count<Outcome>());
  return kNames;
}

// One list of members a fact serves both directions.
template <class V>
void members(V& v, Started& f) {
  v("task", f.task), v("provider", f.provider), v("in_place", f.in_place),
      v("has_checks", f.has_checks), v("skip_expansion", f.skip_expansion), v("skip_qa", f.skip_qa),
      v("skip_review", f.skip_review), v("skip_reflect", f.skip_reflect), v("parallel", f.parallel),
      v("max_iterations", f.max_iterations), v("sessions", f.sessions),
      v("red_allowed", f.red_allowed), v("integrate", f.integrate), v("at", f.at);
}
template <class V>
void members(V& v, PlaceIntended& f) {
  v("at", f.at);
}
template <class V>
void members(V& v, PlaceReady& f) {
  v("folder", f.folder), v("branch", f.branch), v("at", f.at);
}
template <class V>
void members(V& v, TurnStarted& f) {
  v("phase", f.phase), v("number", f.number), v("attempt", f.attempt), v("why", f.why),
      v("session", f.session), v("resumes", f.resumes), v("at", f.at), v("provider", f.provider),
      v("model", f.model);
}
template <class V>
void members(V& v, TurnFinished& f) {
  v("phase", f.phase), v("number", f.number), v("signals", f.signals), v("error", f.error),
      v("recoverable", f.recoverable), v("fault", f.fault), v("exit_code", f.exit_code),
      v("log", f.log), v("duration_ms", f.duration_ms), v("cost_micros", f.cost_micros),
      v("learnings", f.learnings), v("at", f.at), v("miss", f.miss),
      v("missed_line", f.missed_line), v("detail", f.detail);
}
template <class V>
void members(V& v, ChecksDone& f) {
  v("passed", f.passed), v("feedback", f.feedback), v("at", f.at), v("runs", f.runs),
      v("evidence", f.evidence);
}
template <class V>
void members(V& v, BaselineChecked& f) {
  v("state", f.state), v("detail", f.detail), v("runs", f.runs), v("at", f.at);
}
template <class V>
void members(V& v, ReviewVerdict& f) {
  v("type", f.type), v("verdict", f.verdict), v("issues", f.issues), v("timestamp", f.timestamp),
      v("started_at", f.started_at), v("ended_at", f.ended_at), v("log", f.log),
      v("agent", f.agent), v("duration_ms", f.duration_ms), v("cost_micros", f.cost_micros),
      v("fault", f.fault), v("miss", f.miss), v("tried", f.tried);
}
template <class V>
void members(V& v, Reviewed& f) {
  v("verdicts", f.verdicts), v("note", f.note), v("at", f.at);
}
template <class V>
void members(V& v, MergeDone& f) {
  v("commit", f.commit), v("nothing", f.nothing), v("adopted", f.adopted), v("at", f.at),
      v("onto", f.onto), v("runs", f.runs), v("claims", f.claims), v("evidence", f.evidence);
}
template <class V>
void members(V& v, PlaceRemoved& f) {
  v("at", f.at);
}
template <class V>
void members(V& v, Ended& f) {
  v("outcome", f.outcome), v("detail", f.detail), v("at", f.at),
      v("approval_stands", f.approval_stands);
}
template <class V>
void members(V& v, Resumed& f) {
  v("at", f.at);
}
template <class V>
void members(V& v, SessionSeen& f) {
  v("state", f.state), v("at", f.at);
}

template <class V>
void members(V& v, MergeIntended& f) {
  v("at", f.at);
}
template <class V>
void members(V& v, ChecksStarted& f) {
  v("at", f.at);
}
template <class V>
void members(V& v, ReviewStarted& f) {
  v("round", f.round), v("agent", f.agent), v("at", f.at), v("provider", f.provider),
      v("model", f.model);
}
template <class V>
void members(V& v, GroundMoved& f) {
  v("what", f.what), v("agents", f.agents), v("main", f.main), v("from", f.from), v("to", f.to),
      v("at", f.at);
}
template <class V>
void members(V& v, MergeTried& f) {
  v("onto", f.onto), v("files", f.files), v("changed", f.changed), v("runs", f.runs), v("at", f.at);
}
template <class V>
void members(V& v, IntegrationChosen& f) {
  v("integrate", f.integrate), v("at", f.at);
}
template <class V>
void members(V& v, ApprovalAsked& f) {
  v("question", f.question), v("about", f.about), v("files", f.files), v("detail", f.detail),
      v("at", f.at);
}
template <class V>
void members(V& v, ApprovalGiven& f) {
  v("question", f.question), v("approved", f.approved), v("text", f.text), v("by", f.by),
      v("at", f.at);
}
template <class V>
void members(V& v, AnswerTakenBack& f) {
  v("question", f.question), v("at", f.at);
}

static constexpr std::string_view kKinds[] = {
    "auto_started",        "auto_place_ready",    "auto_turn_started",
    "auto_turn_finished",  "auto_checked",        "auto_reviewed",
    "auto_merged",         "auto_place_removed",  "auto_ended",
    "auto_resumed",        "auto_session_seen",   "auto_merge_intended",
    "auto_checks_started", "auto_review_started", "auto_baseline_checked",
    "auto_ground_moved",   "auto_merge_tried",    "auto_integration_chosen",
    "auto_approval_asked", "auto_approval_given", "auto_answer_taken_back",
    "auto_place_intended",
};

std::string_view name_of(Outcome outcome) { return text_of(outcome); }
std::string_view name_of(Verdict verdict) { return text_of(verdict); }
std::string_view name_of(Why why) { return text_of(why); }

std::string_view kind_of(const Fact& fact) { return kKinds[fact.index()]; }
std::string body_of(const Fact& fact) { return written(fact); }
Result<Fact> read_fact(std::string_view kind, std::string_view body) {
  return read_written<Fact>(kKinds, kind, body);
}

const std::string& time_of(const Fact& fact) {
  return std::visit([](const auto& typed) -> const std::string& { return typed.at; }, fact);
}

}  // namespace capsule::event::auto_run
