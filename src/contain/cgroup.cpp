#include "contain/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/text.h"

namespace capsule::contain {
namespace {

constexpr std::string_view kOurs = "capsule-";
constexpr const char* kLeaf = "/capsule";  // of who was there before
// What was killed is still there for a moment.
constexpr int kTries = 50;
constexpr std::uint64_t kCpuPeriodUs = 100'000;  // the kernel's own
constexpr std::chrono::milliseconds kPause{2};

// Files of a cgroup take a value in one piece, and are never made.
Result<void> set_value(const std::string& path, std::string_view value) {
  const File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return tl::unexpected(io_error("write", path, errno));
  return write_all(file.fd(), value, path);
}

std::string contents_of(const std::string& path) { return read_file(path).value_or(""); }

void remove_cgroup(const std::string& folder) {
  (void)set_value(folder + "/cgroup.kill", "1");
  for (int i = 0; i < kTries && ::rmdir(folder.c_str()) != 0 && errno == EBUSY; ++i)
    std::this_thread::sleep_for(kPause);
}

struct CloseDirectory {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::vector<std::string> ours_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir(folder.c_str()));
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr)
    if (std::string_view(entry->d_name).starts_with(kOurs)) names.emplace_back(entry->d_name);
  return names;
}

// "capsule-PID-WORD": whose guardian is gone. Another's of the same number keeps it; that costs
// nothing.
void sweep(const std::string& folder) {
  for (const std::string& name : ours_in(folder)) {
    pid_t owner = 0;
    std::from_chars(name.data() + kOurs.size(), name.data() + name.size(), owner);
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) remove_cgroup(folder + "/" + name);
  }
}

// Everybody in it, so that its children may have limits.
Result<void> move_to_leaf(const std::string& folder) {
  const std::string leaf = folder + kLeaf;
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST)
    return tl::unexpected(io_error("make", leaf, errno));
  const std::string processes = contents_of(folder + "/cgroup.procs");
  for (const std::string_view process : split(processes, '\n'))
    if (!process.empty()) TRY_VOID(set_value(leaf + "/cgroup.procs", process));
  return {};
}

std::uint64_t event_in(const std::string& text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ' ') continue;
    std::uint64_t count = 0;
    std::from_chars(line.data() + name.size() + 1, line.data() + line.size(), count);
    return count;
  }
  return 0;
}

}  // namespace

std::string own_cgroup_in(std::string_view self_cgroup) {
  for (const std::string_view line : split(self_cgroup, '\n'))
    if (line.starts_with("0::/") && line.find("/..") == line.npos)
      return std::string(line.substr(3));
  return {};
}

// "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw"
std::string cgroup_mount_in(std::string_view mountinfo) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::size_t type = line.find(" - cgroup2 ");
    const auto words = split(line.substr(0, std::min(type, line.size())), ' ');
    if (type != line.npos && words.size() > 4 && words[3] == "/") return std::string(words[4]);
  }
  return {};
}

Controllers controllers_in(std::string_view names) {
  Controllers found;
  for (const std::string_view name : split(trimmed(names), ' ')) {
    found.memory |= name == "memory";
    found.pids |= name == "pids";
    found.cpu |= name == "cpu";
  }
  return found;
}

std::vector<Setting> settings_for(const Limits& limits, const Controllers& controllers) {
  std::vector<Setting> settings;
  if (controllers.memory && limits.together > 0) {
    settings.push_back({"memory.max", std::to_string(limits.together)});
    settings.push_back({"memory.swap.max", "0", Setting::Needed::no});
    // All or none: see decision 209.
    settings.push_back({"memory.oom.group", "1"});
  }
  if (controllers.pids && limits.processes > 0)
    settings.push_back({"pids.max", std::to_string(limits.processes)});
  if (controllers.cpu && limits.cpu > 0)
    settings.push_back({"cpu.max", std::to_string(limits.cpu * kCpuPeriodUs / 100) + " " +
                                       std::to_string(kCpuPeriodUs)});
  return settings;
}

std::optional<Delegated> find_delegated(const std::string& mount, const std::string& own,
                                        const IsDelegated& is_delegated) {
  if (mount.empty() || own.empty()) return std::nullopt;
  // Only the one that this process is in: those above it may be given away too, to the manager of
  // the user's session, say, and are no part of the limits that somebody has set for this process.
  std::string below = own == "/" ? "" : own;
  if (below.ends_with(kLeaf)) below.resize(below.size() - std::string_view(kLeaf).size());
  const std::string folder = mount + below;
  if (!is_delegated(folder)) return std::nullopt;
  const Controllers there = controllers_in(contents_of(folder + "/cgroup.controllers"));
  if (there == Controllers{}) return std::nullopt;
  return Delegated{folder, there};
}

Result<void> make_ready(const Delegated& delegated) {
  const std::string control = delegated.folder + "/cgroup.subtree_control";
  const Controllers& wanted = delegated.controllers;
  if (controllers_in(contents_of(control)) == wanted) return {};
  TRY_VOID(move_to_leaf(delegated.folder));
  const std::string names = std::string(wanted.memory ? "+memory " : "") +
                            (wanted.pids ? "+pids " : "") + (wanted.cpu ? "+cpu" : "");
  return set_value(control, trimmed(names));
}

std::optional<Delegated> find_delegated() {
  return find_delegated(cgroup_mount_in(contents_of("/proc/self/mountinfo")),
                        own_cgroup_in(contents_of("/proc/self/cgroup")),
                        [](const std::string& folder) {
                          // As systemd marks what it has given away.
                          char mark = 0;
                          return (::getxattr(folder.c_str(), "user.delegate", &mark, 1) == 1 ||
                                  ::getxattr(folder.c_str(), "trusted.delegate", &mark, 1) == 1) &&
                                 mark == '1' && ::access(folder.c_str(), W_OK) == 0;
                        });
}

Result<Cgroup> Cgroup::make(const Delegated& below, const Limits& limits) {
  sweep(below.folder);
  const std::string folder =
      below.folder + "/" + std::string(kOurs) + std::to_string(::getpid()) + "-" + random_hex(4);
  if (::mkdir(folder.c_str(), 0755) != 0) return tl::unexpected(io_error("make", folder, errno));
  File file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Its destructor removes it, whatever fails now.
  Cgroup cgroup(folder, std::move(file), limits);
  if (!cgroup.file_) return tl::unexpected(io_error("open", folder, errno));
  for (const Setting& one : settings_for(limits, below.controllers)) {
    auto set = set_value(folder + "/" + one.file, one.value);
    if (!set && one.needed == Setting::Needed::yes) return tl::unexpected(std::move(set).error());
  }
  return cgroup;
}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      file_(std::move(other.file_)),
      limits_(other.limits_) {}

Cgroup::~Cgroup() {
  if (!folder_.empty()) remove_cgroup(folder_);
}

std::optional<Excess> Cgroup::excess() const {
  const std::string events = contents_of(folder_ + "/memory.events");
  if (event_in(events, "oom_group_kill") == 0 && event_in(events, "oom_kill") == 0)
    return std::nullopt;
  return Excess{Excess::Of::memory, limits_.together};
}

}  // namespace capsule::contain
