#include "plan/words.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"

namespace capsule::plan {
namespace {

bool is_word(char c) { return is_letter(c) || is_digit(c) || (c & 0x80) != 0; }

// What may stand around a path in prose.
constexpr std::string_view kAround = "`'\"*()[]{}<>,;:!?.";
constexpr std::size_t kMaxPathBytes = 300;

std::string_view stripped(std::string_view word) {
  while (!word.empty() && kAround.find(word.front()) != std::string_view::npos &&
         !(word.front() == '.' && word.size() > 1 && (is_letter(word[1]) || word[1] == '/')))
    word.remove_prefix(1);
  while (!word.empty() && kAround.find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return word;
}

std::string tidy(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

}  // namespace

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool begins_with(std::string_view text, std::string_view start) {
  if (text.size() < start.size()) return false;
  for (std::size_t i = 0; i < start.size(); ++i)
    if (lower(text[i]) != lower(start[i])) return false;
  return true;
}

bool holds_phrase(std::string_view text, std::string_view phrase) {
  for (std::size_t at = text.find(phrase); at != std::string_view::npos;
       at = text.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

bool says_none(std::string_view text) {
  text = trimmed(text);
  while (!text.empty() && std::string_view("*_`([").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  if (text.empty() || text == "-" || text == "—" || text == "–") return true;
  for (const std::string_view word : {"none", "nothing", "n/a", "no one", "nobody"}) {
    if (!begins_with(text, word)) continue;
    if (text.size() == word.size()) return true;
    const char next = text[word.size()];
    if (!is_word(next) && next != '-' && next != '_' && next != '/')
      return next != '.' || text.size() == word.size() + 1 || !is_word(text[word.size() + 1]);
  }
  return false;
}

std::string_view without_bullet(std::string_view line, bool& item) {
  item = false;
  line = trimmed(line);
  if (line.size() >= 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') &&
      is_blank(line[1])) {
    item = true;
    line = trimmed(line.substr(2));
  } else {
    std::size_t digits = 0;
    while (digits < line.size() && digits < 4 && is_digit(line[digits])) ++digits;
    if (digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
        is_blank(line[digits + 1])) {
      item = true;
      line = trimmed(line.substr(digits + 2));
    }
  }
  if (item && line.size() >= 3 && line[0] == '[' && line[2] == ']' &&
      (line[1] == ' ' || line[1] == 'x' || line[1] == 'X') &&
      (line.size() == 3 || is_blank(line[3])))
    line = trimmed(line.substr(3));
  return line;
}

bool looks_like_path(std::string_view word) {
  if (word.size() < 3 || word.size() > kMaxPathBytes || word.find("://") != std::string_view::npos)
    return false;
  bool letters = false;
  for (const char c : word) {
    const bool fits = is_word(c) || c == '/' || c == '.' || c == '_' || c == '-' || c == '+' ||
                      c == '@' || c == '#';
    if (!fits) return false;
    letters |= is_letter(c);
  }
  if (!letters) return false;
  const std::size_t slash = word.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? word : word.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && dot + 1 < name.size() && name.size() - dot <= 7) {
    const std::string_view extension = name.substr(dot + 1);
    const bool plain = std::all_of(extension.begin(), extension.end(),
                                   [](char c) { return is_letter(c) || is_digit(c); });
    const std::string small = lowered(name);
    const bool short_word = small == "e.g" || small == "i.e" || small == "a.m" || small == "p.m" ||
                            small == "n.b" || small == "v.s";
    if (plain && is_letter(extension[0]) && !short_word) return true;
  }
  // "and/or" is no folder: a slash alone convinces only with an underscore, a second slash or at
  // an end.
  return slash != std::string_view::npos &&
         (word.front() == '/' || word.back() == '/' || word.front() == '.' ||
          std::count(word.begin(), word.end(), '/') > 1 ||
          word.find('_') != std::string_view::npos);
}

std::vector<std::string> paths_in(std::string_view text) {
  std::vector<std::string> found;
  std::unordered_set<std::string> seen;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    const std::string_view word = stripped(text.substr(at, end - at));
    if (looks_like_path(word)) {
      std::string path = tidy(word);
      if (seen.insert(path).second) found.push_back(std::move(path));
    }
    at = end + 1;
  }
  return found;
}

std::string path_of_item(std::string_view item) {
  item = trimmed(item);
  if (item.starts_with('`')) {
    const std::size_t end = item.find('`', 1);
    if (end != std::string_view::npos) return tidy(trimmed(item.substr(1, end - 1)));
  }
  if (item.starts_with('[')) {  // a link: [text](path)
    const std::size_t open = item.find("](");
    const std::size_t close = item.find(')', open == std::string_view::npos ? 0 : open);
    if (open != std::string_view::npos && close != std::string_view::npos)
      return tidy(trimmed(item.substr(open + 2, close - open - 2)));
  }
  const std::size_t end = std::min(item.find_first_of(" \t"), item.size());
  return tidy(stripped(item.substr(0, end)));
}

}  // namespace capsule::plan
