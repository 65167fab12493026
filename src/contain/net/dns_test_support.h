// Packets as a name server would write them.
#pragma once

#include <string>
#include <vector>

#include "base/text.h"
#include "contain/net/dns.h"

namespace capsule::contain::testing {

inline std::string two(unsigned value) {
  return {static_cast<char>(value >> 8), static_cast<char>(value & 0xFF)};
}
inline std::string name(std::string_view text) {
  std::string bytes;
  for (const std::string_view label : split(text, '.'))
    bytes += static_cast<char>(label.size()) + std::string(label);
  return bytes + '\0';
}
inline std::string address_bytes(const char* text, std::size_t size) {
  const auto address = address_of(text);
  return {address->bytes.begin(), address->bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}
inline std::string four(const char* text) { return address_bytes(text, 4); }
inline std::string six(const char* text) { return address_bytes(text, 16); }
inline std::string record(std::string_view owner, unsigned type, const std::string& data) {
  return name(owner) + two(type) + two(1) + std::string("\0\0\0\x09", 4) +
         two(static_cast<unsigned>(data.size())) + data;
}
inline std::string reply(const Question& question, const std::vector<std::string>& records,
                         unsigned flags = 0x8180) {
  std::string packet = two(question.id) + two(flags) + two(1) +
                       two(static_cast<unsigned>(records.size())) + two(0) + two(0) +
                       name(question.name) + two(static_cast<unsigned>(question.type)) + two(1);
  for (const std::string& one : records) packet += one;
  return packet;
}

}  // namespace capsule::contain::testing
