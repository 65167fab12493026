#include "contain/layer.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "base/files.h"
#include "base/text.h"

namespace capsule::contain {
namespace {

using Kind = LayerChange::Kind;

constexpr int kMaxDepth = 128;  // of folders; each holds up to three descriptors
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr const char* kOpaque = "user.overlay.opaque";

struct CloseStream {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

bool is_gap(const struct stat& info) {
  return S_ISCHR(info.st_mode) && info.st_rdev == makedev(0, 0);
}

bool is_opaque(const File& folder) {
  char value = 0;
  return ::fgetxattr(folder.fd(), kOpaque, &value, 1) == 1 && value == 'y';
}

File folder_in(const File& parent, const std::string& name) {
  return parent ? File(::openat(parent.fd(), name.c_str(), kFolderFlags)) : File();
}

// What one name is, in one folder.
struct Entry {
  bool there = false;
  struct stat info = {};
  int parent = -1;

  bool folder() const { return there && S_ISDIR(info.st_mode); }
};

Entry entry_in(const File& parent, const std::string& name) {
  Entry entry;
  entry.parent = parent.fd();
  entry.there =
      parent && ::fstatat(parent.fd(), name.c_str(), &entry.info, AT_SYMLINK_NOFOLLOW) == 0;
  return entry;
}

// The same folder below the layer: that of the cover over that of the folder, where they are.
struct Below {
  File cover = {};
  File folder = {};

  Entry entry(const std::string& name) const {
    const Entry covered = entry_in(cover, name);
    if (covered.there) return is_gap(covered.info) ? Entry{} : covered;
    return entry_in(folder, name);
  }
  // Requires: entry(name) is a folder.
  Below inner(const std::string& name) const {
    Below below{folder_in(cover, name), {}};
    if (below.cover && is_opaque(below.cover)) return below;
    if (below.cover || !entry_in(cover, name).there) below.folder = folder_in(folder, name);
    return below;
  }
};

std::string target_of(const Entry& link, const std::string& name) {
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(link.parent, name.c_str(), target, sizeof target);
  return std::string(target, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

File open_regular(const Entry& entry, const std::string& name) {
  return File(::openat(entry.parent, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

std::size_t read_some(const File& file, char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(file.fd(), buffer + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

bool same_bytes(const File& one, const File& other) {
  std::vector<char> a(1 << 16);
  std::vector<char> b(1 << 16);
  if (!one || !other) return false;
  for (;;) {
    const std::size_t count = read_some(one, a.data(), a.size());
    if (read_some(other, b.data(), b.size()) != count) return false;
    if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count), b.begin()))
      return false;
    if (count < a.size()) return true;
  }
}

class Lister {
 public:
  explicit Lister(const LayerLimits& limits) : limits_(limits) {}

  void list(const File& upper, const Below& below, const std::string& prefix, int depth) {
    const std::vector<std::string> names = names_in(upper);
    for (const std::string& name : names) look_at(upper, below, name, prefix, depth);
    if (!is_opaque(upper)) return;
    // The folder was made anew: what it does not hold any more is gone.
    for (const File* folder : {&below.cover, &below.folder})
      for (const std::string& name : names_in(*folder))
        if (!std::binary_search(names.begin(), names.end(), name))
          removed(below.entry(name), prefix + name);
  }

  LayerChanges result() {
    auto& all = changes_.all;
    const auto before = [](const LayerChange& a, const LayerChange& b) {
      return a.path != b.path ? a.path < b.path : a.kind < b.kind;
    };
    std::sort(all.begin(), all.end(), before);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return std::move(changes_);
  }

 private:
  std::vector<std::string> names_in(const File& folder) {
    std::vector<std::string> names;
    if (!folder) return names;
    const int copy = ::openat(folder.fd(), ".", kFolderFlags);
    const std::unique_ptr<DIR, CloseStream> stream(copy < 0 ? nullptr : ::fdopendir(copy));
    if (!stream) return names;
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (looked_at_ >= limits_.looked_at) {
        changes_.more = true;
        break;
      }
      ++looked_at_;
      names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void look_at(const File& upper, const Below& below, const std::string& name,
               const std::string& prefix, int depth) {
    const Entry above = entry_in(upper, name);
    const Entry before = below.entry(name);
    const std::string path = prefix + name;
    if (!above.there) return;
    if (is_gap(above.info)) return removed(before, path);
    if (before.there && (before.info.st_mode & S_IFMT) != (above.info.st_mode & S_IFMT)) {
      removed(before, path);
      return appeared(upper, above, name, path, depth);
    }
    if (!before.there) return appeared(upper, above, name, path, depth);
    if (above.folder()) return inside(upper, below.inner(name), name, path, depth, Kind::changed);
    if (!same(above, before, name)) add(Kind::changed, path);
  }

  void appeared(const File& upper, const Entry& above, const std::string& name,
                const std::string& path, int depth) {
    if (!above.folder()) return add(Kind::added, path);
    const std::size_t count = changes_.all.size();
    inside(upper, {}, name, path, depth, Kind::added);
    if (changes_.all.size() == count) add(Kind::added, path + "/");
  }

  void inside(const File& upper, const Below& below, const std::string& name,
              const std::string& path, int depth, Kind kind) {
    const File folder = folder_in(upper, name);
    if (folder && depth < kMaxDepth) return list(folder, below, path + "/", depth + 1);
    changes_.more = true;
    add(kind, path + "/");
  }

  bool same(const Entry& above, const Entry& before, const std::string& name) const {
    if (S_ISLNK(above.info.st_mode)) return target_of(above, name) == target_of(before, name);
    if (!S_ISREG(above.info.st_mode)) return false;
    if (above.info.st_size != before.info.st_size ||
        (above.info.st_mode & S_IXUSR) != (before.info.st_mode & S_IXUSR) ||
        static_cast<std::size_t>(above.info.st_size) > limits_.compared_bytes)
      return false;
    return same_bytes(open_regular(above, name), open_regular(before, name));
  }

  void removed(const Entry& before, const std::string& path) {
    if (before.there) add(Kind::removed, before.folder() ? path + "/" : path);
  }

  void add(Kind kind, const std::string& path) {
    if (changes_.all.size() >= limits_.changes) {
      changes_.more = true;
      return;
    }
    changes_.all.push_back({kind, path});
  }

  const LayerLimits& limits_;
  LayerChanges changes_;
  std::size_t looked_at_ = 0;
};

Result<File> open_folder(const std::string& path) {
  File folder(::open(path.c_str(), kFolderFlags));
  if (!folder) return tl::unexpected(io_error("open", path, errno));
  return folder;
}

}  // namespace

Result<LayerChanges> list_layer(const std::string& layer, const std::string& folder,
                                const std::string& cover, const LayerLimits& limits) {
  const File upper = TRY(open_folder(layer + kUpper));
  Below below;
  below.folder = TRY(open_folder(folder));
  if (!cover.empty()) below.cover = TRY(open_folder(cover));
  Lister lister(limits);
  lister.list(upper, below, "", 0);
  return lister.result();
}

Result<void> make_gap(const std::string& cover, const std::string& relative) {
  const std::string path = cover + "/" + relative;
  if (::mknod(path.c_str(), S_IFCHR, makedev(0, 0)) == 0) return {};
  return fail(Reason::refused, io_error("make a gap at", path, errno).message);
}

Result<void> make_opaque(const std::string& cover, const std::string& relative) {
  const std::string path = cover + "/" + relative;
  if (::setxattr(path.c_str(), kOpaque, "y", 1, 0) == 0) return {};
  return fail(Reason::refused, io_error("mark", path, errno).message);
}

}  // namespace capsule::contain
