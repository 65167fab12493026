#include "json/places.h"

#include <algorithm>

#include "base/check.h"
#include "json/text.h"

namespace capsule::json {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::size_t past_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

std::size_t past_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

std::optional<Container> container_at(std::string_view text, std::size_t from, char open,
                                      char close) {
  Container result;
  result.place = value_at(text, from);
  if (text[result.place.begin] != open) return std::nullopt;
  std::size_t at = past_spaces(text, result.place.begin + 1);
  while (text[at] != close) {
    Container::Item item;
    item.whole.begin = at;
    if (open == '{') {
      const std::size_t end = past_string(text, at);
      item.key = unquoted(text.substr(at, end - at));
      at = past_spaces(text, end) + 1;  // the colon
    }
    item.value = value_at(text, at);
    item.whole.end = item.value.end;
    at = past_spaces(text, item.whole.end);
    if (text[at] == ',') at = past_spaces(text, at + 1);
    result.items.push_back(std::move(item));
  }
  return result;
}

// The container, which is all of `text`, with `addition` before its closing bracket.
std::string inserted_at_end(std::string_view text, const Container& container,
                            std::string_view addition) {
  const std::size_t at =
      container.items.empty() ? container.place.begin + 1 : container.items.back().whole.end;
  std::string result(text.substr(0, at));
  if (!container.items.empty()) result += ',';
  result += addition;
  result += text.substr(at);
  return result;
}

}  // namespace

const Container::Item* Container::find(std::string_view key) const {
  const Item* found = nullptr;
  for (const Item& item : items)
    if (item.key == key) found = &item;
  return found;
}

Span value_at(std::string_view text, std::size_t from) {
  const std::size_t begin = past_spaces(text, from);
  std::size_t at = begin;
  std::size_t depth = 0;
  do {
    const char c = text[at];
    if (c == '"') {
      at = past_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
    if (depth > 0 || c == '}' || c == ']') continue;
    // A word or a number.
    while (at < text.size() && !is_space(text[at]) && text[at] != ',' && text[at] != '}' &&
           text[at] != ']')
      ++at;
  } while (depth > 0);
  return {begin, at};
}

std::optional<Container> object_at(std::string_view text, std::size_t from) {
  return container_at(text, from, '{', '}');
}

std::optional<Container> array_at(std::string_view text, std::size_t from) {
  return container_at(text, from, '[', ']');
}

std::string with_item(std::string_view text, const Container& container, const std::string& unit,
                      MakeItem make, const std::string& argument) {
  const std::size_t open = container.place.begin + 1;
  std::string result(text.substr(0, open));
  if (container.items.empty()) {
    // Nothing shows how it is laid out: it stays on its line, but for the outermost `{}`.
    const bool bare =
        text.substr(0, container.place.begin).find('{') == text.npos && text[open] == '}';
    const std::string line = bare ? "\n" + unit : "";
    result += line + make(line, unit, argument) + (bare ? "\n" : "");
    return result + std::string(text.substr(open));
  }
  const Container::Item& last = container.items.back();
  const std::size_t gap =
      container.items.size() == 1 ? open : text.rfind(',', last.whole.begin) + 1;
  const std::string before(text.substr(gap, last.whole.begin - gap));
  const std::size_t feed = before.rfind('\n');
  const bool dos = feed != before.npos && feed > 0 && before[feed - 1] == '\r';
  const std::string line =
      feed == before.npos ? "" : (dos ? "\r\n" : "\n") + before.substr(feed + 1);
  const std::string parting = container.items.size() == 1 && feed == before.npos ? " " : before;
  result = std::string(text.substr(0, last.whole.end)) + "," + parting + make(line, unit, argument);
  return result + std::string(text.substr(last.whole.end));
}

std::string without_item(std::string_view text, const Container& container, std::size_t index) {
  Span gone = container.items[index].whole;
  if (container.items.size() == 1)
    gone = {container.place.begin + 1, container.place.end - 1};
  else if (index + 1 == container.items.size())
    gone.begin = container.items[index - 1].whole.end;
  else
    gone.end = container.items[index + 1].whole.begin;
  return std::string(text.substr(0, gone.begin)) + std::string(text.substr(gone.end));
}

std::string without_only_item(std::string_view text, const Container& container) {
  return std::string(text.substr(0, container.place.begin + 1)) +
         std::string(text.substr(container.items.front().whole.end));
}

std::size_t nesting(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

std::string with_member(std::string_view object, std::string_view key, std::string_view value) {
  const std::optional<Container> all = object_at(object, 0);
  CHECK(all);
  const Container::Item* found = all->find(key);
  if (found == nullptr)
    return inserted_at_end(object, *all, quoted(key) + ":" + std::string(value));
  std::string result(object.substr(0, found->value.begin));
  result += value;
  result += object.substr(found->value.end);
  return result;
}

std::string with_element(std::string_view array, std::string_view value) {
  const std::optional<Container> all = array_at(array, 0);
  CHECK(all);
  return inserted_at_end(array, *all, value);
}

std::string indentation_of(std::string_view text) {
  const auto top = object_at(text, 0);
  if (top && !top->items.empty()) {
    const std::size_t open = top->place.begin + 1;
    const std::string_view before = text.substr(open, top->items.front().whole.begin - open);
    const std::size_t feed = before.rfind('\n');
    if (feed != before.npos && feed + 1 < before.size())
      return std::string(before.substr(feed + 1));
  }
  return "  ";
}

}  // namespace capsule::json
