// A folder below .capsule/tmp with exactly the files of a commit, for as long as the value lives.
// A lock beside it says that its maker does, too: what a killed one left is found and removed by
// the next run.
#pragma once

#include <functional>
#include <string>

#include "base/files.h"
#include "base/result.h"
#include "gate/checks.h"
#include "gate/setup.h"
#include "git/repository.h"

namespace capsule::gate {

// Movable, not copyable; the destructor removes the folder.
class CleanCheckout {
 public:
  // One git process. Errors: usage (no commit id), failed, io.
  enum class For {
    checks,  // files, and nothing of git
    setup,   // a worktree of git without a branch: the set-up may call git
  };
  static Result<CleanCheckout> make(const git::Repository& repository, const std::string& commit,
                                    For what = For::checks);
  CleanCheckout(CleanCheckout&& other) noexcept;
  CleanCheckout& operator=(CleanCheckout&&) = delete;
  ~CleanCheckout();
  const std::string& path() const { return path_; }

 private:
  CleanCheckout(git::Repository repository, std::string path, File lock)
      : repository_(std::move(repository)), path_(std::move(path)), lock_(std::move(lock)) {}
  git::Repository repository_;
  std::string path_;  // empty: moved from
  File lock_;
};

// Runs the named commands in a checkout of `commit` that goes before `done` is called; that is from
// within when it cannot be made. `prepare` may change its files first.
void run_clean(const git::Repository& repository, Checks& checks, const std::string& commit,
               const std::vector<std::string>& names, Checks::Done done,
               const std::function<Result<void>(const std::string& folder)>& prepare = {});

// Removes the folders whose maker is gone. What cannot be removed now is left for the next sweep.
// Runs no process; may be called at any time, whoever else works on the project.
void sweep_checkouts(const git::Repository& repository);

}  // namespace capsule::gate
