#include "signal/line_scan.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "signal/find.h"
#include "signal/line_match.h"

namespace capsule::signal {
namespace {

// Goes from signal line to signal line, past delegation prompts.
class Heads {
 public:
  explicit Heads(std::string_view text) : text_(text), next_(text_start(text)) {}

  bool next(Head& head) {
    while (next_ < text_.size()) {
      const std::size_t start = next_;
      const std::size_t end = line_end(text_, start);
      const LineMatch match = match_line(text_.substr(start, end - start));
      // The line feed itself is where the search for the next line begins.
      next_ = end < text_.size() ? find_line_head(text_, end) : text_.size();
      if (match.kind == LineKind::prompt_start) in_prompt_ = true;
      if (match.kind == LineKind::prompt_end) in_prompt_ = false;
      if (in_prompt_ || match.kind != LineKind::signal) continue;
      head = {match.row, match.argument, start, end};
      return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  std::size_t next_;
  bool in_prompt_ = false;
};

}  // namespace

Sightings look(std::string_view text) {
  Sightings seen;
  std::array<std::unordered_set<std::string_view>, 2> known;
  Heads heads(text);
  for (Head head; heads.next(head);) {
    Tally& tally = seen.tallies[static_cast<std::size_t>(head.row->signal)];
    if (tally.first.row == nullptr) {
      tally.first = head;
      continue;
    }
    if (tally.first.argument == head.argument) continue;
    tally.several_ids = true;
    if (!head.row->repeats) continue;
    const bool conflict = head.row->signal == Signal::file_conflict;
    auto& more = conflict ? seen.more_conflicts : seen.more_experts;
    auto& arguments = known[conflict ? 0 : 1];
    if (arguments.contains(head.argument)) continue;
    if (more.size() == kMaxExtras) {
      seen.too_many = true;
      continue;
    }
    arguments.insert(head.argument);
    more.push_back(head);
  }
  return seen;
}

Choice choose(const Sightings& seen, const LineOptions& options) {
  auto highest = Priority::none;
  for (const Tally& tally : seen.tallies)
    if (tally.first.row != nullptr) highest = std::min(highest, tally.first.row->priority);
  Choice choice;
  for (const Tally& tally : seen.tallies) {
    if (tally.first.row == nullptr || tally.first.row->priority != highest) continue;
    if (choice.tally != nullptr) return {choice.tally, WhyUnknown::contradiction};
    choice = {&tally, WhyUnknown::recognised};
  }
  if (choice.tally == nullptr) return choice;
  const Row& row = *choice.tally->first.row;
#ifdef CAPSULE_PLANTED_BUG
  // Tests build the parser with this bug as well and must find it: of several ids the first wins.
  const bool several_ids = false;
#else
  const bool several_ids = choice.tally->several_ids && !row.repeats;
#endif
  if (several_ids)
    choice.why = WhyUnknown::several_ids;
  else if (options.role && !row.senders.contains(*options.role))
    choice.why = WhyUnknown::wrong_role;
  else if (options.task && row.names_task && choice.tally->first.argument != *options.task)
    choice.why = WhyUnknown::wrong_task;
  return choice;
}

}  // namespace capsule::signal
