#include "process/contained.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "contain/places.h"
#include "contain/wish_wire.h"
#include "contain/without.h"
#include "process/fd.h"

namespace capsule::process {
namespace {

// A variable whose value stays outside, with whoever stands between the tree and its service.
bool is_kept(const contain::Wish& wish, const std::string& name) {
  if (!wish.broker) return false;
  const auto& keys = wish.broker->keys;
  return name == wish.broker->url_variable ||
         std::any_of(keys.begin(), keys.end(),
                     [&](const auto& key) { return key.variable == name; });
}

Result<std::string> read_to_end(int fd) {
  std::string bytes;
  char piece[4096];
  for (;;) {
    const ssize_t count = ::read(fd, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(io_error("read", "what is wished", errno));
    if (count == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(count));
  }
}

}  // namespace

const std::vector<std::string>& GuardedSettings::now() {
  constexpr std::int64_t kMomentMs = 2000;
  const std::int64_t now = monotonic_ms();
  if (!asked_ms_ || now - *asked_ms_ > kMomentMs) {
    paths_ = contain::guarded_settings();
    asked_ms_ = now;
  }
  return paths_;
}

Result<File> wish_file(contain::Wish wish, const Surroundings& around) {
  if (wish.start.empty()) wish.start = around.folder;
  if (wish.folder.empty()) wish.folder = around.folder;
  if (wish.home.empty()) wish.home = env_value(around.env, "HOME");
  if (wish.search.empty()) wish.search = env_value(around.env, "PATH");
  wish.guarded = around.guarded;
  // Which folders of PATH are there inside is not for the tree to say; what it takes out of the
  // environment is not in the guardian's either.
  for (const EnvChange& change : around.changes)
    if (change.value && change.name != "PATH" && !is_kept(wish, change.name))
      wish.set.push_back(change.name + "=" + *change.value);
  return memory_file(contain::bytes_of(wish));
}

Result<contain::Inside> start_contained(int fd, const std::vector<std::string>& argv) {
  const File file(fd);
  const contain::Wish wish = TRY(contain::read_wish(TRY(read_to_end(file.fd()))));
  contain::Policy policy = TRY(contain::make_policy(wish));
  contain::leave_out(policy);
  return contain::start(policy, argv, contain::Signals::none_blocked);
}

}  // namespace capsule::process
