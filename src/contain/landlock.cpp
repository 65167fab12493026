#include "contain/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/text.h"
#include "contain/mounts.h"

namespace capsule::contain {
namespace {

// Newer than the headers that this is built with.
constexpr std::uint64_t kTruncate = 1ULL << 14;   // version 3
constexpr std::uint64_t kIoctlDev = 1ULL << 15;   // version 5
constexpr std::uint64_t kScopeAbstract = 1 << 0;  // version 6
constexpr std::uint64_t kScopeSignal = 1 << 1;

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};
// How much of it each version knows: it refuses a longer one.
std::size_t size_for(int abi) {
  return abi >= kLandlockScopes ? sizeof(Ruleset) : sizeof(std::uint64_t);
}

constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
// All but device nodes, which nobody may make.
constexpr std::uint64_t kWrite = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                 LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER | kTruncate;
constexpr std::uint64_t kDeviceRights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                        LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctlDev;
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctlDev;

std::uint64_t known_to(int abi) {
  std::uint64_t all = (1ULL << 13) - 1;
  if (abi >= 2) all |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= kLandlockTruncate) all |= kTruncate;
  if (abi >= 5) all |= kIoctlDev;
  return all;
}

class RuleSet {
 public:
  RuleSet(const File& set, std::uint64_t known) : set_(set), known_(known) {}

  Result<void> allow(const std::string& path, std::uint64_t rights) {
    const File file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!file) return tl::unexpected(refused_step("open " + printable(path), errno));
    if (const int error = add(file.fd(), rights); error != 0)
      return tl::unexpected(refused_step("allow " + printable(path) + " by Landlock", error));
    return {};
  }

  // What the caller gave as stdin, stdout and stderr: programs open /dev/stderr too.
  Result<void> allow_given() {
    for (int fd = 0; fd <= 2; ++fd) {
      struct stat info {};
      const int flags = ::fcntl(fd, F_GETFL);
      // The kernel asks no rule for pipes and sockets.
      if (flags < 0 || ::fstat(fd, &info) != 0 ||
          (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)))
        continue;
      const int mode = flags & O_ACCMODE;
      std::uint64_t rights = kIoctlDev;
      if (mode != O_WRONLY) rights |= LANDLOCK_ACCESS_FS_READ_FILE;
      if (mode != O_RDONLY) rights |= LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
      // A file in memory without a name takes no rule, and needs none.
      if (const int error = add(fd, rights); error != 0 && error != EBADFD)
        return tl::unexpected(refused_step("allow the standard streams by Landlock", error));
    }
    return {};
  }

 private:
  // 0, or the number of the error.
  int add(int fd, std::uint64_t rights) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return errno;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights & known_ & (S_ISDIR(info.st_mode) ? ~0ULL : kOfFiles);
    rule.parent_fd = fd;
    if (rule.allowed_access == 0) return 0;
    const long done =
        ::syscall(SYS_landlock_add_rule, set_.fd(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    return done == 0 ? 0 : errno;
  }

  const File& set_;
  std::uint64_t known_;
};

std::uint64_t rights_of(Grant grant) {
  switch (grant) {
    case Grant::list:
      return LANDLOCK_ACCESS_FS_READ_DIR;
    case Grant::read:
      return kRead;
    case Grant::proc:
      return kRead | LANDLOCK_ACCESS_FS_WRITE_FILE;
    case Grant::devices:
      return kDeviceRights;
    case Grant::write:
      break;
  }
  return kWrite;
}

}  // namespace

int landlock_abi() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

std::vector<Rule> rules_inside(const Policy& policy) {
  std::vector<Rule> rules{{"/", Grant::list},
                          {"/proc", Grant::proc},
                          {"/dev", Grant::devices},
                          {"/dev/shm", Grant::write}};
  for (const Place& place : policy.places) {
    const bool reading = place.access == Access::read || place.access == Access::hidden;
    rules.push_back({place.path, reading ? Grant::read : Grant::write});
  }
  return rules;
}

Result<void> apply_landlock(const std::vector<Rule>& rules, int abi) {
  const std::uint64_t known = known_to(abi);
  const Ruleset wanted{known, 0, kScopeAbstract | kScopeSignal};
  const File set(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, size_for(abi), 0)));
  if (!set) return tl::unexpected(refused_step("make a Landlock rule set", errno));
  RuleSet rule_set(set, known);
  for (const Rule& rule : rules) TRY_VOID(rule_set.allow(rule.path, rights_of(rule.grant)));
  TRY_VOID(rule_set.allow_given());
  if (::syscall(SYS_landlock_restrict_self, set.fd(), 0) != 0)
    return tl::unexpected(refused_step("put Landlock in force", errno));
  return {};
}

}  // namespace capsule::contain
