// The network of a contained command, seen from both sides. Inside, the first process makes the
// listeners, in a network that is still empty, and hands them out over its channel; whoever started
// it puts a gateway behind them, which accepts there and dials here. No socket file, no bridge, no
// other process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "contain/net/gateway.h"
#include "contain/policy.h"

namespace capsule::contain {

// Error usage: a host or port that cannot be had, and how it is written.
Result<void> check_network(const Policy& policy);

// What listens inside, in the order in which the listeners are handed out. Pure.
std::vector<Door> doors_of(const Policy& policy);
// By which programs find the proxy, and the service whose key is kept, NAME=value. Pure.
std::vector<std::string> network_variables(const Policy& policy);

// In the new network, once its loopback is up: a listener for each door.
Result<std::vector<File>> open_doors(const std::vector<Door>& doors);
// Outside. Requires what open_doors made of the same policy.
Result<std::unique_ptr<Gateway>> make_gateway(const Policy& policy, std::vector<File> listeners);

}  // namespace capsule::contain
