#include "agent/redaction.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "json/text.h"

namespace capsule::agent {
namespace {

constexpr std::size_t kMore = std::string_view::npos;
// A key that is longer than this is taken for one that ends here.
constexpr std::size_t kMaxSecretBytes = 16 << 10;
constexpr std::size_t kShortestValue = 8;
constexpr std::size_t kBefore = 8;  // bytes that tell whether a word begins
constexpr std::size_t kMaxLiterals = 200;

bool is_token(char byte) { return is_letter(byte) || is_digit(byte) || byte == '_' || byte == '-'; }
bool is_alnum(char byte) { return is_letter(byte) || is_digit(byte); }
bool is_upper_digit(char byte) { return (byte >= 'A' && byte <= 'Z') || is_digit(byte); }

// A kind of key: how it begins, what it goes on with, and how much of that there must be.
struct Shape {
  std::string_view begin;
  bool (*goes_on)(char);
  std::size_t least;
  std::size_t exactly = 0;  // 0: any number from `least` on
  bool mixed = false;       // has a digit and a capital letter, unlike a name of several words
};
constexpr Shape kShapes[] = {
    {"sk-", is_token, 20, 0, true},   {"ghp_", is_alnum, 36},     {"gho_", is_alnum, 36},
    {"ghu_", is_alnum, 36},           {"ghs_", is_alnum, 36},     {"ghr_", is_alnum, 36},
    {"github_pat_", is_token, 30},    {"glpat-", is_token, 20},   {"AKIA", is_upper_digit, 16, 16},
    {"ASIA", is_upper_digit, 16, 16}, {"AIza", is_token, 35, 35}, {"xoxb-", is_token, 20},
    {"xoxa-", is_token, 20},          {"xoxp-", is_token, 20},    {"xai-", is_token, 40, 0, true},
};

// The rest of `text` may be the beginning of `word`.
bool may_become(std::string_view text, std::string_view word) {
  return text.size() < word.size() && word.starts_with(text);
}

std::size_t run_of(std::string_view text, std::size_t at, bool (*goes_on)(char)) {
  const std::size_t end = std::min(text.size(), kMaxSecretBytes);
  while (at < end && goes_on(text[at])) ++at;
  return at;
}

std::size_t of_shape(const Shape& shape, std::string_view text, bool last) {
  if (!text.starts_with(shape.begin)) return may_become(text, shape.begin) && !last ? kMore : 0;
  const std::size_t end = run_of(text, shape.begin.size(), shape.goes_on);
  if (end == text.size() && end < kMaxSecretBytes && !last) return kMore;
  const std::string_view rest = text.substr(shape.begin.size(), end - shape.begin.size());
  if (rest.size() < shape.least || (shape.exactly != 0 && rest.size() != shape.exactly)) return 0;
  if (shape.mixed && (std::none_of(rest.begin(), rest.end(), is_digit) ||
                      std::none_of(rest.begin(), rest.end(),
                                   [](char byte) { return byte >= 'A' && byte <= 'Z'; })))
    return 0;
  return end;
}

// eyJ….….…: three parts of base64, the first of which begins like a JSON object.
std::size_t of_jwt(std::string_view text, bool last) {
  constexpr std::string_view kBegin = "eyJ";
  constexpr std::size_t kLeast = 10;
  if (!text.starts_with(kBegin)) return may_become(text, kBegin) && !last ? kMore : 0;
  std::size_t at = 0;
  for (int part = 0; part < 3; ++part) {
    const std::size_t end = run_of(text, at, is_token);
    if (end == text.size() && end < kMaxSecretBytes && !last) return kMore;
    if (end - at < kLeast) return 0;
    if (part == 2) return end;
    if (end >= text.size() || text[end] != '.') return 0;
    at = end + 1;
  }
  return 0;
}

// From -----BEGIN … PRIVATE KEY----- to the line that ends it.
std::size_t of_pem(std::string_view text, bool last) {
  constexpr std::string_view kBegin = "-----BEGIN ", kKey = "PRIVATE KEY", kEnd = "-----END ",
                             kDashes = "-----";
  constexpr std::size_t kLongestKind = 40;
  if (!text.starts_with(kBegin)) return may_become(text, kBegin) && !last ? kMore : 0;
  std::size_t kind = kBegin.size();
  while (kind < text.size() && kind < kBegin.size() + kLongestKind &&
         (is_upper_digit(text[kind]) || text[kind] == ' '))
    ++kind;
  const std::string_view dashes = text.substr(kind, kDashes.size());
  if (dashes != kDashes) return kDashes.starts_with(dashes) && !last ? kMore : 0;
  if (!text.substr(0, kind).ends_with(kKey)) return 0;
  const std::string_view window = text.substr(0, kMaxSecretBytes);
  const std::size_t end = window.find(kEnd, kind);
  if (end == window.npos) return last || text.size() >= kMaxSecretBytes ? window.size() : kMore;
  const std::size_t closed = window.find(kDashes, end + kEnd.size());
  if (closed == window.npos) return last || text.size() >= kMaxSecretBytes ? window.size() : kMore;
  return closed + kDashes.size();
}

std::size_t pair_of(char first, char second) {
  return static_cast<std::size_t>(static_cast<unsigned char>(first)) * 256 +
         static_cast<unsigned char>(second);
}

// Whether what stands before ends a word: an escape in JSON does, whose last letter is none of its
// own.
bool ends_a_word(std::string_view before) {
  if (before.empty() || !(is_alnum(before.back()) || before.back() == '_')) return true;
  const auto escaped = [&](std::size_t letters) {
    if (before.size() <= letters) return false;
    std::size_t slashes = 0;
    while (slashes < before.size() - letters &&
           before[before.size() - letters - 1 - slashes] == '\\')
      ++slashes;
    return slashes % 2 == 1;
  };
  if (std::string_view("bfnrt").find(before.back()) != std::string_view::npos && escaped(1))
    return true;
  return before.size() > 5 && before[before.size() - 5] == 'u' && escaped(5);
}

// No number, and no "password" or "postgres": to take such words out of everything would hide more
// than it saves.
bool looks_secret(std::string_view value) {
  constexpr std::size_t kLong = 16;
  if (value.size() < kShortestValue || std::all_of(value.begin(), value.end(), is_digit))
    return false;
  return value.size() >= kLong || !std::all_of(value.begin(), value.end(), [](char byte) {
           return byte >= 'a' && byte <= 'z';
         });
}

bool is_path(std::string_view value) {
  const bool begins = value.starts_with('/') || value.starts_with("~/") ||
                      value.starts_with("./") || value.starts_with("../");
  return begins || (value.ends_with(".json") && value.find_first_of("{ \n") == value.npos);
}

// Whether one of these stands in the name as a word: DB_PASS, and not COMPASS.
bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("_-. "), name.size());
    if (std::find(words.begin(), words.end(), name.substr(0, end)) != words.end()) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

bool names_headers(std::string_view name) { return has_word(lowered(name), {"header", "headers"}); }

// "Authorization: Bearer x", one in a line or, with commas and equals signs, as OpenTelemetry has
// them. Those whose names tell nothing are secrets only when they are long and have digits.
void add_headers(std::string_view value, std::vector<std::string>& secrets) {
  constexpr std::size_t kLong = 16;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find_first_of("\n,"), value.size());
    const std::string_view header = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    const std::size_t mark = header.find_first_of(":=");
    if (mark == header.npos) continue;
    const std::string name = lowered(trimmed(header.substr(0, mark)));
    const std::string_view whole = trimmed(header.substr(mark + 1));
    const std::string_view last = whole.substr(whole.find_last_of(" \t") + 1);
    const bool told = is_secret(name, last) || has_word(name, {"authorization", "cookie"});
    const bool random = last.size() >= kLong && std::any_of(last.begin(), last.end(), is_digit) &&
                        std::any_of(last.begin(), last.end(), is_letter) && !is_path(last);
    if (looks_secret(last) && (told || random)) secrets.emplace_back(last);
  }
}

// scheme://user:password@host
void add_passwords(std::string_view value, std::vector<std::string>& secrets) {
  constexpr std::string_view kMark = "://";
  for (std::size_t at = value.find(kMark); at != value.npos; at = value.find(kMark)) {
    value.remove_prefix(at + kMark.size());
    const std::string_view authority = value.substr(0, value.find_first_of("/?# \t\r\n\"'"));
    const std::size_t host = authority.rfind('@');
    if (host == authority.npos) continue;
    const std::string_view user = authority.substr(0, host);
    const std::size_t colon = user.find(':');
    if (colon == user.npos) continue;
    if (looks_secret(user.substr(colon + 1))) secrets.emplace_back(user.substr(colon + 1));
  }
}

}  // namespace

bool is_secret(std::string_view name, std::string_view value) {
  const std::string low = lowered(name);
  constexpr std::string_view kNames[] = {"key",      "token",  "secret",
                                         "password", "passwd", "passphrase"};
  const auto names = [&](std::string_view word) { return low.find(word) != low.npos; };
  if (std::none_of(std::begin(kNames), std::end(kNames), names) &&
      !has_word(low, {"pat", "pass", "pwd", "auth", "credential", "credentials", "creds"}))
    return false;
  if (!looks_secret(value)) return false;
  // A path, unless the name says that it is none: base64 may begin with a slash, too.
  const bool itself =
      (names("secret") || names("passw")) && !names("file") && !names("path") && !names("dir");
  return itself || !is_path(value);
}

std::vector<std::string> secrets_in(std::string_view name, std::string_view value) {
  std::vector<std::string> secrets;
  if (is_secret(name, value)) secrets.emplace_back(value);
  if (names_headers(name)) add_headers(value, secrets);
  add_passwords(value, secrets);
  return secrets;
}

Redaction::Redaction(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.size() < kShortestValue || secret.size() > kMaxSecretBytes) continue;
    if (literals_.size() >= kMaxLiterals) break;
    literals_.push_back(secret);
    const std::string quoted = json::quoted(secret);
    if (quoted.size() != secret.size() + 2)
      literals_.push_back(quoted.substr(1, quoted.size() - 2));
  }
  // The longest first: one may be the beginning of another.
  std::sort(literals_.begin(), literals_.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  const auto note = [this](std::string_view begin) {
    first_[static_cast<unsigned char>(begin[0])] = true;
    pairs_.set(pair_of(begin[0], begin[1]));
  };
  for (const std::string& literal : literals_) note(literal);
  for (const Shape& shape : kShapes) note(shape.begin);
  note("ey");
  note("--");
}

// Two bytes tell most places apart from a secret's beginning.
bool Redaction::may_begin(std::string_view text, std::size_t at) const {
  return first_[static_cast<unsigned char>(text[at])] &&
         (at + 1 == text.size() || pairs_[pair_of(text[at], text[at + 1])]);
}

std::size_t Redaction::secret_at(std::string_view text, std::size_t at, bool last) const {
  const std::string_view rest = text.substr(at);
  bool more = false;
  for (const std::string& literal : literals_) {
    if (literal.front() != rest.front()) continue;
    if (rest.starts_with(literal)) return literal.size();
    more |= !last && may_become(rest, literal);
  }
  const auto shaped = [&]() -> std::size_t {
    switch (rest.front()) {
      case '-':
        return of_pem(rest, last);
      case 'e':
        return of_jwt(rest, last);
      default:
        break;
    }
    std::size_t found = 0;
    for (const Shape& shape : kShapes) {
      if (shape.begin.front() != rest.front()) continue;
      const std::size_t length = of_shape(shape, rest, last);
      if (length != 0 && length != kMore) return length;
      if (length == kMore) found = kMore;
    }
    return found;
  };
  const std::size_t length = shaped();
  if (length == 0) return more ? kMore : 0;
  // A key begins where a word begins; "task-…" holds none.
  const std::string before = at < kBefore ? before_ + std::string(text.substr(0, at))
                                          : std::string(text.substr(at - kBefore, kBefore));
  if (rest.front() != '-' && !ends_a_word(before)) return more ? kMore : 0;
  return length;
}

std::string_view Redaction::pass(std::string_view text, bool last) {
  out_.clear();
  replaced_.clear();
  std::size_t passed = 0, at = 0;
  while (at < text.size()) {
    while (at < text.size() && !may_begin(text, at)) ++at;
    if (at == text.size()) break;
    const std::size_t length = secret_at(text, at, last);
    if (length == kMore) break;
    if (length == 0) {
      ++at;
      continue;
    }
    out_ += text.substr(passed, at - passed);
    out_ += kRedacted;
    ++count_;
    replaced_.push_back({decided_ + at, decided_ + at + length});
    at += length;
    passed = at;
  }
  out_ += text.substr(passed, at - passed);
  held_ = std::string(text.substr(at));
  decided_ += at;
  before_ += text.substr(at > kBefore ? at - kBefore : 0, std::min(at, kBefore));
  if (before_.size() > kBefore) before_.erase(0, before_.size() - kBefore);
  return out_;
}

std::string_view Redaction::feed(std::string_view bytes) {
  if (held_.empty()) return pass(bytes, false);
  const std::string joined = held_ + std::string(bytes);
  return pass(joined, false);
}

std::string_view Redaction::finish() {
  const std::string rest = std::move(held_);
  pass(rest, true);
  before_.clear();
  decided_ = 0;
  return out_;
}

}  // namespace capsule::agent
