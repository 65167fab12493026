#include <algorithm>

#include "base/text.h"
#include "signal/find.h"
#include "signal/line_match.h"
#include "signal/line_scan.h"

namespace capsule::signal {
namespace {

std::string_view find_label(const std::vector<std::string_view>& labels, std::string_view line) {
  if (line.empty() || line[0] < 'A' || line[0] > 'Z') return {};
  for (std::string_view label : labels)
    if (line.size() > label.size() && line[label.size()] == ':' && line.starts_with(label))
      return label;
  return {};
}

}  // namespace

Fields Bodies::read(const Head& head) {
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

void Bodies::add(Fields& fields, std::string_view label, std::string_view raw) {
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
      warnings_.push_back("'" + std::string(label) + "' appears twice: the last one counts");
    warned_twice_ = true;
  }
}

}  // namespace capsule::signal
