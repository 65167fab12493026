// The wire form of what the facts of all workflows are made of, for the files of this folder alone.
#pragma once

#include "event/codec.h"
#include "event/common.h"

namespace capsule::event {

inline Names names(Fault) {
  static constexpr std::string_view kNames[] = {"none",      "no_signal",   "exit_status",
                                                "timed_out", "not_started", "interrupted",
                                                "lost",      "idle",        "refuted"};
  static_assert(std::size(kNames) == kFaults);
  return kNames;
}
inline Names names(MergeRefusal) {
  static constexpr std::string_view kNames[] = {
      "no_sign_off",   "nothing_to_merge", "conflict", "foreign_commits", "checkout_in_the_way",
      "verify_failed", "work_missing",     "refused",  "error",           "main_moved"};
  static_assert(std::size(kNames) == kMergeRefusals);
  return kNames;
}
inline Names names(Verdict) {
  static constexpr std::string_view kNames[] = {"true", "false", "differs", "unchecked"};
  static_assert(std::size(kNames) == kVerdicts);
  return kNames;
}

template <class V>
void members(V& v, Claim& f) {
  v("what", f.what), v("verdict", f.verdict), v("detail", f.detail);
}

template <class V>
void members(V& v, GroundMoved& f) {
  v("what", f.what), v("agents", f.agents), v("main", f.main), v("from", f.from), v("to", f.to);
}

}  // namespace capsule::event
