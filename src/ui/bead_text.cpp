#include "ui/bead_text.h"

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "engine/bead_context.h"

namespace capsule::ui {
namespace {

struct Mark {
  std::string_view status;
  std::string_view symbol;
};
constexpr Mark kStatusMarks[] = {
    {"open", "○"}, {"in_progress", "◐"}, {"blocked", "●"}, {"deferred", "❄"}, {"closed", "✓"}};

std::string marked(std::string_view status) {
  for (const Mark& mark : kStatusMarks)
    if (mark.status == status) return std::string(mark.symbol) + " " + std::string(status);
  return "? " + printable(status);
}

std::string to_width(std::string text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  if (columns < width) text.append(width - columns, ' ');
  return text;
}

void section(std::string& out, std::string_view heading, std::string_view text) {
  if (trimmed(text).empty()) return;
  out += "\n" + std::string(heading) + "\n";
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += line.empty() ? "\n" : "  " + printable(line) + "\n";
  }
}

std::string named(const engine::BeadDependency& other) {
  std::string text = printable(other.id);
  if (!other.title.empty()) text += "  " + printable(other.title);
  return text + "  (" + (other.status.empty() ? "unknown" : marked(other.status)) + ")";
}

}  // namespace

std::string bead_lines(const std::vector<engine::Bead>& beads) {
  constexpr std::size_t kColumns = 4;
  std::vector<std::vector<std::string>> rows;
  std::size_t widths[kColumns] = {};
  for (const engine::Bead& bead : beads) {
    rows.push_back({marked(bead.status), "P" + std::to_string(bead.priority), printable(bead.type),
                    bead.id, printable(bead.title)});
    for (std::size_t i = 0; i < kColumns; ++i)
      widths[i] = std::max(widths[i], columns_of(rows.back()[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) out += to_width(row[i], widths[i]) + "  ";
    out += row[kColumns] + "\n";
  }
  return out;
}

std::string bead_page(const engine::Bead& bead) {
  std::string out = bead.id + "  " + printable(bead.title) + "\n";
  out += marked(bead.status) + "  P" + std::to_string(bead.priority) + "  " + printable(bead.type);
  if (!bead.assignee.empty()) out += "  @" + printable(bead.assignee);
  out += "\n";
  if (!bead.created_at.empty()) out += "Created " + printable(bead.created_at) + "\n";
  if (!bead.closed_at.empty())
    out += "Closed  " + printable(bead.closed_at) + "  " + printable(bead.close_reason) + "\n";
  if (!bead.parent.empty()) {
    engine::BeadDependency parent{bead.parent, "parent-child"};
    for (const engine::BeadDependency& other : bead.dependencies)
      if (other.id == bead.parent) parent = other;
    out += "Parent  " + named(parent) + "\n";
  }
  for (const engine::BeadDependency& other : bead.dependencies)
    if (other.type == "blocks")
      out += (engine::is_closed(other.status) ? "After   " : "Waits for ") + named(other) + "\n";
  section(out, "Description", bead.description);
  section(out, "Design", bead.design);
  section(out, "Acceptance criteria", bead.acceptance);
  section(out, "Notes", bead.notes);
  for (const engine::BeadComment& comment : bead.comments)
    section(out, "Comment by " + printable(comment.author) + ", " + printable(comment.created_at),
            comment.text);
  return out;
}

}  // namespace capsule::ui
