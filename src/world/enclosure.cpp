#include "world/enclosure.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "contain/layer.h"
#include "git/branch.h"
#include "git/ignored.h"
#include "git/import_commits.h"
#include "git/paths.h"
#include "git/refs.h"
#include "world/private_home.h"

namespace capsule::world {
namespace {

constexpr const char* kWorklog = "worklog.md";
constexpr std::size_t kMaxWorklogBytes = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kMaxTried = 200;

}  // namespace

Result<Enclosure> Enclosure::make(const git::Repository& repository, const Occupant& occupant,
                                  Instructions& instructions, contain::Wish& wish) {
  Enclosure made(repository, occupant, TRY(git::TemporaryFolder::make(repository)));
  made.occupant_.folder = TRY(real_path(occupant.folder));
  made.writes_ = wish.role == contain::Role::writer;
  if (::mkdir(made.own_.path().c_str(), 0700) != 0)
    return tl::unexpected(git::system_error("create", made.own_.path()));
  TRY_VOID(made.add_home(wish));
  TRY_VOID(made.add_repository(wish));
  if (!made.writes_) TRY_VOID(made.add_layer(instructions, wish));
  TRY_VOID(made.hide_own_area(wish));
  return made;
}

// A key that stays outside is not to be found in a file inside, nor in one that an earlier agent
// had: it is another home.
Result<void> Enclosure::add_home(contain::Wish& wish) {
  const agent::Client* client = wish.broker ? nullptr : occupant_.client;
  if (!writes_ && occupant_.session.empty()) {
    wish.private_home = TRY(ready_home_at(own_.path() + "/home", client, wish.home));
    return {};
  }
  // Several of one role may judge at a time.
  const std::string whose =
      (writes_ ? "writer" : "session-" + occupant_.session) + (wish.broker ? " without key" : "");
  if (!writes_) {
    home_ = whose;
    TRY_VOID(keep_sessions(repository_.top, homes(), home_,
                           occupant_.resumes ? occupant_.client : nullptr));
  }
  wish.private_home = TRY(ready_home(repository_.top, homes(), whose, client, wish.home));
  return {};
}

Result<void> Enclosure::add_repository(contain::Wish& wish) {
  if (repository_.common_dir.empty()) return {};
  main_ref_ = git::main_ref_of(repository_, occupant_.main_branch);
  private_ =
      TRY(git::make_private_repository(repository_, occupant_.folder, own_.path() + "/git",
                                       main_ref_, writes_ ? git::Hooks::run : git::Hooks::none));
  wish.mounts.push_back({repository_.common_dir, private_->folder, contain::Access::write});
  for (const auto& seen : private_->seen) wish.mounts.push_back({seen.path, seen.source});
  return {};
}

Result<void> Enclosure::add_layer(Instructions& instructions, contain::Wish& wish) {
  if (is_checkout()) outside_.emplace(TRY(agent::Scratch::create()));
  if (private_) {
    cover_ = (is_checkout() ? outside_->path() : own_.path()) + "/cover";
    const std::string base =
        occupant_.base.empty() ? git::read_ref(repository_, main_ref_) : occupant_.base;
    const auto dot_env = occupant_.client != nullptr && occupant_.client->reads_dot_env
                             ? DotEnv::instructs
                             : DotEnv::is_data;
    if (!TRY(instructions.cover(base, occupant_.folder, cover_, dot_env))) cover_.clear();
    wish.cover = cover_;
  }
  // Over the checkout the layer is in memory.
  if (is_checkout()) return {};
  layer_ = own_.path() + "/layer";
  if (::mkdir(layer_.c_str(), 0700) != 0)
    return tl::unexpected(git::system_error("create", layer_));
  wish.layer = layer_;
  return {};
}

// In the user's checkout the journal, other trees and all homes would be in its folder.
Result<void> Enclosure::hide_own_area(contain::Wish& wish) const {
  if (!is_checkout()) return {};
  const std::string empty = own_.path() + "/empty";
  TRY_VOID(make_folders(empty));
  wish.mounts.push_back({repository_.top + "/.capsule", empty});
  return {};
}

Result<Released> Enclosure::release() {
  Released released;
  TRY_VOID(writes_ ? take_commits(released) : take_layer(released));
  if (!home_.empty()) TRY_VOID(keep_sessions(repository_.top, homes(), home_, occupant_.client));
  return released;
}

Result<void> Enclosure::take_commits(Released& released) const {
  if (!private_) return {};
  auto imported = git::import_commits(repository_, occupant_.folder, *private_, main_ref_);
  if (imported) {
    released.odd = std::move(imported->odd);
    return {};
  }
  const Error& error = imported.error();
  if (error.reason != Reason::refused && error.reason != Reason::conflict)
    return tl::unexpected(error);
  released.odd.push_back(error.message + "; " + error.hint);
  return {};
}

std::string Enclosure::homes() const {
  return is_checkout() ? std::string(kCheckoutHomes) : git::name_of(occupant_.folder);
}

// True: it was a file that could be taken over.
Result<bool> Enclosure::take_worklog() const {
  const auto text = read_file_beneath(layer_ + contain::kUpper, kWorklog, kMaxWorklogBytes);
  if (!text) return false;
  if (occupant_.leaves_worklog)
    TRY_VOID(replace_file(occupant_.folder + "/" + kWorklog, *text, 0644, own_.path() + "/aside"));
  return true;
}

Result<void> Enclosure::take_layer(Released& released) const {
  // Nothing ever ran there, or the kernel has no layers and it could only read.
  if (layer_.empty() || !git::is_plain_folder(layer_ + contain::kUpper)) return {};
  const contain::LayerChanges changes = TRY(contain::list_layer(layer_, occupant_.folder, cover_));
  const bool worklog = TRY(take_worklog());
  std::vector<std::string> paths;
  for (const contain::LayerChange& change : changes.all)
    if (!(worklog && change.path == kWorklog) && (paths.empty() || paths.back() != change.path))
      paths.push_back(change.path);
  released.tried = git::without_ignored(repository_, occupant_.folder, std::move(paths));
  if (changes.more || released.tried.size() > kMaxTried) {
    released.tried.resize(std::min(released.tried.size(), kMaxTried));
    released.tried.emplace_back("(and more)");
  }
  return {};
}

}  // namespace capsule::world
