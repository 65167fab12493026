#include "gate/clean_checkout.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "git/paths.h"
#include "git/remove_tree.h"
#include "git/snapshot.h"
#include "git/worktree.h"

namespace capsule::gate {
namespace {

constexpr int kNameBytes = 6;
constexpr int kTries = 100;
constexpr std::string_view kLock = ".lock";
// Versions before made no lock; no command of theirs runs for so long.
constexpr long kOldSeconds = 24L * 60 * 60;

std::string parent_folder(const git::Repository& repository) {
  return repository.top + "/.capsule/tmp";
}

bool is_name(std::string_view name) {
  return name.size() == 2 * kNameBytes && name.find_first_not_of("0123456789abcdef") == name.npos;
}

bool is_old(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 &&
         std::time(nullptr) - info.st_mtim.tv_sec > kOldSeconds;
}

bool lock_now(const File& file) { return file && ::flock(file.fd(), LOCK_EX | LOCK_NB) == 0; }

// A sweep may take the lock between its making and our locking it, and remove it then.
bool still_there(const File& file) {
  struct stat info {};
  return ::fstat(file.fd(), &info) == 0 && info.st_nlink > 0;
}

}  // namespace

Result<CleanCheckout> CleanCheckout::make(const git::Repository& repository,
                                          const std::string& commit, For what) {
  const std::string parent = parent_folder(repository);
  TRY_VOID(make_folders(parent));
  for (int i = 0; i < kTries; ++i) {
    const std::string path = parent + "/" + random_hex(kNameBytes);
    const std::string lock_path = path + std::string(kLock);
    File lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!lock && errno != EEXIST) return tl::unexpected(git::system_error("create", lock_path));
    if (!lock_now(lock) || !still_there(lock)) continue;
    CleanCheckout checkout(repository, path, std::move(lock));
    TRY_VOID(what == For::setup ? git::create_detached(repository, path, commit)
                                : git::restore_snapshot(repository, commit, path));
    return checkout;
  }
  return fail(Reason::io, "cannot make a folder in " + parent);
}

CleanCheckout::CleanCheckout(CleanCheckout&& other) noexcept
    : repository_(other.repository_),
      path_(std::exchange(other.path_, "")),
      lock_(std::move(other.lock_)) {}

CleanCheckout::~CleanCheckout() {
  if (path_.empty()) return;
  // The lock goes last, so that a sweep finds what we could not remove.
  if (!git::remove_tree(path_)) return;
  git::forget_worktree(repository_, path_);
  ::unlink((path_ + std::string(kLock)).c_str());
}

void run_clean(const git::Repository& repository, Checks& checks, const std::string& commit,
               const std::vector<std::string>& names, Checks::Done done,
               const std::function<Result<void>(const std::string& folder)>& prepare) {
  Setup* setup = checks.setup();
  auto made = CleanCheckout::make(
      repository, commit,
      setup != nullptr ? CleanCheckout::For::setup : CleanCheckout::For::checks);
  if (!made) return done(tl::unexpected(made.error()));
  // Shared because a std::function can be copied.
  auto checkout = std::make_shared<CleanCheckout>(std::move(*made));
  const std::string folder = checkout->path();
  if (prepare)
    if (const auto prepared = prepare(folder); !prepared)
      return done(tl::unexpected(prepared.error()));
  auto finish = [checkout,
                 done = std::move(done)](const Result<std::vector<Verdict>>& verdicts) mutable {
    checkout.reset();
    done(verdicts);
  };
  if (setup == nullptr) return checks.run(folder, names, std::move(finish));
  setup->run(folder, File(),
             [&checks, folder, names, finish](const Result<Verdict>& ready) mutable {
               if (!ready) return finish(tl::unexpected(ready.error()));
               if (ready->ending == Ending::passed)
                 return checks.run(folder, names, std::move(finish));
               // Files that cannot be set up pass no check; the set-up's words say why.
               std::vector<Verdict> verdicts;
               for (const std::string& name : names) {
                 verdicts.push_back(*ready);
                 verdicts.back().name = name;
                 verdicts.back().ending = Ending::not_run;
               }
               finish(verdicts);
             });
}

void sweep_checkouts(const git::Repository& repository) {
  const std::string parent = parent_folder(repository);
  if (!git::is_plain_folder(parent)) return;  // nothing is removed through a link
  for (const std::string& entry : git::names_in(parent)) {
    const bool is_lock = entry.ends_with(kLock);
    const std::string name = is_lock ? entry.substr(0, entry.size() - kLock.size()) : entry;
    if (!is_name(name)) continue;
    const std::string path = parent + "/" + name;
    const std::string lock_path = path + std::string(kLock);
    if (!is_lock) {
      if (!exists(lock_path) && is_old(path)) (void)git::remove_tree(path);
      continue;
    }
    const File lock(::open(lock_path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!lock_now(lock) || !git::remove_tree(path)) continue;
    git::forget_worktree(repository, path);
    ::unlink(lock_path.c_str());
  }
}

}  // namespace capsule::gate
