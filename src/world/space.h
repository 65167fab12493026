// How much room the file systems have left that a run writes to: told when it becomes too little,
// so little that nobody may go on, and enough again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/tree.h"
#include "workflow/step.h"
#include "world/project.h"

namespace capsule::world {

struct Space {
  std::string folder;                // that lies there
  std::uint64_t free = 0, size = 0;  // bytes; free: for this user
};
// nullopt: it cannot be said.
std::optional<Space> space_of(const std::string& folder);

// The folders that a run writes to, one for each file system: the project with its worktrees, the
// journal and the homes of agents, temporary files, and the user's home where agents have that.
std::vector<std::string> written_folders(const Project& project);

// Of which so much is to stay free: the configured amount, but never more than a tenth of it all.
std::uint64_t reserve_of(const Space& space, std::uint64_t reserve);

// Of the file system that is worst off. Too little is less than its reserve, so little that nobody
// goes on a quarter of that; and once it was too little, enough is a quarter more. Pure.
workflow::DiskStands judge(const std::vector<Space>& spaces, std::uint64_t reserve,
                           event::supply::Room before);

// Single-threaded, on the thread of the Loop, which must outlive it.
class SpaceWatch {
 public:
  using Measure = std::function<std::optional<Space>(const std::string& folder)>;
  // A look costs some microseconds; what is written between two has to fit into a reserve.
  static constexpr std::chrono::milliseconds kEvery{1000};
  SpaceWatch(process::Loop& loop, std::vector<std::string> folders, std::uint64_t reserve,
             Measure measure = &space_of, std::chrono::milliseconds every = kEvery);
  ~SpaceWatch();
  SpaceWatch(const SpaceWatch&) = delete;
  SpaceWatch& operator=(const SpaceWatch&) = delete;

  // What holds when the run begins: also that there is enough, as an earlier process of the run may
  // have recorded otherwise.
  workflow::DiskStands standing();
  // From now on, each change, once: looked for by look(), and now and then while a child of the
  // loop works or room is wanted. A run that only waits for somebody sleeps.
  void follow(std::function<void(workflow::DiskStands)> tell);
  // For whoever is about to decide something.
  void look();
  bool has_room() const { return room_ == event::supply::Room::enough; }

 private:
  workflow::DiskStands now() const;
  void stay_awake();

  process::Loop& loop_;
  const std::vector<std::string> folders_;
  const std::uint64_t reserve_;
  const Measure measure_;
  const std::chrono::milliseconds every_;
  event::supply::Room room_{};
  std::function<void(workflow::DiskStands)> tell_;
  std::optional<process::TimerId> timer_;  // none: asleep
};

}  // namespace capsule::world
