// .caw/auto-state.json on disk. Processes take turns by a lock on the folder, so that two sessions
// cannot both bind one state; readers without the lock see whole files. Links are not followed.
#pragma once

#include <optional>
#include <string>

#include "auto_state/document.h"
#include "base/files.h"

namespace capsule::auto_state {

inline constexpr const char* kFolder = ".caw";
inline constexpr const char* kFile = ".caw/auto-state.json";
// The hook reads it at every stop. A state is some kilobytes and its task; what is larger is none.
inline constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

// Held until it is destroyed.
class Lock {
 public:
  // Requires: the folder .caw exists. Error blocked: somebody has held it for two seconds.
  static Result<Lock> take(const std::string& project);

 private:
  explicit Lock(File folder) : folder_(std::move(folder)) {}
  File folder_;
};

bool has_state(const std::string& project);

// nullopt: there is none. Error damaged: it was set aside, and the message says where. Other errors
// are those of read_document and of reading.
Result<std::optional<Document>> load(const std::string& project);

enum class Durability { synced, quick };
// Readers see the old state or the new one. Makes the folder. `quick` leaves it to the system when
// the disk has it: after a power loss the old state, the new one or a damaged one may be there.
Result<void> save(const std::string& project, const json::Object& before,
                  const auto_mode::State& state, Durability durability = Durability::synced);

// Renames a file beside itself, to a name that nothing has: "<name>.damaged-<stamp>". Returns it.
Result<std::string> set_aside(const std::string& path);

}  // namespace capsule::auto_state
