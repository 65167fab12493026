// What Capsule takes over from the user's git configuration: who commits, how line ends and file
// modes are treated, which files are ignored, filters, and for agents inside their walls its hooks.
// Nothing else of it is ever in force.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

struct Settings {
  std::string name = "Capsule";
  std::string email = "capsule@localhost";
  std::vector<std::string> conversions;  // "core.autocrlf=true", …: checked words, safe to pass on
  std::vector<std::string> sparse;       // the same for sparse checkouts; the user's own only
  std::string hooks;                     // where a repository has its hooks among its files
  std::string ssh;  // the command by which remotes are reached; the user's own only
  // "filter.lfs.smudge=…" from the system's and the user's own configuration. They run programs, so
  // they are in force in the user's own checkout alone.
  std::vector<std::string> user_filters;
  std::set<std::string> user_filter_names;
  std::set<std::string> repository_filter_names;  // from .git/config: never in force
};

struct SettingsOnce {
  std::mutex mutex;
  std::optional<Settings> value;
};

// Read by one git call at first, remembered then. When it fails, the defaults above.
const Settings& settings_of(const Repository& repository);

// Pure: from the answer of `git config --null --list --show-scope`.
Settings read_settings(std::string_view listing);

}  // namespace capsule::git
