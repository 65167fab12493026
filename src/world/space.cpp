#include "world/space.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace capsule::world {
namespace {

using event::supply::Room;

Room room_in(const Space& space, std::uint64_t reserve, Room before) {
  const std::uint64_t wanted = reserve_of(space, reserve);
  if (space.free < wanted / 4) return Room::none;
  const std::uint64_t enough = before == Room::enough ? wanted : wanted + wanted / 4;
  return space.free < enough ? Room::low : Room::enough;
}

}  // namespace

std::optional<Space> space_of(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0 || info.f_blocks == 0) return std::nullopt;
  const std::uint64_t unit = info.f_frsize;
  return Space{folder, info.f_bavail * unit, info.f_blocks * unit};
}

std::vector<std::string> written_folders(const Project& project) {
  const char* temporary = std::getenv("TMPDIR");
  const char* home = std::getenv("HOME");
  std::vector<std::string> wanted{project.root(), project.root() + "/.capsule",
                                  temporary == nullptr ? "/tmp" : temporary};
  if (project.config.contain.preset == config::ContainPreset::off && home != nullptr)
    wanted.emplace_back(home);
  std::vector<std::string> folders;
  std::set<dev_t> known;
  for (std::string& folder : wanted) {
    struct stat info {};
    if (::stat(folder.c_str(), &info) == 0 && known.insert(info.st_dev).second)
      folders.push_back(std::move(folder));
  }
  return folders;
}

std::uint64_t reserve_of(const Space& space, std::uint64_t reserve) {
  return std::min(reserve, space.size / 10);
}

workflow::DiskStands judge(const std::vector<Space>& spaces, std::uint64_t reserve, Room before) {
  workflow::DiskStands worst;
  std::uint64_t worst_left = 0;
  for (const Space& space : spaces) {
    const Room room = room_in(space, reserve, before);
    const std::uint64_t wanted = reserve_of(space, reserve);
    const std::uint64_t left = space.free - std::min(space.free, wanted / 4);
    if (!worst.folder.empty() && (room < worst.room || (room == worst.room && left >= worst_left)))
      continue;
    worst = {room, space.folder, static_cast<std::int64_t>(space.free),
             static_cast<std::int64_t>(wanted)};
    worst_left = left;
  }
  return worst;
}

SpaceWatch::SpaceWatch(process::Loop& loop, std::vector<std::string> folders, std::uint64_t reserve,
                       Measure measure, std::chrono::milliseconds every)
    : loop_(loop),
      folders_(std::move(folders)),
      reserve_(reserve),
      measure_(std::move(measure)),
      every_(every) {}

SpaceWatch::~SpaceWatch() {
  if (timer_) loop_.cancel(*timer_);
}

workflow::DiskStands SpaceWatch::now() const {
  std::vector<Space> spaces;
  for (const std::string& folder : folders_)
    if (auto space = measure_(folder)) spaces.push_back(*std::move(space));
  return judge(spaces, reserve_, room_);
}

workflow::DiskStands SpaceWatch::standing() {
  workflow::DiskStands stands = now();
  room_ = stands.room;
  return stands;
}

void SpaceWatch::follow(std::function<void(workflow::DiskStands)> tell) {
  tell_ = std::move(tell);
  stay_awake();
}

void SpaceWatch::stay_awake() {
  if (timer_ || !tell_) return;
  timer_ = loop_.after(every_, [this] {
    timer_.reset();
    if (loop_.running() > 0 || !has_room()) look();
  });
}

void SpaceWatch::look() {
  stay_awake();
  const workflow::DiskStands stands = now();
  if (stands.room == room_) return;
  room_ = stands.room;
  if (tell_) tell_(stands);
}

}  // namespace capsule::world
