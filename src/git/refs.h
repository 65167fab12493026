// Refs by their full names. Names that look like options do no harm: they only ever stand in stdin
// or behind refs/. Symbolic refs are never followed when something is written or deleted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "git/repository.h"

namespace capsule::git {

struct Ref {
  std::string name;
  std::string id;
  long time = 0;                       // of the commit; 0 when unknown
  std::string subject = {};            // first line of its message; hostile
  std::string tree = {}, parent = {};  // of the commit, the first one; empty: not known
};

// Everything below `prefix` ("refs/capsule/run-1"), by name. One process.
Result<std::vector<Ref>> list_refs(const Repository& repository, const std::string& prefix);

// The commits of those of `names` that exist. One process.
Result<std::map<std::string, std::string>> resolve_refs(const Repository& repository,
                                                        const std::vector<std::string>& names);

// The same for one ref, by reading files: no process. Empty when it does not exist, is symbolic or
// cannot be read.
std::string read_ref(const Repository& repository, const std::string& name);

// All or none; a ref that is gone already is no error, one that has another id by now is
// (conflict). An empty id deletes whatever is there. One process.
Result<void> delete_refs(const Repository& repository, const std::vector<Ref>& refs);

enum class Sync { yes, no };  // no: a power cut may undo it, which costs nothing but a repetition

// Compare and swap: false when `name` is not at `from` (zero_id: must not exist). One process.
Result<bool> move_ref(const Repository& repository, const std::string& name,
                      const std::string& from, const std::string& to, const std::string& reason,
                      Sync sync = Sync::yes);

// Sets `name` itself, wherever it is and whatever it points to. One process.
// Requires: the RepositoryLock is held.
Result<void> put_ref(const Repository& repository, const std::string& name, const std::string& id,
                     const std::string& reason);

// Sets a ref below refs/capsule/ to `id` without a process, synced, as git itself writes loose
// refs. Requires: the RepositoryLock is held; every part of the name is a valid_id.
Result<void> write_own_ref(const Repository& repository, const std::string& name,
                           const std::string& id);

}  // namespace capsule::git
