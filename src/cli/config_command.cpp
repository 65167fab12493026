// capsule config show, capsule config keys.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/print_json.h"
#include "cli/project_args.h"
#include "config/config.h"
#include "json/value.h"

namespace capsule::cli {
namespace {

using Json = json::Value;
using config::Entry;
using config::Key;
using config::Problem;
using config::Value;

constexpr Option kShowOptions[] = {
    {"project-dir", "DIR", "The project whose configuration is shown", {}, "."},
    {"json", "", "Print one JSON object"},
};
constexpr Option kKeysOptions[] = {{"json", "", "Print one JSON object"}};

Json json_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) return *items;
  return nullptr;
}

Json json_of(const config::Config& config) {
  Json values = Json::object();
  for (const Entry& entry : config.entries)
    values[entry.path] = {{"value", json_of(entry.value)},
                          {"from", config::name_of(entry.origin.layer)},
                          {"where", entry.origin.where}};
  return values;
}

std::string shown(const Entry& entry) {
  if (std::holds_alternative<std::monostate>(entry.value)) return "(not set)";
  return printable(config::written(*entry.key, entry.value));
}

// Columns of at most this width; a longer cell pushes only its own line.
constexpr std::size_t kMaxColumn = 56;

std::size_t column(std::size_t width, const std::string& cell) {
  return cell.size() > kMaxColumn ? width : std::max(width, cell.size());
}

void print_table(const config::Config& config) {
  std::size_t paths = 0;
  std::size_t values = 0;
  for (const Entry& entry : config.entries) {
    paths = column(paths, entry.path);
    values = column(values, shown(entry));
  }
  for (const Entry& entry : config.entries) {
    const std::string line =
        padded(padded(entry.path, paths + 2) + shown(entry), paths + values + 4) +
        printable(entry.origin.where);
    std::puts(line.c_str());
  }
}

Result<int> report_all(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems)
    report({problem.reason, config::told(problem), problem.hint});
  return 2;
}

Result<int> show_config(const Args& args) {
  const config::Sources sources = world::config_sources(project_folder(args));
  if (!is_folder(sources.project_dir))
    return fail(Reason::not_found, "no such folder: " + sources.project_dir,
                "--project-dir names the project's root");
  const config::Loaded loaded = config::load_all(sources);
  if (!loaded.problems.empty()) return report_all(loaded.problems);
  if (args.flag("json")) {
    print_json(json_of(loaded.config));
  } else {
    print_table(loaded.config);
  }
  return 0;
}

Result<int> list_keys(const Args& args) {
  if (args.flag("json")) {
    Json rows = Json::object();
    for (const Key& key : config::keys())
      rows[std::string(key.path)] = {
          {"help", key.help},
          {"kind", config::describe(key)},
          {"default", json_of(config::default_of(key))},
          {"variable", key.variable.empty() ? Json() : Json(key.variable)}};
    print_json(rows);
    return 0;
  }
  for (const Key& key : config::keys()) {
    std::string text = std::string(key.path) + "\n    " + std::string(key.help) + ".\n    It is " +
                       config::describe(key) + ".";
    if (!key.initial.empty())
      text += " Default: " + config::written(key, config::default_of(key)) + ".";
    if (!key.variable.empty()) text += " Variable: " + std::string(key.variable) + ".";
    std::puts(text.c_str());
  }
  return 0;
}

}  // namespace

Command config_show_command() {
  return {
      .path = "config show",
      .summary = "Print the configuration and where each value came from",
      .details =
          "Defaults are overridden by ~/.config/capsule/config.yaml, then by the project's\n"
          ".capsule/config.yaml, then by CAPSULE_* variables, then by flags. Problems are told "
          "with\n"
          "file and line, and the exit code is 2.",
      .positionals = {},
      .options = kShowOptions,
      .run = show_config,
      .errors = Errors::two,
      .examples = "  capsule config show\n  capsule config show --json | jq .provider",
  };
}

Command config_keys_command() {
  return {
      .path = "config keys",
      .summary = "List every configuration key with its meaning and default",
      .details = "",
      .positionals = {},
      .options = kKeysOptions,
      .run = list_keys,
  };
}

}  // namespace capsule::cli
