// The repository that the clones of many machines share: where its main is, and how main is moved
// there so that no two of them do it at once, nor one that was overtaken.
//
// Beside a branch the remote has a fence, refs/capsule/fence/<branch>: a commit that names the
// epoch of whoever may move the branch. Who wants to merge takes an epoch, which is higher than any
// before it, and then the fence; branch and fence move together, in one push that is all or
// nothing, and only from where this process saw them last. The fence's history names every merge.
//
// Of the repository's own configuration nothing is in force but the address that find_remote read;
// the user's own says how the remote is reached (credentials, proxies). Nothing here asks anybody.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "git/repository.h"

namespace capsule::git {

struct Remote {
  std::string url;    // a path, or ssh, http or https
  std::string shown;  // the same for people, without user and password
};

// `named`: a remote of the repository, an address, or "none"; empty: origin, if there is one.
// nullopt: there is none. Errors: not_found (no remote of that name), usage (an address that is not
// of these kinds).
Result<std::optional<Remote>> find_remote(const Repository& repository, const std::string& named);

enum class RemoteTrouble {
  away,         // not reached, or not to the end: what was sent may have been done
  moved,        // a ref is not where it was seen
  fenced,       // somebody else has taken the fence
  refused,      // the remote, or who guards it, does not want it
  unsupported,  // it cannot move several refs at once
  broken,       // what it has does not make sense, or git fails here
};

struct RemoteFailure {
  RemoteTrouble why;
  std::string message;
};

template <class T>
using Reached = tl::expected<T, RemoteFailure>;

// For callers that give up. Reasons: io (away), conflict (moved, fenced), refused, failed.
Error error_of(const Remote& remote, const RemoteFailure& failure);

struct RemoteTips {
  std::string main;        // its commit, which is in this repository now; empty: there is none
  std::string fence;       // the same; empty: nobody has merged yet
  std::int64_t epoch = 0;  // that the fence names
};

// `branch` by its full name. Ensures: the commits, with all that they need, are here. Two calls.
Reached<RemoteTips> fetch_tips(const Repository& repository, const Remote& remote,
                               const std::string& branch);

// Moves the fence from where `tips` saw it. Returns its new commit. Errors: moved (somebody else
// has it), as above. Requires: epoch > tips.epoch.
Reached<std::string> take_fence(const Repository& repository, const Remote& remote,
                                const std::string& branch, const RemoteTips& tips,
                                std::int64_t epoch);

struct Publication {
  std::string branch;
  std::string from, to;    // the branch
  std::string fence;       // as take_fence left it
  std::int64_t epoch = 0;  // the same
};

// Branch and fence at once, or nothing. Where the answer was cut off it is looked for; `away`
// leaves it open. Both refs change on purpose: a ref that stays is not sent, and its lease would be
// compared by us alone, with what the remote said a moment ago.
Reached<void> publish(const Repository& repository, const Remote& remote,
                      const Publication& publication);

// Where these refs are there, by their full names; those that are not are left out. One call.
Reached<std::map<std::string, std::string>> look_at(const Repository& repository,
                                                    const Remote& remote,
                                                    const std::vector<std::string>& refs);

// Moves one ref; `from` empty: it must not be there; `to` empty: it goes. Errors: moved, as above.
Reached<void> push_ref(const Repository& repository, const Remote& remote, const std::string& ref,
                       const std::string& from, const std::string& to);
// Its commit, which is in this repository then; empty: there is none.
Reached<std::string> fetch_ref(const Repository& repository, const Remote& remote,
                               const std::string& ref);

// Where the fence of a branch is.
std::string fence_of(const std::string& branch);

}  // namespace capsule::git
