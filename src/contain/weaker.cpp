#include "contain/weaker.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace capsule::contain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOpenDevices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                        "/dev/random", "/dev/urandom", "/dev/tty"};

// A rule holds for all that is in a folder: one that hides something is allowed piece by piece.
void allow_around(const std::string& path, const std::vector<std::string>& hidden,
                  std::vector<Rule>& rules) {
  const auto is_hidden = [&](const std::string& one) { return one == path; };
  const auto holds_hidden = [&](const std::string& one) { return is_within(one, path); };
  if (std::any_of(hidden.begin(), hidden.end(), is_hidden)) return;
  if (std::none_of(hidden.begin(), hidden.end(), holds_hidden)) {
    rules.push_back({path, Grant::read});
    return;
  }
  rules.push_back({path, Grant::list});
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.is_symlink(error)) continue;  // what it leads to has a rule of its own, or none
    if (entry.is_directory(error) || entry.is_regular_file(error))
      allow_around(entry.path().string(), hidden, rules);
  }
}

}  // namespace

Result<std::string> make_private_folder() {
  std::string folder = "/tmp/capsule-contain-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr)
    return tl::unexpected(io_error("make", "a folder in /tmp", errno));
  for (const char* name : {"/home", "/tmp"})
    if (::mkdir((folder + name).c_str(), 0700) != 0)
      return tl::unexpected(io_error("make", folder + name, errno));
  return folder;
}

void remove_private_folder(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) fs::remove_all(folder, error);
}

std::vector<Rule> rules_outside(const Policy& policy, const std::string& private_folder) {
  std::vector<std::string> hidden;
  for (const Place& place : policy.places)
    if (place.access == Access::hidden) hidden.push_back(place.path);
  std::vector<Rule> rules{{private_folder, Grant::write}, {"/proc", Grant::read}};
  for (const char* device : kOpenDevices) rules.push_back({device, Grant::devices});
  for (const Place& place : policy.places) {
    if (!place.source.empty() && place.path != policy.home) continue;
    switch (place.access) {
      case Access::read:
      case Access::scratch:
        allow_around(place.outside(), hidden, rules);
        break;
      case Access::write:
        rules.push_back({place.outside(), Grant::write});
        break;
      case Access::hidden:
      case Access::memory:
        break;
    }
  }
  return rules;
}

std::vector<std::string> environment_outside(const Policy& policy,
                                             const std::string& private_folder) {
  std::string home = private_folder + "/home";
  for (const Place& place : policy.places)
    if (place.path == policy.home && !place.source.empty()) home = place.source;
  std::vector<std::string> env{"HOME=" + home, "TMPDIR=" + private_folder + "/tmp"};
  for (const std::string& entry : policy.env)
    if (!entry.starts_with("HOME=") && !entry.starts_with("TMPDIR=")) env.push_back(entry);
  return env;
}

}  // namespace capsule::contain
