// Edits of JSON as text. A tracker's file holds fields that we do not know; changing one member
// must leave every other byte of its line as it was, which no parse-and-print can promise. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::task {

// How deep brackets nest outside of strings. For text that may be anything at all.
std::size_t nesting(std::string_view text);

struct Member {
  std::string key;         // decoded
  std::string_view value;  // as written; a view of the object
};

// The members of an object in their order. Requires: `object` is one valid JSON object.
std::vector<Member> members(std::string_view object);

// The object with the member set to `value` (JSON): in its place, where it is there (the last one
// of several), else at the end. Requires: `object` is one valid JSON object.
std::string with_member(std::string_view object, std::string_view key, std::string_view value);

// The array with one more element. Requires: `array` is one valid JSON array.
std::string with_element(std::string_view array, std::string_view value);

// A JSON string. Requires: `text` is valid UTF-8 (other bytes are replaced by U+FFFD).
std::string quoted(std::string_view text);

}  // namespace capsule::task
