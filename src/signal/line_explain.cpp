#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "signal/find.h"
#include "signal/line_match.h"
#include "signal/line_scan.h"

namespace capsule::signal {
namespace {

constexpr std::string_view kDecoration = " \t\r\v\f>*-#`_|0123456789.";

// The row whose name a line seems to mean: in any case, with blanks for underscores or the other
// way round, behind blanks or marks of layout. nullptr when it means none.
const Row* meant(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kDecoration);
  if (first == line.npos) return nullptr;
  line.remove_prefix(first);
  const auto plain = [](char c) {
    return c == ' ' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c;
  };
  for (const Row& row : vocabulary(Dialect::line)) {
    const std::string_view wire = row.wire;
    if (wire.empty() || line.size() < wire.size()) continue;
    if (!std::equal(wire.begin(), wire.end(), line.begin(),
                    [&](char a, char b) { return plain(a) == plain(b); }))
      continue;
    const char next = line.size() > wire.size() ? line[wire.size()] : ':';
    if ((next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z') || next == '_') continue;
    return &row;
  }
  return nullptr;
}

struct WhyNot {
  Miss miss;
  std::string reason;
};

WhyNot why_not_signal(std::string_view line, const Row& row) {
  const std::size_t first = line.find_first_not_of(kDecoration);
  if (first != 0) return {Miss::not_at_column_0, "not at column 0"};
  if (!line.starts_with(row.wire))
    return {Miss::not_exact, "the name is " + std::string(row.wire) + ", exactly"};
  if (row.capture == Capture::line)
    return {Miss::not_alone, "the line must be the signal and nothing else"};
  if (line.size() == row.wire.size() || line[row.wire.size()] != ':')
    return {Miss::no_colon, "no colon right after the name"};
  return {Miss::no_id, "no id on its line"};
}

class Verdicts {
 public:
  Verdicts(const Sightings& seen, const LineOptions& options)
      : choice_(choose(seen, options)), options_(options) {
    if (choice_.why != WhyUnknown::recognised || !choice_.tally->first.row->repeats) return;
    for (const Head& head : seen.more(choice_.tally->first.row->signal))
      more_.insert(head.argument);
  }

  // Of a line that is a signal, so that there is a choice.
  WhyNot of(const Row& row, std::string_view argument, bool& taken) const {
    const Head& first = choice_.tally->first;
    if (row.priority != first.row->priority)
      return {Miss::none, "outranked by " + std::string(first.row->wire)};
    switch (choice_.why) {
      case WhyUnknown::contradiction:
        return {Miss::two_signals, "contradicts another signal of its class"};
      case WhyUnknown::several_ids:
        return {Miss::several_ids, "the same signal appears with another id"};
      case WhyUnknown::wrong_role:
        return {Miss::wrong_role,
                "not for the role " + std::string(name_of(*options_.role)) + " to send"};
      case WhyUnknown::wrong_task:
        return {Miss::wrong_task, "not about the task " + std::string(*options_.task)};
      default:
        break;
    }
    taken = argument == first.argument || more_.contains(argument);
    if (!taken) return {Miss::none, "beyond the number of arguments that are read"};
    return {Miss::none, argument == first.argument ? "the result" : "one more of the result"};
  }

 private:
  Choice choice_;
  const LineOptions& options_;
  std::unordered_set<std::string_view> more_;
};

}  // namespace

void explain_line(std::string_view text, const LineOptions& options,
                  const std::function<void(const LineCandidate&)>& tell) {
  const Sightings seen = look(text);
  const Verdicts verdicts(seen, options);
  bool in_prompt = false;
  for (std::size_t start = text_start(text); start < text.size();
       start = line_end(text, start) + 1) {
    const std::string_view line =
        without_trailing_blanks(text.substr(start, line_end(text, start) - start));
    const LineMatch match = match_line(line);
    if (match.kind == LineKind::prompt_start) in_prompt = true;
    if (match.kind == LineKind::prompt_end) in_prompt = false;
    const Row* row = match.row != nullptr ? match.row : meant(line);
    if (row == nullptr) continue;
    bool taken = false;
    WhyNot why{};
    if (match.kind != LineKind::signal)
      why = why_not_signal(line, *row);
    else if (in_prompt)
      why = {Miss::in_prompt, "inside a delegation prompt"};
    else
      why = verdicts.of(*row, match.argument, taken);
    tell({start, line, taken, std::move(why.reason), why.miss});
  }
}

Missed missed_line(std::string_view text, const LineOptions& options) {
  Missed found = nothing_in(text);
  // A whole signal that does not count says more than a line that only looks like one.
  const WhyUnknown why = parse_line(text, options).why_unknown;
  const bool whole = why != WhyUnknown::no_signal;
  explain_line(text, options, [&](const LineCandidate& candidate) {
    const bool is_whole = candidate.miss >= Miss::two_signals;
    if (candidate.miss != Miss::none && is_whole == whole)
      found = missed(candidate.miss, candidate.text);
  });
  return found;
}

}  // namespace capsule::signal
