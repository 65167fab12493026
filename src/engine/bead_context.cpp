#include "engine/bead_context.h"

#include <algorithm>
#include <set>

#include "base/ids.h"
#include "base/text.h"

namespace capsule::engine {
namespace {

constexpr std::size_t kMaxAncestors = 100;

// "## Notes" is a heading, "#3" is not.
bool is_hash_heading(std::string_view line) {
  line = trimmed(line);
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 &&
         (level == line.size() || line[level] == ' ' || line[level] == '\t');
}

// A line that is bold as a whole stands for a heading in many trackers.
bool is_bold_heading(std::string_view line) {
  line = trimmed(line);
  if (line.ends_with(':')) line.remove_suffix(1);
  return line.size() > 4 && ((line.starts_with("**") && line.find("**", 2) == line.size() - 2) ||
                             (line.starts_with("__") && line.find("__", 2) == line.size() - 2));
}

bool is_underline(std::string_view line) {
  line = trimmed(line);
  return line.size() >= 3 &&
         (line.find_first_not_of('=') == line.npos || line.find_first_not_of('-') == line.npos);
}

// The line without the signs of a heading or of emphasis: "## **Acceptance Criteria:**" and
// "acceptance criteria" name the same section.
std::string_view bare(std::string_view line) {
  line = trimmed(line);
  const std::size_t first = line.find_first_not_of("#*_` \t");
  if (first == line.npos) return {};
  const std::size_t last = line.find_last_not_of("#*_`: \t");
  return last == line.npos || last < first ? std::string_view{}
                                           : line.substr(first, last - first + 1);
}

// Where a line opens the section `name`, what follows the name on that very line.
std::optional<std::string_view> opens(std::string_view line, std::string_view name) {
  const std::string_view text = bare(line);
  if (lowered(text) == name) return std::string_view{};
  // "Acceptance Criteria: it works", with the colon inside or outside of the emphasis.
  if (text.size() <= name.size() || lowered(text.substr(0, name.size())) != name)
    return std::nullopt;
  const std::string_view rest = text.substr(name.size());
  const std::size_t colon = rest.find(':');
  if (colon == rest.npos || rest.substr(0, colon).find_first_not_of("*_` ") != rest.npos)
    return std::nullopt;
  const std::size_t from = rest.find_first_not_of("*_` \t", colon + 1);
  return from == rest.npos ? std::string_view{} : rest.substr(from);
}

constexpr std::string_view kSections[] = {"acceptance criteria", "requirements"};

std::string without_outer_blank_lines(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == text.npos || !trimmed(text.substr(0, end)).empty()) break;
    text.remove_prefix(end + 1);
  }
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return std::string(last == text.npos ? std::string_view{} : text.substr(0, last + 1));
}

std::string section(std::string_view description, std::string_view name) {
  const auto lines = split(description, '\n');
  std::string body;
  bool inside = false;
  bool fenced = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view text = trimmed(line);
    if (text.starts_with("```") || text.starts_with("~~~")) fenced = !fenced;
    if (!fenced) {
      const auto opened = opens(line, name);
      if (!inside && opened) {
        inside = true;
        if (!opened->empty()) body += std::string(*opened) + "\n";
        if (i + 1 < lines.size() && is_underline(lines[i + 1])) ++i;
        continue;
      }
      const bool underlined = !text.empty() && !is_underline(text) && i + 1 < lines.size() &&
                              is_underline(lines[i + 1]) && !text.starts_with("- ") &&
                              !text.starts_with("* ");
      const bool other_section = std::any_of(
          std::begin(kSections), std::end(kSections),
          [&](std::string_view other) { return other != name && lowered(bare(line)) == other; });
      if (inside && (is_hash_heading(line) || is_bold_heading(line) || underlined || other_section))
        break;
    }
    if (inside) body += std::string(line) + "\n";
  }
  return without_outer_blank_lines(body);
}

}  // namespace

std::string acceptance_criteria(const Bead& bead) {
  std::string text = without_outer_blank_lines(bead.acceptance);
  for (std::string_view name : kSections)
    if (text.empty()) text = section(bead.description, name);
  return text;
}

Result<Ancestry> ancestry(Tracker& tracker, const Bead& bead) {
  Ancestry found;
  std::set<std::string> seen{bead.id};
  std::string next = bead.parent;
  while (valid_id(next) && seen.size() <= kMaxAncestors && seen.insert(next).second) {
    auto parent = tracker.show(next);
    if (!parent && parent.error().reason == Reason::not_found) break;
    if (!parent) return tl::unexpected(std::move(parent).error());
    next = parent->parent;
    if (!found.feature && parent->type == "feature") {
      found.feature = std::move(*parent);
    } else if (!found.epic && parent->type == "epic") {
      found.epic = std::move(*parent);
    }
    if (found.feature && found.epic) break;
  }
  return found;
}

bool is_closed(std::string_view status) { return status == "closed" || status == "tombstone"; }

Result<std::vector<BeadDependency>> open_blockers(Tracker& tracker, const Bead& bead) {
  std::vector<BeadDependency> blockers;
  for (BeadDependency dependency : bead.dependencies) {
    if (dependency.type != "blocks" || is_closed(dependency.status)) continue;
    if (dependency.status.empty()) {
      if (!valid_id(dependency.id)) continue;
      const auto other = tracker.show(dependency.id);
      if (!other && other.error().reason != Reason::not_found) return tl::unexpected(other.error());
      if (!other || is_closed(other->status)) continue;
      dependency.status = other->status;
      dependency.title = other->title;
    }
    blockers.push_back(std::move(dependency));
  }
  return blockers;
}

Progress progress(const std::vector<Bead>& children) {
  const auto closed = std::count_if(children.begin(), children.end(),
                                    [](const Bead& child) { return is_closed(child.status); });
  return {static_cast<std::size_t>(closed), children.size()};
}

Result<Progress> progress(Tracker& tracker, std::string_view parent) {
  return progress(TRY(tracker.list({.parent = std::string(parent), .all = true})));
}

}  // namespace capsule::engine
