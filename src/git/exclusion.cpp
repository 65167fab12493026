#include "git/exclusion.h"

#include <algorithm>

namespace capsule::git {
namespace {

struct Token {
  enum class Kind { byte, any, star, stars, set } kind;
  char byte = 0;
  std::string_view set = {};  // between the brackets
};

bool in_set(std::string_view set, char c) {
  const bool negated = set.starts_with('!') || set.starts_with('^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (set[i] <= c && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != negated;
}

std::vector<Token> tokens(std::string_view pattern) {
  std::vector<Token> result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const std::size_t close = c == '[' ? pattern.find(']', i + 2) : pattern.npos;
    if (c == '*' && pattern.substr(i).starts_with("**/")) {
      // "**/" also stands for no folder at all: the slash belongs to it.
      result.push_back({Token::Kind::stars});
      i += 2;
    } else if (c == '*' && pattern.substr(i).starts_with("**")) {
      result.push_back({Token::Kind::stars});
      i += 1;
    } else if (c == '*') {
      result.push_back({Token::Kind::star});
    } else if (c == '?') {
      result.push_back({Token::Kind::any});
    } else if (close != pattern.npos) {
      result.push_back({Token::Kind::set, 0, pattern.substr(i + 1, close - i - 1)});
      i = close;
    } else {
      if (c == '\\' && i + 1 < pattern.size()) ++i;
      result.push_back({Token::Kind::byte, pattern[i]});
    }
  }
  return result;
}

// One row of "the first i tokens match the first j bytes" for each token, so that the time is the
// product of both lengths whatever the pattern.
bool matches_whole(const std::vector<Token>& pattern, std::string_view text) {
  std::vector<char> row(text.size() + 1, 0);
  row[0] = 1;
  for (const Token& token : pattern) {
    std::vector<char> next(text.size() + 1, 0);
    const bool star = token.kind == Token::Kind::star || token.kind == Token::Kind::stars;
    if (star) next[0] = row[0];
    for (std::size_t j = 1; j <= text.size(); ++j) {
      const char c = text[j - 1];
      if (star) {
        next[j] =
            row[j] != 0 || (next[j - 1] != 0 && (token.kind == Token::Kind::stars || c != '/'));
      } else {
        const bool fits = token.kind == Token::Kind::byte  ? c == token.byte
                          : token.kind == Token::Kind::any ? c != '/'
                                                           : c != '/' && in_set(token.set, c);
        next[j] = row[j - 1] != 0 && fits;
      }
    }
    row = std::move(next);
  }
  return row[text.size()] != 0;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view path) {
  const bool folders_only = pattern.ends_with('/');
  if (folders_only) pattern.remove_suffix(1);
  const bool from_top = pattern.find('/') != pattern.npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (pattern.empty()) return false;
  const std::vector<Token> parsed = tokens(pattern);
  std::size_t start = 0;  // of the name that ends at `end`
  for (;;) {
    const std::size_t end = path.find('/', start);
    const bool whole = end == path.npos;
    const std::string_view candidate =
        from_top ? path.substr(0, end) : path.substr(start, whole ? path.npos : end - start);
    if (!(folders_only && whole) && matches_whole(parsed, candidate)) return true;
    if (whole) return false;
    start = end + 1;
  }
}

bool is_excluded(std::string_view path, const std::vector<std::string>& patterns) {
  const auto matches = [&](std::string_view pattern) { return matches_pattern(pattern, path); };
  return std::any_of(std::begin(kAlwaysExcluded), std::end(kAlwaysExcluded), matches) ||
         std::any_of(patterns.begin(), patterns.end(), matches);
}

}  // namespace capsule::git
