// JSON as text: quoting, unquoting, and one compact form for every value. Numbers keep the text
// they were written with, so nothing is rounded. Pure; results own their bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::json {

// `text` as a JSON string with the shortest escapes; bytes that are not UTF-8 become U+FFFD.
std::string quoted(std::string_view text);
void append_quoted(std::string& to, std::string_view text);

// What a JSON string stands for, as UTF-8. Requires: `quoted` is a valid JSON string with quotes.
std::string unquoted(std::string_view quoted);

// One object or array, blanks around it allowed, on one line: no blanks between tokens, the
// shortest escapes, UTF-8; keys in their order, and of a key that stands several times in one
// object (in whatever spelling) the last value at the first one's place. nullopt: it is not one
// such value, or not within the limits of scan.h. Linear, apart from sorting the keys of each
// object.
std::optional<std::string> canonical(std::string_view text);

// Canonical JSON over several lines: two blanks a level, a line feed at the end.
std::string drawn_out(std::string_view json);

// The members of a canonical object, the elements of a canonical array: views of `text`.
// Requires: `text` came from canonical_json() (or is a part of it), and is of that kind.
struct Member {
  std::string_view key;  // with quotes
  std::string_view value;
};
std::vector<Member> members_of(std::string_view text);
std::vector<std::string_view> elements_of(std::string_view text);

}  // namespace capsule::json
