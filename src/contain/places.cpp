#include "contain/places.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <memory>

#include "base/text.h"

namespace capsule::contain {
namespace {

constexpr const char* kSystem[] = {"/usr",    "/bin", "/sbin", "/lib",       "/lib32",    "/lib64",
                                   "/libx32", "/opt", "/etc",  "/nix/store", "/gnu/store"};
// Where the names of hosts are looked up, when it is a link out of /etc.
constexpr const char* kResolver = "/etc/resolv.conf";

// Folders of version managers, which a folder on PATH is of no use without. None of them is known
// to hold secrets; .cargo does, and is not here.
constexpr std::string_view kToolHomes[] = {
    "/.pyenv", "/.rbenv", "/.nodenv", "/.goenv",  "/.jenv", "/.asdf",      "/.nvm",     "/.volta",
    "/.bun",   "/.deno",  "/.rustup", "/.sdkman", "/mise",  "/miniconda3", "/anaconda3"};
// The programs in the first are links to the second.
constexpr std::string_view kCargo = "/.cargo/bin";
constexpr std::string_view kRustup = "/.rustup";

int open_without_links(int folder, const char* path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how));
}

Result<Place> pinned_place(File file, std::string path, Access access) {
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) return tl::unexpected(io_error("look at", path, errno));
  if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))
    return fail(Reason::refused, printable(path) + " is neither a folder nor a regular file");
  return Place{std::move(path), access, std::move(file), S_ISDIR(info.st_mode)};
}

std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : "";
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// Adds what below `path` we may read and others may not.
void add_guarded(const std::string& path, std::vector<std::string>& guarded) {
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(path.c_str()));
  if (!dir) return;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || entry->d_type == DT_LNK) continue;
    struct stat info {};
    if (::fstatat(::dirfd(dir.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool folder = S_ISDIR(info.st_mode);
    const std::string inner = path + "/" + entry->d_name;
    const mode_t needed = folder ? S_IROTH | S_IXOTH : S_IROTH;
    if ((info.st_mode & needed) == needed) {
      if (folder) add_guarded(inner, guarded);
      continue;
    }
    if (::faccessat(::dirfd(dir.get()), entry->d_name, folder ? X_OK : R_OK, AT_EACCESS) == 0)
      guarded.push_back(inner);
  }
}

bool is_seen(const std::vector<Place>& places, std::string_view path) {
  for (const Place& place : places)
    if (is_within(path, place.path)) return true;
  return false;
}

// What has to be seen for the programs in a folder of PATH to run.
std::vector<std::string> folders_for(const std::string& path) {
  for (const std::string_view name : kToolHomes)
    if (const std::size_t at = (path + "/").find(std::string(name) + "/"); at != path.npos)
      return {path.substr(0, at + name.size())};
  if (path.ends_with(kCargo))
    return {path, path.substr(0, path.size() - kCargo.size()) + std::string(kRustup)};
  return {path};
}

}  // namespace

Result<File> open_place(const std::string& path) {
  File file(open_without_links(AT_FDCWD, path.c_str()));
  if (!file && errno == ENOSYS)
    return fail(Reason::refused, "openat2 is missing: another sandbox forbids it",
                "containers and other sandboxes often forbid namespaces, too: run capsule outside");
  if (!file) return tl::unexpected(io_error("open", path, errno));
  return file;
}

Result<Place> pin(const std::string& path, Access access) {
  std::string real = TRY(real_path(path));
  File file = TRY(open_place(real));
  return pinned_place(std::move(file), std::move(real), access);
}

Result<Place> pin_beneath(const Place& folder, const std::string& name, Access access) {
  const std::string path = folder.path + "/" + name;
  File file(open_without_links(folder.pinned.fd(), name.c_str()));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  return pinned_place(std::move(file), path, access);
}

Result<File> open_again(const std::string& path, const File& pinned) {
  File file = TRY(open_place(path));
  struct stat then {
  }, now{};
  if (::fstat(pinned.fd(), &then) != 0 || ::fstat(file.fd(), &now) != 0 ||
      then.st_dev != now.st_dev || then.st_ino != now.st_ino)
    return fail(Reason::refused, printable(path) + " is not what it was at the start",
                "somebody has put something else in its place; look at it, then start again");
  return file;
}

Result<File> open_again(const Place& place) { return open_again(place.outside(), place.pinned); }

std::vector<std::string> guarded_settings() {
  std::vector<std::string> guarded;
  add_guarded("/etc", guarded);
  return guarded;
}

Result<Ground> system_ground(const std::vector<std::string>& guarded) {
  Ground ground;
  for (const std::string path : kSystem) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) continue;
    if (S_ISLNK(info.st_mode)) {
      ground.links.push_back({path, link_target(path)});
      continue;
    }
    ground.places.push_back(TRY(pin(path, Access::read)));
  }
  for (const std::string& path : guarded)
    if (auto place = pin(path, Access::hidden)) ground.places.push_back(std::move(*place));
  if (auto resolver = pin(kResolver, Access::read))
    if (!is_seen(ground.places, resolver->path)) ground.places.push_back(std::move(*resolver));
  return ground;
}

std::string add_search_places(std::vector<Place>& places, const std::string& search,
                              const std::string& home, const std::string& folder) {
  std::string left;
  for (const std::string_view part : split(search, ':')) {
    if (!part.starts_with('/')) continue;
    auto place = pin(std::string(part), Access::read);
    if (!place || !place->folder || is_within(home, place->path) || is_within(folder, place->path))
      continue;
    left += (left.empty() ? "" : ":") + std::string(part);
    for (const std::string& seen : folders_for(place->path))
      if (!is_seen(places, seen))
        if (auto more = pin(seen, Access::read)) places.push_back(std::move(*more));
  }
  return left.empty() ? "/usr/local/bin:/usr/bin:/bin" : left;
}

}  // namespace capsule::contain
