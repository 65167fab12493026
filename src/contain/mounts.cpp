#include "contain/mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/listed.h"
#include "base/text.h"

namespace capsule::contain {
namespace {

Result<File> cloned(int folder, const char* path, const std::string& name, unsigned recursive) {
  File tree(::open_tree(
      folder, path,
      AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive));
  if (!tree) return tl::unexpected(refused_step("take over " + printable(name), errno));
  return tree;
}

Result<void> restrict_tree(const File& tree, const std::string& name, std::uint64_t attributes,
                           unsigned recursive) {
  mount_attr change{};
  change.attr_set = attributes;
  if (::mount_setattr(tree.fd(), "", AT_EMPTY_PATH | recursive, &change, sizeof change) != 0)
    return tl::unexpected(refused_step("restrict " + printable(name), errno));
  return {};
}

Result<File> made(const File& context, const char* type, unsigned attributes) {
  if (!context) return tl::unexpected(refused_step(std::string("make a new ") + type, errno));
  if (::fsconfig(context.fd(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return tl::unexpected(refused_step(std::string("make a new ") + type, errno));
  File mount(::fsmount(context.fd(), FSMOUNT_CLOEXEC, attributes));
  if (!mount) return tl::unexpected(refused_step(std::string("mount a new ") + type, errno));
  return mount;
}

Result<void> set_option(const File& context, const char* name, const std::string& value) {
  if (::fsconfig(context.fd(), FSCONFIG_SET_STRING, name, value.c_str(), 0) != 0)
    return tl::unexpected(refused_step(std::string("set the mount option ") + name, errno));
  return {};
}

}  // namespace

Error refused_step(const std::string& doing, int error_number) {
  return {Reason::refused, "cannot " + doing + ": " + std::strerror(error_number)};
}

Result<File> clone_tree(int place, const std::string& name, Writable writable) {
  // With all that is mounted in it: the kernel would not part what it shows as one.
  File tree = TRY(cloned(place, "", name, AT_RECURSIVE));
  const std::uint64_t read_only = writable == Writable::yes ? 0 : MOUNT_ATTR_RDONLY;
  TRY_VOID(
      restrict_tree(tree, name, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | read_only, AT_RECURSIVE));
  return tree;
}

Result<File> clone_device(const char* path) {
  File tree = TRY(cloned(AT_FDCWD, path, path, 0));
  TRY_VOID(restrict_tree(tree, path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, 0));
  return tree;
}

Result<File> clone_read_only(int folder, const char* name) {
  File tree = TRY(cloned(folder, name, name, AT_RECURSIVE));
  TRY_VOID(restrict_tree(tree, name, MOUNT_ATTR_RDONLY, AT_RECURSIVE));
  return tree;
}

Result<File> new_memory(const char* size, const char* mode) {
  const File context(::fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (context) {
    TRY_VOID(set_option(context, "size", size));
    TRY_VOID(set_option(context, "mode", mode));
  }
  return made(context, "tmpfs", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

Result<File> new_system(const char* type, const std::string& option, const char* value) {
  const File context(::fsopen(type, FSOPEN_CLOEXEC));
  if (context && !option.empty()) TRY_VOID(set_option(context, option.c_str(), value));
  return made(context, type, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
}

Result<File> new_overlay(const std::vector<int>& lower, int upper, int work) {
  const auto by_descriptor = [](int fd) { return "/proc/self/fd/" + std::to_string(fd); };
  const File context(::fsopen("overlay", FSOPEN_CLOEXEC));
  if (context) {
    TRY_VOID(set_option(context, "lowerdir", listed(lower, by_descriptor, ":")));
    TRY_VOID(set_option(context, "upperdir", by_descriptor(upper)));
    TRY_VOID(set_option(context, "workdir", by_descriptor(work)));
    if (::fsconfig(context.fd(), FSCONFIG_SET_FLAG, "userxattr", nullptr, 0) != 0)
      return tl::unexpected(refused_step("set the mount option userxattr", errno));
    // Else its end has the whole file system of `upper` written to its disk, others' files too, and
    // whoever waits for the command waits for that. A kernel without the option does so.
    (void)::fsconfig(context.fd(), FSCONFIG_SET_FLAG, "volatile", nullptr, 0);
    // So it is marked: who mounts it again has to know that nothing was lost. We know it, as a
    // layer is used by one run of Capsule alone.
    ::unlinkat(work, "work/incompat/volatile/dirty", 0);
    for (const char* mark : {"work/incompat/volatile", "work/incompat"})
      ::unlinkat(work, mark, AT_REMOVEDIR);
  }
  return made(context, "overlay", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

Result<void> attach(const File& tree, int target, const std::string& name) {
  if (::move_mount(tree.fd(), "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) !=
      0)
    return tl::unexpected(refused_step("put " + printable(name) + " in its place", errno));
  return {};
}

Result<void> make_read_only(const File& mount, const std::string& name) {
  return restrict_tree(mount, name, MOUNT_ATTR_RDONLY, 0);
}

Result<File> make_target(int root, const std::string& path, Make make) {
  const auto parts = split(std::string_view(path).substr(1), '/');
  File current(::openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part(parts[i]);
    const bool folder = i + 1 < parts.size() || make == Make::folder;
    File next(::openat(current.fd(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next && errno == ENOENT) {
      const int failed = folder ? ::mkdirat(current.fd(), part.c_str(), 0755)
                                : ::mknodat(current.fd(), part.c_str(), S_IFREG | 0644, 0);
      if (failed != 0)
        return tl::unexpected(refused_step("make a place for " + printable(path), errno));
      next = File(::openat(current.fd(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    }
    if (!next) return tl::unexpected(refused_step("find the place of " + printable(path), errno));
    current = std::move(next);
  }
  return current;
}

}  // namespace capsule::contain
