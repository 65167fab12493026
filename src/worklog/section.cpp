#include "worklog/section.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace capsule::worklog {
namespace {

constexpr std::array kPhases{
    Phase{"test-writer", "Phase 1: test-writer", false},
    Phase{"test-review", "Phase 2: test-review", true},
    Phase{"execute", "Phase 3: execute", false},
    Phase{"execute-review", "Phase 4: execute-review", true},
    Phase{"sign-off", "Phase 5: sign-off", true},
};

bool same_letter(char a, char b) { return lower(a) == lower(b); }

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '_';
}

// Where `word` first stands in `text` from `from` on, in any case.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  const auto found = std::search(text.begin() + static_cast<long>(std::min(from, text.size())),
                                 text.end(), word.begin(), word.end(), same_letter);
  return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
}

bool names(std::string_view heading, std::string_view phase) {
  for (std::size_t at = 0; (at = find_word(heading, phase, at)) != heading.npos; ++at) {
    const std::size_t after = at + phase.size();
    if ((at == 0 || !is_word_byte(heading[at - 1])) &&
        (after == heading.size() || !is_word_byte(heading[after])))
      return true;
  }
  return false;
}

struct Line {
  std::size_t begin;
  std::size_t end;                // after its line feed
  std::string_view text;          // without line end
  std::size_t level = 0;          // of a heading; 0: none
  std::string_view heading = {};  // without #s
  bool fenced = false;
};

// Up to three spaces may stand before a heading or a fence.
std::string_view unindented(std::string_view text) {
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  return spaces > 3 ? std::string_view{} : text.substr(spaces);
}

void read_heading(Line& line) {
  const std::string_view text = unindented(line.text);
  const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
  if (level == 0 || level > 6) return;
  if (level < text.size() && text[level] != ' ' && text[level] != '\t') return;
  line.level = level;
  line.heading = trimmed(text.substr(level));
}

struct Fence {
  char mark = 0;  // 0: none
  std::size_t length = 0;
  bool bare = false;  // nothing follows the marks: only such a line closes
};

Fence fence_of(std::string_view line) {
  const std::string_view text = unindented(line);
  if (text.empty() || (text.front() != '`' && text.front() != '~')) return {};
  const std::size_t length = std::min(text.find_first_not_of(text.front()), text.size());
  if (length < 3) return {};
  const std::string_view rest = text.substr(length);
  if (text.front() == '`' && rest.find('`') != rest.npos) return {};  // inline code
  return {text.front(), length, trimmed(rest).empty()};
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t feed = text.find('\n', at);
    const std::size_t end = feed == text.npos ? text.size() : feed + 1;
    std::string_view content = text.substr(at, end - at);
    while (content.ends_with('\n') || content.ends_with('\r')) content.remove_suffix(1);
    Line line{at, end, content};
    read_heading(line);
    lines.push_back(line);
    at = end;
  }
  return lines;
}

bool is_phase_title(std::string_view heading) {
  return std::any_of(kPhases.begin(), kPhases.end(),
                     [&](const Phase& phase) { return find_word(heading, phase.title, 0) == 0; });
}

// Marks the lines of closed fences from `first` on. Two passes, so that openings that never close
// cost no search each.
void mark_fences(std::vector<Line>& lines, std::size_t first) {
  // The longest line at or after i that could close a fence of ` and of ~, before the next phase.
  std::vector<std::array<std::size_t, 2>> closing(lines.size() + 1, {0, 0});
  const auto index_of = [](char mark) -> std::size_t { return mark == '~' ? 1 : 0; };
  for (std::size_t i = lines.size(); i-- > first;) {
    if (lines[i].level > 0 && is_phase_title(lines[i].heading)) continue;
    closing[i] = closing[i + 1];
    const Fence fence = fence_of(lines[i].text);
    if (fence.mark == 0 || !fence.bare) continue;
    std::size_t& longest = closing[i][index_of(fence.mark)];
    longest = std::max(longest, fence.length);
  }
  Fence open;
  for (std::size_t i = first; i < lines.size(); ++i) {
    lines[i].fenced = open.mark != 0;
    const Fence fence = fence_of(lines[i].text);
    if (fence.mark == 0) continue;
    if (open.mark == 0) {
      if (closing[i + 1][index_of(fence.mark)] >= fence.length) open = fence;
    } else if (fence.mark == open.mark && fence.bare && fence.length >= open.length) {
      open = {};
    }
  }
}

bool names_another_phase(std::string_view heading, std::string_view phase) {
  return is_phase_title(heading) && !names(heading, phase);
}

// The section that the heading at `lines[at]` begins.
Section section_at(const std::vector<Line>& lines, std::size_t at, std::string_view phase) {
  std::size_t last = at + 1;
  while (last < lines.size()) {
    const Line& line = lines[last];
    const bool ends = line.level > 0 && !line.fenced &&
                      (line.level <= lines[at].level || names_another_phase(line.heading, phase));
    if (ends) break;
    ++last;
  }
  return {lines[at].heading, lines[at].end, lines[last - 1].end};
}

}  // namespace

const Phase* find_phase(std::string_view name) {
  for (const Phase& phase : kPhases)
    if (phase.name == name) return &phase;
  return nullptr;
}

std::vector<Section> sections_of(std::string_view worklog, std::string_view phase) {
  std::vector<Line> lines = lines_of(worklog);
  mark_fences(lines, 0);
  std::vector<Section> sections;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].level == 0 || lines[i].fenced || !names(lines[i].heading, phase)) continue;
    const Section section = section_at(lines, i, phase);
    sections.push_back(section);
    while (i + 1 < lines.size() && lines[i + 1].begin < section.end) ++i;
  }
  return sections;
}

std::optional<Section> last_section_containing(std::string_view worklog, std::string_view part) {
  std::vector<Line> lines = lines_of(worklog);
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (lines[i].level == 0 || find_word(lines[i].heading, part, 0) == std::string_view::npos)
      continue;
    mark_fences(lines, i + 1);  // a fence from before the section does not reach into it
    return section_at(lines, i, part);
  }
  return std::nullopt;
}

}  // namespace capsule::worklog
