#include "signal/line.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/text.h"
#include "signal/find.h"
#include "signal/line_match.h"

namespace capsule::signal {
namespace {

struct Head {
  const Row* row = nullptr;
  std::string_view argument;
  std::size_t offset = 0;
  std::size_t end = 0;  // of its line, without the line feed
};

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

// What was seen of one signal.
struct Tally {
  Head first;
  bool several_ids = false;
};

struct Sightings {
  std::array<Tally, kSignalCount> tallies;
  // The distinct further arguments of the signals that may repeat.
  std::vector<Head> more_conflicts;
  std::vector<Head> more_experts;
  bool too_many = false;

  std::vector<Head>& more(Signal signal) {
    return signal == Signal::file_conflict ? more_conflicts : more_experts;
  }
};

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
    auto& more = seen.more(head.row->signal);
    auto& arguments = known[head.row->signal == Signal::file_conflict ? 0 : 1];
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

struct Choice {
  const Tally* tally = nullptr;
  WhyUnknown why = WhyUnknown::no_signal;
};

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
  if (choice.tally->several_ids && !row.repeats)
    choice.why = WhyUnknown::several_ids;
  else if (options.role && !row.senders.contains(*options.role))
    choice.why = WhyUnknown::wrong_role;
  else if (options.task && row.names_task && choice.tally->first.argument != *options.task)
    choice.why = WhyUnknown::wrong_task;
  return choice;
}

// `bytes` of `text`, less what would cut a UTF-8 sequence in two.
std::string_view cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// Reads the bodies that follow signal lines.
class Bodies {
 public:
  Bodies(std::string_view text, std::vector<std::string>& warnings)
      : text_(text), warnings_(warnings) {}

  Fields read(const Head& head) {
    Fields fields;
    const auto labels = labels_of(*head.row);
    std::string_view label;  // whose text is being read; empty: nobody's
    std::size_t from = 0;
    const auto finish = [&](std::size_t to) {
      if (!label.empty()) add(fields, label, text_.substr(from, to - from));
      label = {};
    };
    bool in_prompt = false;
    std::size_t start = head.end + 1;
    for (; start < text_.size(); start = line_end(text_, start) + 1) {
      const std::string_view line = text_.substr(start, line_end(text_, start) - start);
      const LineMatch match = match_line(line);
      const bool has_prompt = head.row->signal == Signal::expert_request;
      if (in_prompt) {
        in_prompt = match.kind != LineKind::prompt_end;
        if (!in_prompt && has_prompt) finish(start);
      } else if (match.kind == LineKind::prompt_start) {
        in_prompt = true;
        if (has_prompt) {
          finish(start);
          label = kPromptLabel;
          from = std::min(start + line.size() + 1, text_.size());
        }
      } else if (match.kind == LineKind::signal) {
        // The same signal said again does not end its body; any other does.
        if (match.row != head.row || match.argument != head.argument) break;
        finish(start);
      } else if (const auto found = find_label(labels, line); !found.empty()) {
        finish(start);
        label = found;
        from = start + found.size() + 1;
      }
    }
    finish(std::min(start, text_.size()));
    return fields;
  }

 private:
  static std::string_view find_label(const std::vector<std::string_view>& labels,
                                     std::string_view line) {
    if (line.empty() || line[0] < 'A' || line[0] > 'Z') return {};
    for (std::string_view label : labels)
      if (line.size() > label.size() && line[label.size()] == ':' && line.starts_with(label))
        return label;
    return {};
  }

  void add(Fields& fields, std::string_view label, std::string_view raw) {
    raw = without_blanks(raw);
    const std::string_view kept = cut(raw, std::min(kMaxFieldBytes, budget_));
    if (kept.size() < raw.size())
      warnings_.push_back("the text of '" + std::string(label) + "' was cut: it is too long");
    budget_ -= kept.size();
    std::string text = replace_all(kept, "\r\n", "\n");
    const auto earlier = std::find_if(fields.begin(), fields.end(),
                                      [&](const Field& field) { return field.label == label; });
    if (earlier == fields.end()) {
      fields.push_back({label, std::move(text)});
    } else {
      earlier->text = std::move(text);
      if (!warned_twice_)
        warnings_.push_back("'" + std::string(label) + "' stands twice: the last one counts");
      warned_twice_ = true;
    }
  }

  std::string_view text_;
  std::vector<std::string>& warnings_;
  std::size_t budget_ = kMaxFieldsBytes;
  bool warned_twice_ = false;
};

std::string shown(const Head& head) {
  std::string text(head.row->wire);
  if (head.row->capture != Capture::line) text += ": " + std::string(cut(head.argument, 100));
  return text;
}

std::string sentence(const Choice& choice, const Sightings& seen, const LineOptions& options) {
  std::string found;
  switch (choice.why) {
    case WhyUnknown::recognised:
      break;
    case WhyUnknown::no_signal:
      return "no line of the text is a signal";
    case WhyUnknown::contradiction:
      for (const Tally& tally : seen.tallies)
        if (tally.first.row != nullptr &&
            tally.first.row->priority == choice.tally->first.row->priority)
          found += (found.empty() ? "" : ", ") + std::string(tally.first.row->wire);
      return "the text holds signals that contradict each other: " + found;
    case WhyUnknown::several_ids:
      return std::string(choice.tally->first.row->wire) + " stands there with different ids";
    case WhyUnknown::wrong_role:
      return std::string(choice.tally->first.row->wire) + " is not for the role " +
             std::string(name_of(*options.role)) + " to send";
    case WhyUnknown::wrong_task:
      return "'" + shown(choice.tally->first) + "' is about another task than " +
             std::string(*options.task);
  }
  return {};
}

// What a person should know although the signal stands.
void warn(LineResult& result, const Head& chosen, const Sightings& seen) {
  if (chosen.argument.size() > kMaxArgumentBytes)
    result.warnings.emplace_back("the argument of the signal was cut: it is too long");
  else if (chosen.row->names_task && !is_task_id(chosen.argument))
    result.warnings.push_back("'" + std::string(cut(chosen.argument, 100)) +
                              "' is not a valid task id");
  for (const Tally& tally : seen.tallies)
    if (tally.first.row != nullptr && tally.first.row != chosen.row)
      result.warnings.push_back("outranked: " + shown(tally.first));
  if (seen.too_many)
    result.warnings.push_back("only the first " + std::to_string(kMaxExtras + 1) +
                              " different arguments were read");
}

}  // namespace

const std::string* LineResult::field(std::string_view label) const {
  for (const Field& field : fields)
    if (field.label == label) return &field.text;
  return nullptr;
}

LineResult parse_line(std::string_view text, const LineOptions& options) {
  Sightings seen = look(text);
  const Choice choice = choose(seen, options);
  LineResult result;
  result.why_unknown = choice.why;
  if (choice.why != WhyUnknown::recognised) {
    result.warnings.push_back(sentence(choice, seen, options));
    return result;
  }
  const Head& chosen = choice.tally->first;
  result.signal = chosen.row->signal;
  result.offset = chosen.offset;
  if (chosen.row->capture != Capture::line)
    result.task_id = std::string(cut(chosen.argument, kMaxArgumentBytes));
  warn(result, chosen, seen);
  Bodies bodies(text, result.warnings);
  result.fields = bodies.read(chosen);
  if (chosen.row->repeats)
    for (const Head& head : seen.more(chosen.row->signal))
      result.more.push_back(
          {std::string(cut(head.argument, kMaxArgumentBytes)), bodies.read(head)});
  return result;
}

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

std::string why_not_signal(std::string_view line, const Row& row) {
  const std::size_t first = line.find_first_not_of(kDecoration);
  if (first != 0) return "not at column 0";
  if (!line.starts_with(row.wire)) return "the name is " + std::string(row.wire) + ", exactly";
  if (row.capture == Capture::line) return "the line must be the signal and nothing else";
  if (line.size() == row.wire.size() || line[row.wire.size()] != ':')
    return "no colon right after the name";
  return "no id on its line";
}

std::string verdict(const LineMatch& match, const LineOptions& options, const Choice& choice,
                    const LineResult& result, bool& taken) {
  const Head& first = choice.tally->first;
  if (match.row->priority != first.row->priority)
    return "outranked by " + std::string(first.row->wire);
  switch (choice.why) {
    case WhyUnknown::contradiction:
      return "contradicts another signal of its class";
    case WhyUnknown::several_ids:
      return "the same signal stands there with another id";
    case WhyUnknown::wrong_role:
      return "not for the role " + std::string(name_of(*options.role)) + " to send";
    case WhyUnknown::wrong_task:
      return "not about the task " + std::string(*options.task);
    default:
      break;
  }
  taken = true;
  if (match.argument == first.argument) return "the result";
  const bool kept = std::any_of(result.more.begin(), result.more.end(),
                                [&](const Extra& extra) { return extra.id == match.argument; });
  taken = kept;
  return kept ? "one more of the result" : "beyond the number of arguments that are read";
}

}  // namespace

void explain_line(std::string_view text, const LineOptions& options,
                  const std::function<void(const LineCandidate&)>& tell) {
  const Sightings seen = look(text);
  const Choice choice = choose(seen, options);
  const LineResult result = parse_line(text, options);
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
    std::string reason;
    if (match.kind != LineKind::signal)
      reason = why_not_signal(line, *row);
    else if (in_prompt)
      reason = "inside a delegation prompt";
    else
      reason = verdict(match, options, choice, result, taken);
    tell({start, line, taken, std::move(reason)});
  }
}

}  // namespace capsule::signal
