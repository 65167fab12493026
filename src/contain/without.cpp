#include "contain/without.h"

#ifdef CAPSULE_TEST_HOOKS

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "contain/network.h"
#include "contain/places.h"

namespace capsule::contain {
namespace {

constexpr std::string_view kGit = "/.git";

// The machine's own, by the same path.
void open_up(Place& place) {
  if (auto own = pin(place.path, Access::write)) place = std::move(*own);
}

void give_home(Policy& policy) {
  for (Place& place : policy.places)
    if (place.path == policy.home) open_up(place);
}

void give_memory(Policy& policy) {
  for (Place& place : policy.places)
    if (place.access == Access::memory && place.path.ends_with("/tmp")) open_up(place);
}

// Of a run: the project's in the place of the agent's own.
void give_repository(Policy& policy) {
  std::string project;
  for (Place& place : policy.places) {
    if (!place.path.ends_with(kGit) || place.source.empty() || !place.folder) continue;
    project = place.path;
    open_up(place);
  }
  std::erase_if(policy.places, [&](const Place& place) {
    return !project.empty() && place.path != project && is_within(place.path, project);
  });
}

void give_settings_of_git(Policy& policy) {
  for (Place& place : policy.places)
    if (place.path.ends_with(kGit) && place.source.empty()) place.access = Access::write;
}

void give_folder(Policy& policy) {
  for (Place& place : policy.places)
    if (place.path == policy.folder && place.access == Access::scratch) open_up(place);
}

void give_instructions(Policy& policy) {
  for (Place& place : policy.places) place.cover = {};
}

void give_key(Policy& policy) {
  if (!policy.broker) return;
  for (const Broker::Key& key : policy.broker->keys)
    for (std::string& entry : policy.env)
      if (entry.starts_with(key.variable + "=")) entry = key.variable + "=" + key.value;
}

void give_guarded(Policy& policy) {
  std::erase_if(policy.places, [](const Place& place) { return place.access == Access::hidden; });
}

struct Change {
  std::string_view name;
  void (*make)(Policy&);
};
constexpr Change kChanges[] = {
    {"home", give_home},
    {"tmp", give_memory},
    {"repository", give_repository},
    {"git-read-only", give_settings_of_git},
    {"layer", give_folder},
    {"cover", give_instructions},
    {"broker", give_key},
    {"guarded", give_guarded},
    {"landlock", [](Policy& policy) { policy.without.landlock = true; }},
    {"seccomp", [](Policy& policy) { policy.without.seccomp = true; }},
    {"undumpable", [](Policy& policy) { policy.without.undumpable = true; }},
    {"proc-read-only", [](Policy& policy) { policy.without.proc_read_only = true; }},
    {"environment", [](Policy& policy) { policy.without.made_up_environment = true; }},
    {"descriptors", [](Policy& policy) { policy.without.closed_descriptors = true; }},
    {"host-list", [](Policy& policy) { policy.without.host_list = true; }},
    {"public-addresses", [](Policy& policy) { policy.without.public_addresses = true; }},
    {"processes", [](Policy& policy) { policy.without.own_processes = true; }},
    {"ipc", [](Policy& policy) { policy.without.own_ipc = true; }},
    {"network", [](Policy& policy) { policy.without.own_network = true; }},
    {"capabilities", [](Policy& policy) { policy.without.dropped_capabilities = true; }},
};

}  // namespace

void leave_out(Policy& policy) {
  const char* value = std::getenv("CAPSULE_TEST_WITHOUT");
  const std::string names = value == nullptr ? "" : value;
  for (const std::string_view name : split(names, ','))
    for (const Change& change : kChanges)
      if (change.name == name) change.make(policy);
}

}  // namespace capsule::contain

#else

namespace capsule::contain {
void leave_out(Policy&) {}
}  // namespace capsule::contain

#endif
