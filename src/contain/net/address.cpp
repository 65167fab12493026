#include "contain/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace capsule::contain {
namespace {

struct Range {
  std::array<std::uint8_t, 16> bytes;
  unsigned bits;
};

// Whose bytes begin like this one's.
bool is_in(const Address& address, const Range& range) {
  for (unsigned bit = 0; bit < range.bits; bit += 8) {
    const unsigned left = std::min(range.bits - bit, 8U);
    const auto mask = static_cast<std::uint8_t>(0xFF << (8 - left));
    if (((address.bytes[bit / 8] ^ range.bytes[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

template <std::size_t Count>
bool is_in_any(const Address& address, const Range (&ranges)[Count]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return is_in(address, range); });
}

// Of this machine, of this link, or of everybody at once.
constexpr Range kNear4[] = {
    {{0}, 8},          // this machine
    {{127}, 8},        // this machine
    {{169, 254}, 16},  // this link; services of a cloud's machines
    {{224}, 4},        // groups
    {{240}, 4},        // nobody's, and everybody on this link
};
constexpr Range kInside4[] = {
    {{10}, 8},         {{172, 16}, 12},      {{192, 168}, 16},  // private networks
    {{100, 64}, 10},                                            // a provider's inside
    {{192, 0, 0}, 24}, {{192, 0, 2}, 24},    {{192, 88, 99}, 24},
    {{198, 18}, 15},   {{198, 51, 100}, 24}, {{203, 0, 113}, 24},
};

constexpr Range kNear6[] = {
    {{}, 96},                                          // this machine; IPv4 in disguise
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96},  // IPv4 in disguise
    {{0xFE, 0x80}, 10},                                // this link
    {{0xFE, 0xC0}, 10},                                // this site, in old networks
    {{0xFF}, 8},                                       // groups
};
constexpr Range kGlobal6{{0x20}, 3};  // all that has ever been given out
constexpr Range kInside6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23},  // protocols, with tunnels to IPv4 among them
    {{0x20, 0x01, 0x0D, 0xB8}, 32},  // books
    {{0x20, 0x02}, 16},              // IPv4 addresses in disguise
    {{0x3F, 0xFF}, 20},              // books
};
// How a network without IPv4 reaches it: the last four bytes decide.
constexpr Range kTranslated6{{0x00, 0x64, 0xFF, 0x9B}, 96};

Address translated(const Address& six) {
  Address four;
  std::copy(six.bytes.begin() + 12, six.bytes.end(), four.bytes.begin());
  return four;
}

}  // namespace

std::optional<Address> address_of(std::string_view text) {
  const std::string word(text);
  if (word.size() != std::strlen(word.c_str())) return std::nullopt;
  Address address;
  if (::inet_pton(AF_INET, word.c_str(), address.bytes.data()) == 1) return address;
  address.six = true;
  if (::inet_pton(AF_INET6, word.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(address.six ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

bool is_near(const Address& address) {
  if (!address.six) return is_in_any(address, kNear4);
  if (is_in(address, kTranslated6)) return is_near(translated(address));
  return is_in_any(address, kNear6);
}

bool is_public(const Address& address) {
  if (is_near(address)) return false;
  if (!address.six) return !is_in_any(address, kInside4);
  if (is_in(address, kTranslated6)) return is_public(translated(address));
  return is_in(address, kGlobal6) && !is_in_any(address, kInside6);
}

SocketAddress socket_address(const Address& address, std::uint16_t port) {
  SocketAddress made;
  if (address.six) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    six.sin6_scope_id = address.scope;
    std::memcpy(&six.sin6_addr, address.bytes.data(), 16);
    std::memcpy(&made.storage, &six, sizeof six);
    made.size = sizeof six;
  } else {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&four.sin_addr, address.bytes.data(), 4);
    std::memcpy(&made.storage, &four, sizeof four);
    made.size = sizeof four;
  }
  return made;
}

}  // namespace capsule::contain
