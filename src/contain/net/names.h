// What the machine's own files say about names: /etc/hosts and /etc/resolv.conf. Pure.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "contain/net/address.h"

namespace capsule::contain {

// All addresses that a text like /etc/hosts gives a name (in small letters).
std::vector<Address> addresses_in(std::string_view hosts, std::string_view name);

// Who is asked, and how patiently, as resolv.conf says. Names are never completed: what stands on a
// list of hosts is whole.
struct NameServers {
  std::vector<Address> servers;
  std::chrono::milliseconds patience = std::chrono::seconds(3);
  int rounds = 2;
};
NameServers name_servers_in(std::string_view text);

}  // namespace capsule::contain
