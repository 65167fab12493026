// The walls that a person asks for by words: `capsule contain` and its options.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "contain/policy.h"

namespace capsule::world {

// As they were given; empty: not.
struct WallWords {
  std::string preset, role, net, missing;  // by their names; not given, a role is writer
  std::vector<std::string> allow;          // "HOST:PORT"
  std::vector<std::string> forward;        // numbers of ports
  std::vector<std::string> read, write, scratch;
  std::vector<std::string> mount;  // "PATH=SOURCE"
  std::vector<std::string> env;    // names of variables
  std::string home, layer;
};

// What the configuration says of a command in this folder, and then what the words do. Error usage:
// a name or a number that is none. Places and hosts are judged by contain::make_policy().
Result<contain::Wish> wish_of(const config::Config& config, const WallWords& words,
                              const std::string& folder);

}  // namespace capsule::world
