#include "world/bead_desk.h"

#include <cstdlib>

#include "base/text.h"
#include "config/config.h"
#include "task/open_tracker.h"
#include "world/project.h"

namespace capsule::world {
namespace {

// Who signs what is written.
std::string actor() {
  for (const char* name : {"BD_ACTOR", "USER", "LOGNAME"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "capsule";
}

Result<task::Choice> tracker_choice(const std::string& folder) {
  return choice_of(TRY(config::load(config_sources(folder))).tracker);
}

}  // namespace

Result<void> begin_beads(const std::string& folder, const std::string& prefix) {
  if (TRY(tracker_choice(folder)) != task::Choice::bd)
    return task::NativeStore::init(folder, prefix);
  const auto output = TRY(task::run_bd(folder, {"init", "--prefix=" + prefix}));
  if (output.ok()) return {};
  return fail(Reason::failed, "bd init failed: " + std::string(trimmed(output.err)));
}

BeadDesk::BeadDesk(std::string folder, bool bd)
    : folder_(std::move(folder)), bd_(bd), store_(folder_, task::OnDamage::tolerate, actor()) {}

Result<BeadDesk> BeadDesk::open(const std::string& folder) {
  const bool bd = TRY(task::uses_bd(folder, TRY(tracker_choice(folder))));
  return BeadDesk(folder, bd);
}

}  // namespace capsule::world
