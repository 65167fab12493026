// What `capsule doctor` says of each client that Capsule knows: whether it is here, in which
// version, which versions are tested, whether it can be told to change nothing, and what hints at
// an account. Calls `PROGRAM --version` of those that are here, for a bounded time.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "agent/clients.h"
#include "world/doctor.h"

namespace capsule::world {

struct ClientState {
  const agent::Client* client = nullptr;
  bool found = false;
  std::string version;  // empty: it does not tell
  bool tested = false;  // with that version
  std::string account;  // the variable, or the file below HOME, that shows one; empty: none does
};

// `variable` is getenv.
ClientState look_at_client(const agent::Client& client,
                           const std::function<const char*(const char*)>& variable);
// A warning only about those that the project uses.
Finding finding_of(const ClientState& state, bool used);

// Of all of them: those that are here, each; those that are not, together.
Findings check_clients(const std::set<std::string>& used);

}  // namespace capsule::world
