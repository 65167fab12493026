#include "signal/line.h"

#include "base/text.h"
#include "signal/line_scan.h"

namespace capsule::signal {
namespace {

std::string head_text(const Head& head) {
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
      return std::string(choice.tally->first.row->wire) + " appears with different ids";
    case WhyUnknown::wrong_role:
      return std::string(choice.tally->first.row->wire) + " is not for the role " +
             std::string(name_of(*options.role)) + " to send";
    case WhyUnknown::wrong_task:
      return "'" + head_text(choice.tally->first) + "' is about another task than " +
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
      result.warnings.push_back("outranked: " + head_text(tally.first));
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
  const Sightings seen = look(text);
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

}  // namespace capsule::signal
