// The packets that name servers are asked with and answer with. Pure: what comes in is somebody
// else's bytes, is read within their bounds, and counts only as the answer to what was asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contain/net/address.h"

namespace capsule::contain {

enum class RecordType : std::uint16_t { a = 1, aaaa = 28 };

struct Question {
  std::uint16_t id = 0;
  std::string name;  // in small letters, without a dot at the end
  RecordType type = RecordType::a;
};

// The packet that asks it. Requires a name that hosts.h takes.
std::string packet_of(const Question& question);

struct Answer {
  enum class Kind {
    foreign,    // no answer to this question
    addresses,  // all that the name has of this kind; may be none
    no_such_name,
    truncated,  // ask again, by TCP
    failed,     // this server cannot say
  };
  Kind kind = Kind::foreign;
  std::vector<Address> addresses = {};
};
inline constexpr std::size_t kMaxAddresses = 8;  // of one kind: nobody tries more

Answer answer_to(const Question& question, std::string_view packet);

}  // namespace capsule::contain
