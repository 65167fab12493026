#include "worklog/entry.h"

#include <map>

#include "base/text.h"
#include "worklog/section.h"

namespace capsule::worklog {
namespace {

constexpr std::string_view kMerge = "merge";  // of the pipeline: it has no section of its own

std::map<std::string_view, int> lines_in(std::string_view worklog, std::string_view phase) {
  std::map<std::string_view, int> count;
  for (const Section& section : sections_of(worklog, phase))
    for (std::string_view line :
         split(worklog.substr(section.begin, section.end - section.begin), '\n'))
      if (line = trimmed(line); !line.empty()) ++count[line];
  return count;
}

// Each line behind "> ". Control characters are dropped: a lone CR is a line end to some readers.
std::string quoted(std::string_view text) {
  std::string out;
  for (std::string_view line : split(trimmed(text), '\n')) {
    out += "> ";
    for (char c : line)
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') out += c;
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
  return out;
}

// How many headings name a phase of a user's own.
int headings_naming(std::string_view worklog, std::string_view phase) {
  int count = 0;
  for (const std::string_view line : split(worklog, '\n'))
    if (line.starts_with('#') && line.find(phase) != line.npos) ++count;
  return count;
}

// Ends `text` with exactly one blank line, unless it is empty.
void end_with_blank_line(std::string& text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  if (!text.empty()) text += "\n\n";
}

}  // namespace

bool has_new_entry(std::string_view before, std::string_view after, std::string_view phase) {
  if (phase == kMerge) return false;
  if (find_phase(phase) == nullptr)
    return headings_naming(after, phase) > headings_naming(before, phase);
  const auto old_lines = lines_in(before, phase);
  for (const auto& [line, count] : lines_in(after, phase)) {
    const auto old = old_lines.find(line);
    if (old == old_lines.end() || old->second < count) return true;
  }
  return false;
}

std::string with_entry(std::string_view worklog, std::string_view phase, std::string_view text) {
  const Phase* known = find_phase(phase);
  std::size_t at = worklog.size();
  bool has_section = known == nullptr;
  if (known != nullptr)
    for (const Section& section : sections_of(worklog, phase))
      if (section.heading.find(known->title) != std::string_view::npos) {
        at = section.end;
        has_section = true;
      }
  std::string out(worklog.substr(0, at));
  end_with_blank_line(out);
  if (!has_section) out += "## " + std::string(known->title) + "\n\n";
  if (known == nullptr && phase != kMerge) out += "## " + std::string(phase) + "\n\n";
  out += text;
  end_with_blank_line(out);
  const std::string_view rest = worklog.substr(at);
  if (rest.empty()) out.pop_back();
  out += rest;
  return out;
}

std::string entry_from(const Claim& claim) {
  const Phase* phase = find_phase(claim.phase);
  std::string out = "### Attempt " + std::to_string(claim.attempt) + " (recorded by Capsule)\n\n";
  out += "The agent left no entry. This one is made from its signal.\n\n";
  out += "- Status: " + std::string(claim.status) + "\n";
  out += "- Summary and feedback, as the agent gave them:\n\n";
  out += quoted(claim.summary);
  if (!trimmed(claim.feedback).empty()) out += ">\n" + quoted(claim.feedback);
  if (phase != nullptr && phase->has_verdict)
    out += "\nVerdict: " + std::string(claim.status) + "\n";
  return out;
}

std::string finding_entry(const Finding& finding) {
  constexpr std::size_t kFeedbackBytes = 4000;
  std::string out = "### Attempt " + std::to_string(finding.attempt) + " (checked by Capsule)\n\n";
  out += "- Said: " + std::string(finding.said) + "\n";
  out += std::string("- Checked: ") + (finding.refused ? "refused" : "it is so") + "\n";
  if (!trimmed(finding.found).empty()) out += "\n" + quoted(finding.found);
  if (finding.refused && !trimmed(finding.feedback).empty())
    out += "\n" + quoted(cut(finding.feedback, kFeedbackBytes));
  return out;
}

std::string waiting_entry(std::string_view question) {
  return "### Waiting for a person (recorded by Capsule)\n\n" + quoted(question);
}

}  // namespace capsule::worklog
