// The wire form of what the facts of all workflows are made of, for the files of this folder alone.
#pragma once

#include "event/codec.h"
#include "event/common.h"

namespace capsule::event {

inline Names names(Fault) {
  static constexpr std::string_view kNames[] = {
      "none",        "no_signal",    "exit_status", "timed_out",    "not_started",  "interrupted",
      "lost",        "idle",         "refuted",     "rate_limited", "overloaded",   "usage_limit",
      "no_credit",   "unauthorised", "unreachable", "policy",       "context_full", "no_words",
      "over_budget", "no_answer",    "over_limit",  "no_space"};
  static_assert(std::size(kNames) == kFaults);
  return kNames;
}
inline Names names(MergeRefusal) {
  static constexpr std::string_view kNames[] = {
      "no_sign_off",   "nothing_to_merge", "conflict", "foreign_commits", "checkout_in_the_way",
      "verify_failed", "work_missing",     "refused",  "error",           "main_moved",
      "main_red"};
  static_assert(std::size(kNames) == kMergeRefusals);
  return kNames;
}
inline Names names(Verdict) {
  static constexpr std::string_view kNames[] = {"true", "false", "differs", "unchecked"};
  static_assert(std::size(kNames) == kVerdicts);
  return kNames;
}
inline Names names(Integrate) {
  static constexpr std::string_view kNames[] = {"unsaid", "merge", "ask", "branch"};
  static_assert(std::size(kNames) == kIntegrates);
  return kNames;
}
inline Names names(Approval) {
  static constexpr std::string_view kNames[] = {"phase", "merge", "guard"};
  static_assert(std::size(kNames) == kApprovals);
  return kNames;
}

inline Names names(CheckEnding) {
  static constexpr std::string_view kNames[] = {"passed", "failed", "not_run", "ended_badly",
                                                "timed_out"};
  static_assert(std::size(kNames) == kCheckEndings);
  return kNames;
}
inline Names names(Baseline) {
  static constexpr std::string_view kNames[] = {"none", "green", "red", "cannot_run"};
  static_assert(std::size(kNames) == kBaselines);
  return kNames;
}

template <class V>
void members(V& v, TokenUse& f) {
  v("tokens_known", f.tokens_known), v("input", f.input), v("output", f.output),
      v("cache_read", f.cache_read), v("cache_written", f.cache_written),
      v("cost_known", f.cost_known), v("cost_micros", f.cost_micros), v("turns", f.turns),
      v("compactions", f.compactions), v("cache_rewrites", f.cache_rewrites),
      v("cache_untold", f.cache_untold), v("compactions_untold", f.compactions_untold),
      v("rewrites_untold", f.rewrites_untold), v("written_untold", f.written_untold);
}
template <class V>
void members(V& v, CheckRun& f) {
  v("name", f.name), v("command", f.command), v("ending", f.ending), v("exit_code", f.exit_code),
      v("clean", f.clean), v("known", f.known), v("duration_ms", f.duration_ms),
      v("by_name", f.by_name), v("passed", f.passed), v("failed", f.failed),
      v("skipped", f.skipped), v("failing", f.failing), v("output", f.output);
}
template <class V>
void members(V& v, TestEvidence& f) {
  v("by_name", f.by_name), v("failing", f.failing), v("passing", f.passing),
      v("failed_before", f.failed_before), v("others_pass", f.others_pass),
      v("others_fail", f.others_fail);
}
template <class V>
void members(V& v, Claim& f) {
  v("what", f.what), v("verdict", f.verdict), v("detail", f.detail), v("evidence", f.evidence);
}

template <class V>
void members(V& v, SelfRunning& f) {
  v("path", f.path), v("by", f.by);
}

template <class V>
void members(V& v, Contained& f) {
  v("who", f.who), v("preset", f.preset), v("network", f.network), v("namespaces", f.namespaces),
      v("landlock", f.landlock), v("seccomp", f.seccomp), v("broker", f.broker), v("gaps", f.gaps);
}
template <class V>
void members(V& v, RefusedHost& f) {
  v("host", f.host), v("count", f.count), v("leads_to", f.leads_to), v("allowed_by", f.allowed_by);
}
template <class V>
void members(V& v, HostsRefused& f) {
  v("agent", f.agent), v("task", f.task), v("role", f.role), v("hosts", f.hosts),
      v("others", f.others);
}

template <class V>
void members(V& v, GroundMoved& f) {
  v("what", f.what), v("agents", f.agents), v("main", f.main), v("from", f.from), v("to", f.to);
}

}  // namespace capsule::event
