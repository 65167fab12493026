#include "ui/cost_text.h"

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "ui/style.h"
#include "ui/usage_text.h"

namespace capsule::ui {
namespace {

using event::supply::AgentUsed;
using workflow::Usage;

std::string model_of_call(const AgentUsed& call) {
  if (!call.model.empty()) return call.model;
  if (!call.asked_model.empty()) return call.asked_model;
  return call.provider.empty() ? "(not told)" : call.provider + " (not told)";
}

std::string group_of(std::string_view by, const world::Call& call) {
  const AgentUsed& used = call.used;
  const auto or_none = [](const std::string& text) { return text.empty() ? "(none)" : text; };
  if (by == "task") return or_none(used.task);
  if (by == "role") return or_none(used.role);
  if (by == "day") return or_none(used.day);
  if (by == "provider") return or_none(used.provider);
  if (by == "run") return call.run.run;
  return model_of_call(used);
}

// In the order in which they are shown.
std::vector<std::pair<std::string, Usage>> sorted_rows(const CostTable& table) {
  std::vector<std::pair<std::string, Usage>> rows(table.rows.begin(), table.rows.end());
  if (table.by == "day" || table.by == "run") return rows;  // the map's order is that of time
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    if (a.second.cost_micros != b.second.cost_micros)
      return a.second.cost_micros > b.second.cost_micros;
    return a.second.tokens.output > b.second.tokens.output;
  });
  return rows;
}

using Cells = std::vector<std::string>;

Cells cells_of(const std::string& name, const Usage& usage) {
  const event::TokenUse& use = usage.tokens;
  return {name,
          std::to_string(usage.calls),
          turns_cell(usage),
          compactions_cell(usage),
          token_cell(usage, use.input),
          token_cell(usage, use.output),
          cache_read_cell(usage),
          cache_written_cell(usage),
          cost_cell(usage)};
}

// The first column is a name, the others are numbers.
std::string drawn(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Cells& cells : lines)
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(cells[i]));
  std::string text;
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string gap(widths[i] - columns_of(cells[i]), ' ');
      text += i == 0 ? cells[i] + gap : "  " + gap + cells[i];
    }
    text += "\n";
  }
  return text;
}

}  // namespace

void count_call(CostTable& table, const world::Call& call) {
  world::add_call(table.rows[group_of(table.by, call)], call.used);
  world::add_call(table.all, call.used);
}

std::string cost_table(const CostTable& table) {
  constexpr std::size_t kName = 40;
  if (table.rows.empty()) return "No agent has been called yet.\n";
  std::vector<Cells> lines{{table.by, "calls", "turns", "shortened", "input", "output",
                            "cache read", "cache written", "cost"}};
  for (const auto& [name, usage] : sorted_rows(table))
    lines.push_back(cells_of(fitted(name, kName), usage));
  if (table.rows.size() > 1) lines.push_back(cells_of("in all", table.all));
  std::string text = drawn(lines);
  const std::string unknown = unknown_words(table.all);
  if (unknown.empty()) return text;
  text += "\n" + unknown +
          (table.all.calls_without_cost < table.all.calls ||
                   table.all.calls_without_tokens < table.all.calls
               ? "; + means at least"
               : "") +
          "\n";
  if (table.all.calls_without_cost > table.all.calls_without_tokens)
    text += "Where a client tells tokens, 'prices' in the configuration make costs of them.\n";
  return text;
}

std::string cost_json(const CostTable& table) {
  auto rows = json::Value::array();
  for (const auto& [name, usage] : sorted_rows(table)) {
    json::Value row = usage_json(usage);
    row[table.by] = name;
    rows.push_back(std::move(row));
  }
  return json::Value{{"by", table.by}, {"rows", rows}, {"all", usage_json(table.all)}}.compact() +
         "\n";
}

}  // namespace capsule::ui
