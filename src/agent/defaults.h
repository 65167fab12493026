// Settings of Capsule's own for one call of a client that takes them from a file alone (clients.h).
#pragma once

#include <string>
#include <vector>

#include "agent/clients.h"
#include "base/result.h"
#include "process/program.h"

namespace capsule::agent {

// Writes them into `folder`, which is the call's own, and adds the variable that names the file to
// `env`. Does nothing where the client has none, or where `env`, the caller's environment
// (`variable` is getenv) or the system's own file says something. Error io.
Result<void> add_defaults(const Client& client, const std::string& folder,
                          const char* (*variable)(const char*),
                          std::vector<process::EnvChange>& env);

}  // namespace capsule::agent
