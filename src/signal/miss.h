// Why what an agent printed holds no signal that counts: a closed set of values for all dialects,
// and their words, which stand here and nowhere else. Pure; results own their bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace capsule::signal {

// The names are their wire form in facts: new ones are added at the end, and none is renamed.
enum class Miss {
  none,             // there is one, or it does not matter
  silent,           // nothing was printed
  no_signal,        // nothing looks like one
  not_at_column_0,  // something stands before it on its line
  not_exact,        // its name is spelled otherwise
  not_alone,        // something else stands on its line
  no_colon,
  no_id,           // nothing where its id belongs
  in_prompt,       // part of a prompt for somebody else
  two_signals,     // that contradict each other
  several_ids,     // one signal about several things
  wrong_role,      // not for this role to send
  wrong_task,      // about another task
  wrong_phase,     // of another phase
  quoted,          // the example of the prompt
  not_complete,    // its STATUS is another
  taken_back,      // by a later one
  broken_json,     // the last object is no valid JSON
  missing_field,   // status, feedback, files_changed or summary
  unknown_status,  // neither PASS, NEEDS_WORK nor ERROR
  wrong_type,      // of a field
  no_verdict,      // of a reviewer
  two_verdicts,    // that differ
  no_expert,       // an expert that nobody can ask: there is no file of it
};
inline constexpr int kMisses = 24;
std::string_view name_of(Miss miss);  // "not_at_column_0", …

// Why, and the line that was perhaps meant as the signal.
struct Missed {
  Miss why{};
  std::string line;  // of the agent, printable and at most kMaxMissedBytes; empty: there is none
  bool operator==(const Missed&) const = default;
};
inline constexpr std::size_t kMaxMissedBytes = 160;

// A sentence without a full stop: "the signal is about another task: READY_FOR_REVIEW: T-9". Empty
// for none.
std::string sentence(const Missed& missed);

// `line` as it stands in a Missed.
Missed missed(Miss why, std::string_view line);
// When nothing was perhaps meant as one.
Missed nothing_in(std::string_view text);

}  // namespace capsule::signal
