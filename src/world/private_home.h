// Homes of contained agents: .capsule/homes/<tree>/<whose>, a folder that appears in the place of
// the user's. It stays for as long as its tree does, since clients keep their sessions there. All
// who write in a tree share one; whoever judges has one of its own, of which nothing stays but the
// session: what it tries is the writers', and would else instruct the next. Hostile once it was
// used.
#pragma once

#include <string>
#include <string_view>

#include "agent/clients.h"
#include "base/result.h"

namespace capsule::world {

// In the place of a tree's name: the user's own checkout. A sweep leaves its homes alone for a
// week.
inline constexpr std::string_view kCheckoutHomes = ".checkout";

// `project` is its top folder; `tree` the name of a tree's folder.
std::string homes_of(const std::string& project, std::string_view tree);

// Ensures: the folder is there, and holds the files of the user's home by which the client is
// logged in, as they are now: read, never written back, and without what renews the login where
// that can be used once only. Of other clients one that was renewed since the user's was last
// written stays. `client` may be null. `whose`: "writer", or a role.
// Returns the folder. Errors: io, refused (something is in its place).
Result<std::string> ready_home(const std::string& project, std::string_view tree,
                               std::string_view whose, const agent::Client* client,
                               const std::string& users_home);

// The same with a folder of the caller's.
Result<std::string> ready_home_at(const std::string& home, const agent::Client* client,
                                  const std::string& users_home);

// Removes what is in such a home but the sessions of `client` (null: all), if there is one.
// Errors: io.
Result<void> keep_sessions(const std::string& project, std::string_view tree,
                           std::string_view whose, const agent::Client* client);

// All homes of a tree. What cannot be removed is left to the next sweep.
void remove_homes(const std::string& project, std::string_view tree);

// Removes the homes of trees that are gone.
void sweep_homes(const std::string& project);

}  // namespace capsule::world
