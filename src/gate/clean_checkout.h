// A temporary folder with exactly the files of a commit, for as long as the value lives.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "gate/checks.h"
#include "gate/setup.h"
#include "git/repository.h"
#include "git/temporary_folder.h"

namespace capsule::gate {

// Movable, not copyable.
class CleanCheckout {
 public:
  // One git process. Errors: usage (no commit id), failed, io.
  enum class For {
    checks,  // files, and nothing of git
    setup,   // a worktree of git without a branch: the set-up may call git
  };
  static Result<CleanCheckout> make(const git::Repository& repository, const std::string& commit,
                                    For what = For::checks);
  const std::string& path() const { return folder_.path(); }

 private:
  explicit CleanCheckout(git::TemporaryFolder folder) : folder_(std::move(folder)) {}
  git::TemporaryFolder folder_;
};

// Runs the named commands in a checkout of `commit` that goes before `done` is called; that is from
// within when it cannot be made. `prepare` may change its files first.
void run_clean(const git::Repository& repository, Checks& checks, const std::string& commit,
               const std::vector<std::string>& names, Checks::Done done,
               const std::function<Result<void>(const std::string& folder)>& prepare = {});

}  // namespace capsule::gate
