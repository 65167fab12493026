// Addresses of hosts, and which of them are the internet's. Pure.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace capsule::contain {

struct Address {
  bool six = false;
  std::array<std::uint8_t, 16> bytes = {};  // the first four of them for IPv4
  std::uint32_t scope = 0;                  // which network a link-local one is of
  bool operator==(const Address&) const = default;
};

// Four decimal numbers, or an IPv6 address in any spelling. The other ways to write IPv4 (octal,
// hexadecimal, fewer numbers) are no addresses here, and no names either.
std::optional<Address> address_of(std::string_view text);
// As people write it, IPv6 in its shortest form; what address_of reads.
std::string text_of(const Address& address);

// Whether it is a host of the internet that anybody can reach: not of this machine, this network, a
// provider's inside, a group, or one that stands for another address.
bool is_public(const Address& address);
// Of this machine or this link: no list can allow these. The machine's own ports are forwarded.
bool is_near(const Address& address);

// As the kernel takes it.
struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
SocketAddress socket_address(const Address& address, std::uint16_t port);

}  // namespace capsule::contain
