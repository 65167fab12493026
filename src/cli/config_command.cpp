// capsule config show, capsule config keys.
#include <cstdlib>

#include "base/files.h"
#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/config_text.h"

namespace capsule::cli {
namespace {

constexpr Option kShowOptions[] = {
    {"project-dir", "DIR", "The project whose configuration is shown", {}, "."},
    kJsonObject,
};
constexpr Option kKeysOptions[] = {kJsonObject};

Result<int> report_all(const std::vector<config::Problem>& problems) {
  for (const config::Problem& problem : problems)
    report({problem.reason, config::sentence_of(problem), problem.hint});
  return 2;
}

Result<int> show_config(const Args& args) {
  const config::Sources sources = world::config_sources(project_folder(args));
  if (!is_folder(sources.project_dir))
    return fail(Reason::not_found, "no such folder: " + sources.project_dir,
                "--project-dir names the project's root");
  const config::Loaded loaded = config::load_all(sources);
  if (!loaded.problems.empty()) return report_all(loaded.problems);
  print(args.flag("json") ? ui::config_json(loaded.config) : ui::config_table(loaded.config));
  return 0;
}

Result<int> list_keys(const Args& args) {
  print(args.flag("json") ? ui::keys_json() : ui::key_pages());
  return 0;
}

}  // namespace

constexpr Command kConfigShowCommand{
    .path = "config show",
    .summary = "Print the configuration and where each value came from",
    .details =
        "Defaults are overridden by ~/.config/capsule/config.yaml, then by the project's\n"
        ".capsule/config.yaml, then by CAPSULE_* variables, then by flags. Problems are "
        "reported with\nfile and line, and the exit code is 2.",
    .options = kShowOptions,
    .run = show_config,
    .errors = Errors::two,
    .examples = "  capsule config show\n  capsule config show --json | jq .provider",
};

constexpr Command kConfigKeysCommand{
    .path = "config keys",
    .summary = "List every configuration key with its meaning and default",
    .options = kKeysOptions,
    .run = list_keys,
};

}  // namespace capsule::cli
