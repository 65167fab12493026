#include "contain/root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "contain/layer.h"
#include "contain/mounts.h"
#include "contain/places.h"

namespace capsule::contain {
namespace {

constexpr const char* kDevices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                    "/dev/random", "/dev/urandom", "/dev/tty"};
// Of /proc: what changes the machine can be read at most, what tells about it is empty.
constexpr const char* kProcReadOnly[] = {"sys",    "irq",  "bus",           "fs",      "driver",
                                         "asound", "mtrr", "sysrq-trigger", "pressure"};
constexpr const char* kProcHidden[] = {"kcore",       "kmsg",        "keys",         "key-users",
                                       "timer_list",  "sched_debug", "acpi",         "scsi",
                                       "kpagecgroup", "kpagecount",  "kpageflags",   "kallsyms",
                                       "slabinfo",    "vmallocinfo", "dynamic_debug"};
constexpr const char* kMemorySize = "1g";
constexpr const char* kScratchSize = "50%";  // of the machine's memory
constexpr const char* kScratch = "/.scratch";

class Builder {
 public:
  explicit Builder(const Policy& policy) : policy_(policy) {}

  Result<void> build() {
    TRY_VOID(begin());
    for (const Link& link : policy_.links) TRY_VOID(add_link(link));
    // Nothing that was given covers our own /proc and /dev, and they cover nothing: a project may
    // well lie in the machine's /dev/shm.
    for (const Place& place : policy_.places)
      if (!is_in_shared_memory(place)) TRY_VOID(add(place));
    TRY_VOID(add_proc());
    TRY_VOID(add_dev());
    for (const Place& place : policy_.places)
      if (is_in_shared_memory(place)) TRY_VOID(add(place));
    return finish();
  }

 private:
  static bool is_in_shared_memory(const Place& place) {
    return place.path.starts_with("/dev/shm/");
  }

  Result<void> begin() {
    // What happens outside from now on is not seen inside, nor the other way round.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return tl::unexpected(refused_step("part its mounts from the machine's", errno));
    // The new root lies upon the old one; until we move, paths still lead through the old one.
    root_ = TRY(new_memory(kMemorySize, "0755"));
    const File slash(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    return attach(root_, slash.fd(), "the new root");
  }

  Result<void> add_link(const Link& link) {
    if (::symlinkat(link.target.c_str(), root_.fd(), link.path.c_str() + 1) != 0)
      return tl::unexpected(refused_step("make the link " + printable(link.path), errno));
    return {};
  }

  Result<void> add(const Place& place) {
    const File tree = TRY(tree_for(place));
    return put(tree, place.path, place.folder ? Make::folder : Make::file);
  }

  Result<File> tree_for(const Place& place) {
    switch (place.access) {
      case Access::read:
        return clone_tree(TRY(open_again(place)).fd(), place.path, Writable::no);
      case Access::write:
        return clone_tree(TRY(open_again(place)).fd(), place.path, Writable::yes);
      case Access::scratch:
        return scratch_over(place);
      case Access::hidden:
        return place.folder ? hidden_folder() : clone_device("/dev/null");
      case Access::memory:
        break;
    }
    return new_memory(kMemorySize, is_shared(place.path) ? "1777" : "0700");
  }

  static bool is_shared(std::string_view path) { return path.ends_with("/tmp"); }

  static Result<File> hidden_folder() {
    File empty = TRY(new_memory("4k", "0555"));
    TRY_VOID(make_read_only(empty, "an empty folder"));
    return empty;
  }

  Result<File> scratch_over(const Place& place) {
    const File source = TRY(open_again(place));
    if (!place.layer.path.empty())
      return layered(place, source, TRY(open_again(place.layer.path, place.layer.file)));
    if (!scratch_) {
      scratch_ = TRY(new_memory(kScratchSize, "0700"));
      const File at = TRY(make_target(root_.fd(), kScratch, Make::folder));
      TRY_VOID(attach(scratch_, at.fd(), "a scratch layer"));
    }
    const std::string own = "/" + std::to_string(++layers_);
    return layered(place, source, TRY(make_target(scratch_.fd(), own, Make::folder)));
  }

  // Nobody can go there by a path any more: the overlays hold it.
  Result<void> close_scratch() {
    if (!scratch_) return {};
    const std::string path = "/proc/self/fd/" + std::to_string(scratch_.fd());
    if (::umount2(path.c_str(), MNT_DETACH) != 0)
      return tl::unexpected(refused_step("close the scratch layer", errno));
    ::unlinkat(root_.fd(), kScratch + 1, AT_REMOVEDIR);
    return {};
  }

  static Result<File> layered(const Place& place, const File& source, const File& layer) {
    const File upper = TRY(make_target(layer.fd(), kUpper, Make::folder));
    const File work = TRY(make_target(layer.fd(), kWork, Make::folder));
    TRY_VOID(like(source, upper));
    std::vector<int> lower{source.fd()};
    File cover;
    if (!place.cover.path.empty()) {
      cover = TRY(open_again(place.cover.path, place.cover.file));
      lower.insert(lower.begin(), cover.fd());
    }
    auto overlay = new_overlay(lower, upper.fd(), work.fd());
    if (!overlay)
      return fail(
          Reason::refused,
          "cannot lay scratch over " + printable(place.path) + ": " + overlay.error().message,
          "it needs overlayfs in user namespaces (Linux 5.11): modprobe overlay");
    return overlay;
  }

  // The folder that shows is the layer's: it gets the rights of what it covers.
  static Result<void> like(const File& source, const File& upper) {
    struct stat info {};
    const std::string path = "/proc/self/fd/" + std::to_string(upper.fd());
    if (::fstat(source.fd(), &info) != 0 || ::chmod(path.c_str(), info.st_mode & 07777) != 0)
      return tl::unexpected(refused_step("set the rights of a scratch layer", errno));
    return {};
  }

  Result<void> add_proc() {
    if (policy_.without.own_processes) {
      const File foreign(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
      return put(TRY(clone_tree(foreign.fd(), "/proc", Writable::yes)), "/proc", Make::folder);
    }
    const auto made = new_system("proc", "", "");
    if (!made)
      return fail(Reason::refused, made.error().message,
                  "inside a container, /proc has to be whole: docker run "
                  "--security-opt systempaths=unconfined");
    TRY_VOID(put(*made, "/proc", Make::folder));
    if (policy_.without.proc_read_only) return {};
    for (const char* name : kProcReadOnly) {
      if (::faccessat(made->fd(), name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const File tree = TRY(clone_read_only(made->fd(), name));
      TRY_VOID(put_in(tree, made->fd(), name));
    }
    for (const char* name : kProcHidden) {
      struct stat info {};
      if (::fstatat(made->fd(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const File tree = TRY(S_ISDIR(info.st_mode) ? hidden_folder() : clone_device("/dev/null"));
      TRY_VOID(put_in(tree, made->fd(), name));
    }
    return {};
  }

  Result<void> add_dev() {
    const File dev = TRY(new_memory("64k", "0755"));
    TRY_VOID(put(dev, "/dev", Make::folder));
    for (const char* path : kDevices) {
      const File tree = TRY(clone_device(path));
      TRY_VOID(put(tree, path, Make::file));
    }
    TRY_VOID(put(TRY(new_memory(kMemorySize, "1777")), "/dev/shm", Make::folder));
    TRY_VOID(put(TRY(new_system("devpts", "ptmxmode", "0666")), "/dev/pts", Make::folder));
    constexpr std::pair<const char*, const char*> kLinks[] = {{"pts/ptmx", "ptmx"},
                                                              {"/proc/self/fd", "fd"},
                                                              {"/proc/self/fd/0", "stdin"},
                                                              {"/proc/self/fd/1", "stdout"},
                                                              {"/proc/self/fd/2", "stderr"}};
    for (const auto& [target, name] : kLinks)
      if (::symlinkat(target, dev.fd(), name) != 0)
        return tl::unexpected(refused_step("make a link in /dev", errno));
    return make_read_only(dev, "/dev");
  }

  Result<void> put(const File& tree, const std::string& path, Make make) {
    const File target = TRY(make_target(root_.fd(), path, make));
    return attach(tree, target.fd(), path);
  }

  static Result<void> put_in(const File& tree, int folder, const char* name) {
    const File target = TRY(make_target(folder, std::string("/") + name, Make::file));
    return attach(tree, target.fd(), std::string("/proc/") + name);
  }

  Result<void> finish() {
    TRY_VOID(close_scratch());
    TRY_VOID(make_read_only(root_, "the new root"));
    // The old root comes to lie upon the new one, and is taken off.
    if (::fchdir(root_.fd()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
        ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0)
      return tl::unexpected(refused_step("leave the machine's root", errno));
    if (::chdir(policy_.start.c_str()) != 0)
      return tl::unexpected(refused_step("go to " + printable(policy_.start), errno));
    return {};
  }

  const Policy& policy_;
  File root_;
  File scratch_;  // memory for all layers that vanish; none: no layer is needed
  int layers_ = 0;
};

}  // namespace

Result<void> enter_folder(const Policy& policy) {
  for (const Place& place : policy.places) {
    if (place.path != policy.folder) continue;
    const File folder = TRY(open_again(place));
    if (::fchdir(folder.fd()) == 0 && ::chdir(policy.start.c_str()) == 0) return {};
  }
  return tl::unexpected(refused_step("go to " + printable(policy.start), errno));
}

Result<void> enter_root(const Policy& policy) { return Builder(policy).build(); }

}  // namespace capsule::contain
