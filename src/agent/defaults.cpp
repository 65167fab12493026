#include "agent/defaults.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace capsule::agent {

Result<void> add_defaults(const Client& client, const std::string& folder,
                          const char* (*variable)(const char*),
                          std::vector<process::EnvChange>& env) {
  if (client.defaults.empty()) return {};
  std::error_code ignored;
  if (std::filesystem::exists(client.defaults_file, ignored)) return {};
  const std::vector<std::string_view> names = split(client.defaults_variables, ' ');
  for (const std::string_view name : names) {
    const std::string wanted(name);
    const auto same = [&](const process::EnvChange& change) { return change.name == wanted; };
    if (variable(wanted.c_str()) != nullptr || std::any_of(env.begin(), env.end(), same)) return {};
  }
  const std::string path = folder + "/defaults-of-" + std::string(client.name) + ".json";
  TRY_VOID(write_file(path, client.defaults));
  env.push_back({std::string(names.front()), path});
  return {};
}

}  // namespace capsule::agent
