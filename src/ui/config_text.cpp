#include "ui/config_text.h"

#include <algorithm>

#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {
namespace {

using Json = json::Value;
using config::Entry;
using config::Key;
using config::Value;

Json value_json(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) return *items;
  return nullptr;
}

std::string value_text(const Entry& entry) {
  if (std::holds_alternative<std::monostate>(entry.value)) return "(not set)";
  return printable(config::written(*entry.key, entry.value));
}

// Columns of at most this width; a longer cell pushes only its own line.
constexpr std::size_t kMaxColumn = 56;

std::size_t column(std::size_t width, const std::string& cell) {
  return cell.size() > kMaxColumn ? width : std::max(width, cell.size());
}

}  // namespace

std::string config_table(const config::Config& config) {
  std::string text;
  std::size_t paths = 0;
  std::size_t values = 0;
  for (const Entry& entry : config.entries) {
    paths = column(paths, entry.path);
    values = column(values, value_text(entry));
  }
  for (const Entry& entry : config.entries) {
    text += padded(padded(entry.path, paths + 2) + value_text(entry), paths + values + 4) +
            printable(entry.origin.where) + "\n";
  }
  return text;
}

std::string config_json(const config::Config& config) {
  Json values = Json::object();
  for (const Entry& entry : config.entries)
    values[entry.path] = {{"value", value_json(entry.value)},
                          {"from", config::name_of(entry.origin.layer)},
                          {"where", entry.origin.where}};
  return values.compact() + "\n";
}

std::string key_pages() {
  std::string text;
  for (const Key& key : config::keys()) {
    text += std::string(key.path) + "\n    " + std::string(key.help) + ".\n    It is " +
            config::describe(key) + ".";
    if (!key.initial.empty())
      text += " Default: " + config::written(key, config::default_of(key)) + ".";
    if (!key.variable.empty()) text += " Variable: " + std::string(key.variable) + ".";
    text += "\n";
  }
  return text;
}

std::string keys_json() {
  Json rows = Json::object();
  for (const Key& key : config::keys())
    rows[std::string(key.path)] = {
        {"help", key.help},
        {"kind", config::describe(key)},
        {"default", value_json(config::default_of(key))},
        {"variable", key.variable.empty() ? Json() : Json(key.variable)}};
  return rows.compact() + "\n";
}

std::string ways_text(const config::Config& config) {
  std::string text;
  for (const auto& [name, way] : config.notify) {
    std::vector<std::string> ways;
    if (way.desktop) ways.emplace_back("desktop");
    if (way.terminal) ways.emplace_back("terminal");
    if (!way.command.empty()) ways.push_back(printable(way.command.front()));
    text += "  " + name + ": " + (ways.empty() ? "no way of telling is set" : joined(ways)) +
            " on " + (way.on.empty() ? "everything that needs a person" : joined(way.on)) + "\n";
  }
  return text;
}

}  // namespace capsule::ui
