// Which providers are parked, shared by all runs of this machine that are the user's: a file for
// each in $XDG_STATE_HOME/capsule/providers (or ~/.local/state). What stands there is believed only
// as far as it makes sense: a file of another's, or of another version, is passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "process/tree.h"
#include "workflow/step.h"
#include "world/folder_watch.h"

namespace capsule::world {

struct Parking {
  std::string provider;
  std::int64_t until = 0;  // seconds since 1970; 0: until a person lifts it
  bool guessed = false;
  event::Fault fault{};
  std::string words;       // of the client, a line
  std::int64_t since = 0;  // seconds since 1970
  bool operator==(const Parking&) const = default;
};

// Empty: there is no place for it, and nothing is shared.
std::string parkings_folder(const std::function<const char*(const char*)>& variable);

// Those that are in force, by the name of their provider.
std::vector<Parking> read_parkings(const std::string& folder, std::int64_t now);
// One that lasts longer stays. Written in one piece; errors: usage (the name is none), io.
Result<void> leave_parking(const std::string& folder, const Parking& parking, std::int64_t now);
// Whatever it says, by whoever it is; runs that have met a fault of their own hear of it, too.
Result<void> lift_parking(const std::string& folder, const std::string& provider,
                          const std::string& by, std::int64_t now);

// When that was done last, in seconds since 1970; 0: never.
std::int64_t lifted_at(const std::string& folder, const std::string& provider);

// Follows the folder for one run. Single-threaded, on the thread of the Loop, which must outlive
// it.
class ParkingWatch {
 public:
  using Tell = std::function<void(workflow::SupplyNews)>;
  ParkingWatch(process::Loop& loop, std::string folder, std::function<std::int64_t()> now);

  // What is in force when the run begins; and what was lifted while nobody carried it on: since
  // `heard`, seconds since 1970, when it recorded something last. 0: it is new.
  std::vector<workflow::Observation> standing(std::int64_t heard = 0);
  // From now on: each change, once. Requires: standing() was asked.
  void follow(Tell tell);
  // What this run does itself is not told to it.
  void park(const workflow::Park& park);
  void unpark(const std::string& provider);

 private:
  void look(const Tell& tell);

  const std::string folder_;
  const std::function<std::int64_t()> now_;
  std::map<std::string, Parking> known_;
  std::map<std::string, std::string> lifted_;  // what stands in the file, by provider
  FolderWatch watch_;
};

}  // namespace capsule::world
