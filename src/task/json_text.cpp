#include "task/json_text.h"

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>

namespace capsule::task {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

// The place after the string that begins at `at`, or the end where it never ends.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

std::size_t value_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
      continue;
    } else if (depth > 0 && (c == '}' || c == ']')) {
      --depth;
      ++at;
    } else if (depth > 0) {
      ++at;
      continue;
    } else {
      return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
    }
    if (depth == 0) return at;
  }
  return text.size();
}

std::string inserted_at_end(std::string_view container, std::string_view addition) {
  const std::size_t close = container.find_last_of("}]");
  assert(close != container.npos);
  const std::size_t last = container.find_last_not_of(kBlanks, close - 1);
  const bool empty = container[last] == '{' || container[last] == '[';
  std::string result(container.substr(0, last + 1));
  if (!empty) result += ',';
  result += addition;
  result += container.substr(last + 1);
  return result;
}

}  // namespace

std::size_t nesting(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = string_end(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') deepest = std::max(deepest, ++depth);
    if ((text[at] == '}' || text[at] == ']') && depth > 0) --depth;
    ++at;
  }
  return deepest;
}

std::vector<Member> members(std::string_view object) {
  std::vector<Member> result;
  std::size_t at = skip_blanks(object, 0);
  assert(at < object.size() && object[at] == '{');
  at = skip_blanks(object, at + 1);
  while (at < object.size() && object[at] == '"') {
    const std::size_t key_end = string_end(object, at);
    const std::string_view key = object.substr(at, key_end - at);
    at = skip_blanks(object, skip_blanks(object, key_end) + 1);  // past the colon
    const std::size_t end = value_end(object, at);
    result.push_back({key.find('\\') == key.npos ? std::string(key.substr(1, key.size() - 2))
                                                 : nlohmann::json::parse(key).get<std::string>(),
                      object.substr(at, end - at)});
    at = skip_blanks(object, end);
    if (at < object.size() && object[at] == ',') at = skip_blanks(object, at + 1);
  }
  return result;
}

std::string with_member(std::string_view object, std::string_view key, std::string_view value) {
  const std::vector<Member> all = members(object);
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const Member& member) { return member.key == key; });
  if (found == all.rend()) return inserted_at_end(object, quoted(key) + ":" + std::string(value));
  const auto from = static_cast<std::size_t>(found->value.data() - object.data());
  std::string result(object.substr(0, from));
  result += value;
  result += object.substr(from + found->value.size());
  return result;
}

std::string with_element(std::string_view array, std::string_view value) {
  return inserted_at_end(array, value);
}

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace capsule::task
