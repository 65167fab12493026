#include "signal/miss.h"

#include <iterator>

#include "base/enum_count.h"
#include "base/text.h"
#include "signal/find.h"

namespace capsule::signal {
namespace {

struct MissRow {
  std::string_view name, words;
};
constexpr MissRow kMissRows[] = {
    {"none", ""},
    {"silent", "nothing was printed"},
    {"no_signal", "nothing that was printed looks like a signal"},
    {"not_at_column_0", "the signal does not stand at column 0 of its line"},
    {"not_exact", "the name of the signal is not spelled exactly"},
    {"not_alone", "something else stands on the line of the signal"},
    {"no_colon", "there is no colon right after the name of the signal"},
    {"no_id", "the signal has no id on its line"},
    {"in_prompt", "the signal stands inside a prompt for somebody else"},
    {"two_signals", "there are two signals that contradict each other"},
    {"several_ids", "the same signal stands there with different ids"},
    {"wrong_role", "the signal is not for this role to send"},
    {"wrong_task", "the signal is about another task"},
    {"wrong_phase", "the signal belongs to another phase"},
    {"quoted", "the signal is the example of the prompt, quoted"},
    {"not_complete", "the STATUS of the signal is not complete"},
    {"taken_back", "the signal was taken back by a later one"},
    {"broken_json", "the last signal is not valid JSON"},
    {"missing_field", "the signal lacks a field (status, feedback, files_changed or summary)"},
    {"unknown_status", "the status of the signal is neither PASS, NEEDS_WORK nor ERROR"},
    {"wrong_type", "a field of the signal has the wrong type"},
    {"no_verdict", "there is no line VERDICT: with APPROVED, NEEDS_FIX or REJECTED"},
    {"two_verdicts", "there are two different verdicts"},
    {"no_expert", "the expert that it names cannot be asked: there is no file for it"},
};
static_assert(std::size(kMissRows) == kMisses);
static_assert(kMisses == enum_count<Miss>());

const MissRow& row_of(Miss miss) { return kMissRows[static_cast<std::size_t>(miss)]; }

}  // namespace

std::string_view name_of(Miss miss) { return row_of(miss).name; }

std::string sentence(const Missed& missed) {
  return std::string(row_of(missed.why).words) + (missed.line.empty() ? "" : ": " + missed.line);
}

Missed missed(Miss why, std::string_view line) {
  return {why, printable(cut(without_blanks(line), kMaxMissedBytes))};
}

Missed nothing_in(std::string_view text) {
  return {without_blanks(text).empty() ? Miss::silent : Miss::no_signal, ""};
}

}  // namespace capsule::signal
