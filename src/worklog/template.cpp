#include "worklog/template.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"

namespace capsule::worklog {
namespace {

enum class Kind { value, begin_if, begin_else, end };

struct Action {
  Kind kind;
  std::string_view name = {};  // of value and begin_if; with its dot, empty when malformed
  bool trims_before = false;
  bool trims_after = false;
};

bool is_name_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_name_byte(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_name(std::string_view text) {
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && is_name_start(text.front()) &&
         std::all_of(text.begin(), text.end(), is_name_byte);
}

// What stands between "{{" and "}}"; nullopt when it is no action of ours.
std::optional<Action> read_action(std::string_view inside) {
  Action action{Kind::value};
  if (inside.size() > 1 && inside.front() == '-' && is_blank(inside[1])) {
    action.trims_before = true;
    inside.remove_prefix(1);
  }
  if (inside.size() > 1 && inside.back() == '-' && is_blank(inside[inside.size() - 2])) {
    action.trims_after = true;
    inside.remove_suffix(1);
  }
  inside = trimmed(inside);
  if (inside == "else" || inside == "end") {
    action.kind = inside == "else" ? Kind::begin_else : Kind::end;
    return action;
  }
  if (inside == "if" || (inside.starts_with("if") && inside.size() > 2 && is_blank(inside[2]))) {
    action.kind = Kind::begin_if;
    const std::string_view name = trimmed(inside.substr(2));
    if (is_name(name)) action.name = name;
    return action;
  }
  if (!is_name(inside)) return std::nullopt;
  action.name = inside;
  return action;
}

// Compares without underscores and case.
bool same_name(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    while (i < a.size() && a[i] == '_') ++i;
    while (j < b.size() && b[j] == '_') ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (lower(a[i++]) != lower(b[j++])) return false;
  }
}

std::string_view value_of(std::string_view name, std::span<const Variable> variables) {
  const bool dotted = name.starts_with('.');
  if (dotted) name.remove_prefix(1);
  for (const Variable& variable : variables)
    if (dotted ? same_name(variable.name, name) : variable.name == name) return variable.value;
  return {};
}

// An {{if}} that is still open.
struct Open {
  std::size_t offset;   // of its "{{"
  bool outer_is_shown;  // what surrounds it is shown
  bool holds;           // its variable has a value
  bool in_else = false;
};

tl::unexpected<Error> damaged(std::string_view text, std::size_t offset, std::string what) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n');
  return fail(Reason::damaged, "line " + std::to_string(line) + ": " + std::move(what));
}

}  // namespace

Result<std::string> render(std::string_view text, std::span<const Variable> variables) {
  std::string out;
  std::size_t own = 0;  // how much of `out` is template text that a hyphen may trim, from its end
  std::vector<Open> open;
  bool shown = true;
  const auto copy = [&](std::string_view part) {
    if (!shown) return;
    out += part;
    own += part.size();
  };
  std::size_t at = 0;
  std::size_t line_end = 0;  // kept from action to action: a line may be long
  while (at < text.size()) {
    const std::size_t begin = text.find("{{", at);
    if (begin == text.npos) break;
    if (line_end <= begin) line_end = std::min(text.find('\n', begin), text.size());
    const std::size_t end = text.substr(0, line_end).find("}}", begin + 2);
    // "{{{{X}}" is the text "{{" before the action {{X}}: the innermost braces are read.
    const std::size_t inner = end == text.npos ? begin : text.rfind("{{", end - 1);
    const auto action = end == text.npos || inner < begin
                            ? std::nullopt
                            : read_action(text.substr(inner + 2, end - inner - 2));
    if (!action) {
      const std::size_t next = end == text.npos ? line_end : end + 2;
      copy(text.substr(at, next - at));
      at = next;
      continue;
    }
    copy(text.substr(at, inner - at));
    at = end + 2;
    if (action->trims_before && shown)
      while (own > 0 && is_blank(out.back())) {
        out.pop_back();
        --own;
      }
    if (action->trims_after)
      while (at < text.size() && is_blank(text[at])) ++at;
    switch (action->kind) {
      case Kind::value:
        if (shown) {
          out += value_of(action->name, variables);
          own = 0;
        }
        break;
      case Kind::begin_if:
        if (action->name.empty()) return damaged(text, inner, "{{if}} names no variable");
        open.push_back({inner, shown, !value_of(action->name, variables).empty()});
        shown = shown && open.back().holds;
        break;
      case Kind::begin_else:
        if (open.empty()) return damaged(text, inner, "{{else}} without {{if}}");
        if (open.back().in_else) return damaged(text, inner, "a second {{else}} for one {{if}}");
        open.back().in_else = true;
        shown = open.back().outer_is_shown && !open.back().holds;
        break;
      case Kind::end:
        if (open.empty()) return damaged(text, inner, "{{end}} without {{if}}");
        shown = open.back().outer_is_shown;
        open.pop_back();
        break;
    }
  }
  if (!open.empty()) return damaged(text, open.back().offset, "{{if}} without {{end}}");
  copy(text.substr(at));
  return out;
}

Result<std::string> render_worklog(std::string_view text, const Briefing& briefing) {
  const std::array variables{
      Variable{"EPIC_ID", briefing.epic_id},
      Variable{"EPIC_TITLE", briefing.epic_title},
      Variable{"EPIC_GOAL", briefing.epic_goal},
      Variable{"FEATURE_ID", briefing.feature_id},
      Variable{"FEATURE_TITLE", briefing.feature_title},
      Variable{"FEATURE_GOAL", briefing.feature_goal},
      Variable{"TASK_ID", briefing.task_id},
      Variable{"TASK_TITLE", briefing.task_title},
      Variable{"TASK_DESCRIPTION", briefing.task_description},
      Variable{"ACCEPTANCE_CRITERIA", briefing.acceptance_criteria},
      Variable{"TIMESTAMP", briefing.timestamp},
  };
  return render(text, variables);
}

}  // namespace capsule::worklog
