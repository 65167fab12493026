// Where things stand in a JSON text, so that one of them can be changed and every other byte kept.
// Pure. Requires, but for nesting(): the text is valid JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::json {

// A part of a text, by its bytes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

// An object or an array. Of an object's item, `whole` begins with the key.
struct Container {
  struct Item {
    std::string key;  // empty in an array
    Span whole;
    Span value;
  };
  Span place;  // with its brackets
  std::vector<Item> items;

  // The item of an object that counts: the last one of that name.
  const Item* find(std::string_view key) const;
};

// The value that begins at or after `from`.
Span value_at(std::string_view text, std::size_t from);
// Its items; nullopt: it is no object, or no array.
std::optional<Container> object_at(std::string_view text, std::size_t from);
std::optional<Container> array_at(std::string_view text, std::size_t from);

// `text` with another item at the end of `container`, laid out as its other items are. `item` is
// made from the indentation that it is to have: "\n    ", or "" for one line.
using MakeItem = std::string (*)(const std::string& line, const std::string& unit,
                                 const std::string& argument);
std::string with_item(std::string_view text, const Container& container, const std::string& unit,
                      MakeItem make, const std::string& argument);
// `text` without an item, its comma and the blanks before it.
std::string without_item(std::string_view text, const Container& container, std::size_t index);
// `text` without the only item; the blanks after it stay.
std::string without_only_item(std::string_view text, const Container& container);

// How deep brackets nest outside of strings. For text that may be anything at all, also no JSON.
std::size_t nesting(std::string_view text);

// The object with the member set to `value` (JSON): in its place, where it is there (the last one
// of several), else at the end. Requires: `object` is one valid JSON object.
std::string with_member(std::string_view object, std::string_view key, std::string_view value);

// The array with one more element. Requires: `array` is one valid JSON array.
std::string with_element(std::string_view array, std::string_view value);

// By how much the members of the outermost object are indented; two blanks when it cannot be told.
std::string indentation_of(std::string_view text);

}  // namespace capsule::json
