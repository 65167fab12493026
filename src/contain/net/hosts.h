// Which hosts a contained command may reach: an exact list, and how what it asks for is compared
// with it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contain/net/address.h"

namespace capsule::contain {

// A host and a port that somebody asks for.
struct Target {
  std::string host;  // a name in small letters, or an address as text_of writes it
  std::uint16_t port = 0;
  std::optional<Address> address = {};  // when the host is one
  bool operator==(const Target&) const = default;
};
// "api.example.com:443", "[2001:db8::1]:443". Nothing for whatever is neither a name nor an address
// in its usual spelling: a dot at the end, blanks, other alphabets, numbers in disguise.
std::optional<Target> target_of(std::string_view text);
std::string text_of(const Target& target);

// One row of the list.
struct Allowed {
  Target target;       // of "*.example.com:443" the part after "*."
  bool below = false;  // every host below the name, and not the name itself
};
// Error usage: what is wrong with the row, and how it is written.
Result<Allowed> allowed_of(std::string_view text);

bool allows(const std::vector<Allowed>& list, const Target& target);

// A host that was asked for and not reached.
enum class Refused {
  not_allowed,  // it is not on the list
  not_public,   // it is, and its name leads to an address of this machine or of a network inside
};
struct Refusal {
  Target target;
  Refused why = Refused::not_allowed;
  std::string address = {};  // where the name leads, when that is the reason
  unsigned count = 1;
};
// What a person writes into the configuration to allow it; empty when nothing does.
std::string line_that_allows(const Refusal& refusal);
// "HOST:PORT was refused 3 times: it is not allowed". Printable.
std::string sentence_of(const Refusal& refusal);

}  // namespace capsule::contain
