// Main of a project whose clones on many machines share it by a remote (git/remote.h): the remote's
// is the one that counts, and main here follows it. Single-threaded; git runs while a call waits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "git/merge.h"
#include "git/remote.h"

namespace capsule::workspace {

class SharedMain {
 public:
  // Returns the epoch by which the run may move the branch: higher than any that was ever given
  // out. An error when somebody else carries the run on by now.
  using Take = std::function<Result<std::int64_t>(const std::string& branch)>;

  // `tell`: people are told by it that the remote is away. What is asked of one that is away waits
  // for it, for a quarter of an hour at most, or until a person asks the process to stop.
  SharedMain(git::Remote remote, Take take, std::function<void(const std::string&)> tell = {})
      : remote_(std::move(remote)), take_(std::move(take)), tell_(std::move(tell)) {}

  const git::Remote& remote() const { return remote_; }

  // Whether it can be reached, and has that branch: asked before anybody is paid. Waits for
  // nothing.
  Result<void> look(const git::Repository& repository, const std::string& main_ref) const;

  // Before work is planned: main here goes to where the remote's is, with its checkouts. Errors:
  // refused (main here has commits that the remote has not), not_found (the remote has no such
  // branch), io (it is away), as in git/remote.h.
  Result<git::Published> follow(const git::Repository& repository, const std::string& main_ref);

  // The remote's main moves, with its fence. False: not from where the plan begins; plan anew. Main
  // here is left as it is. Errors: refused (the epochs of the database are behind those of the
  // remote), as above. An io error leaves it open whether it was done.
  Result<bool> publish(const git::Repository& repository, const git::MergePlan& plan);

  // What an agent left, as commit of `ref` there: before it is a fact, so that another machine can
  // go on from there. `commit` empty: nobody needs it any more. Errors: conflict (somebody else has
  // moved it), as above.
  Result<void> keep(const git::Repository& repository, const std::string& ref,
                    const std::string& commit);
  // That commit, with all that it needs; empty: there is none.
  Result<std::string> kept(const git::Repository& repository, const std::string& ref);

  // Whether the remote's main was seen at this commit: main here is there because it followed.
  bool was_at(const std::string& commit) const { return seen_.contains(commit); }

 private:
  template <class T>
  Result<T> patiently(const std::function<git::Reached<T>()>& call) const;

  git::Remote remote_;
  Take take_;
  std::function<void(const std::string&)> tell_;
  std::map<std::string, std::string> kept_;  // where this process left such refs
  std::set<std::string> seen_;
};

}  // namespace capsule::workspace
