#include "gate/walls.h"

#include <sys/stat.h>

#include "base/files.h"
#include "contain/abilities.h"
#include "contain/layer.h"

namespace capsule::gate {
namespace {

// Whether git's word on a repository is there: in a checkout for checks it is not.
bool has_repository(const std::string& folder) {
  struct stat info {};
  return ::lstat((folder + "/.git").c_str(), &info) == 0;
}

}  // namespace

std::optional<Error> fault_of_command(const Error& why) {
  if (why.reason == Reason::missing_program) return why;
  if (why.reason == Reason::failed) return Error{Reason::refused, why.message, why.hint};
  return std::nullopt;
}

std::vector<contain::Mount> mounts_of(const git::PrivateRepository& made,
                                      const git::Repository& repository) {
  std::vector<contain::Mount> mounts{{repository.common_dir, made.folder, contain::Access::write}};
  for (const auto& [path, source] : made.seen)
    mounts.push_back({path, source, contain::Access::read});
  return mounts;
}

// A layer cannot lie in the folder that it covers.
Result<std::string> Room::place_for(const Walls& walls, const std::string& folder) {
  if (contain::is_within(walls.repository.top, folder)) {
    elsewhere_.emplace(TRY(PrivateFolder::make()));
    return elsewhere_->path();
  }
  temporary_.emplace(TRY(git::TemporaryFolder::make(walls.repository)));
  TRY_VOID(make_folders(temporary_->path()));
  return temporary_->path();
}

Result<Room> Room::make(const Walls& walls, const std::string& folder, Writes writes) {
  Room room;
  room.written_ = folder;
  if (walls.wish) room.wish_ = walls.wish(folder);
  if (!room.wish_) return room;
  contain::Wish& wish = *room.wish_;
  wish.folder = folder;
  // Without namespaces there are no layers; who goes without puts the files back himself.
  const bool layers = wish.missing == contain::Missing::refuse || wish.namespaces_found ||
                      !contain::try_namespaces();
  if (!layers) writes = Writes::stay;
  const bool git = layers && has_repository(folder);
  if (writes == Writes::stay) wish.write.push_back(folder);
  if (writes == Writes::stay && !git) return room;
  const std::string place = TRY(room.place_for(walls, folder));
  // Journal and worktrees of the project are nothing for a command in its checkout.
  if (room.elsewhere_) {
    TRY_VOID(make_folders(place + "/empty"));
    wish.mounts.push_back({folder + "/.capsule", place + "/empty", contain::Access::read});
  }
  if (writes == Writes::vanish) {
    wish.layer = place + "/layer";
    TRY_VOID(make_folders(wish.layer));
    room.written_ = wish.layer + contain::kUpper;
  }
  if (!git) return room;
  const auto made =
      git::make_private_repository(walls.repository, folder, place + "/repository", walls.main_ref);
  // Whatever it is then, it is no repository of ours, and leads nowhere inside.
  if (!made && made.error().reason == Reason::not_found) return room;
  if (!made) return tl::unexpected(made.error());
  for (contain::Mount& mount : mounts_of(*made, walls.repository))
    wish.mounts.push_back(std::move(mount));
  return room;
}

}  // namespace capsule::gate
