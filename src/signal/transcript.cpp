#include "signal/transcript.h"

#include <array>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "signal/find.h"

namespace capsule::signal {
namespace {

constexpr std::size_t kMaxLevels = 128;

// Reads one JSON text from left to right. Every function returns false, for good, at the first
// byte that cannot belong to it.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  char peek() {
    while (at_ < text_.size() && (is_space(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool at_end() { return peek() == '\0' && at_ == text_.size(); }

  bool string(RawText& raw) {
    if (!take('"')) return false;
    const std::size_t start = at_;
    for (;;) {
      // Escapes come in rows.
      if (!now('\\')) at_ = find_string_stop(text_, at_);
      if (at_ == text_.size()) return false;
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\' || !escape()) return false;
    }
    raw = text_.substr(start, at_++ - start);
    return true;
  }

  // Any value, of which nothing is kept.
  bool skip() {
    std::array<char, kMaxLevels> open{};  // the brackets that would close what is open
    std::size_t depth = level_;
    const std::size_t outside = depth;
    RawText ignored;
    for (;;) {
      // A value begins here.
      const char first = peek();
      if (first == '{' || first == '[') {
        if (depth == kMaxLevels) return false;
        ++at_;
        const char close = first == '{' ? '}' : ']';
        if (!take(close)) {
          open[depth++] = close;
          if (first == '{' && !(string(ignored) && take(':'))) return false;
          continue;
        }
      } else if (!(first == '"' ? string(ignored) : word())) {
        return false;
      }
      // A value has ended here.
      while (depth > outside && take(open[depth - 1])) --depth;
      if (depth == outside) return true;
      if (!take(',')) return false;
      if (open[depth - 1] == '}' && !(string(ignored) && take(':'))) return false;
    }
  }

  // An object; `member(key)` must read the value. Nothing is kept of what it does not keep.
  template <class Member>
  bool object(Member member) {
    if (!take('{') || level_ == kMaxLevels) return false;
    ++level_;
    if (!take('}')) {
      for (;;) {
        RawText key;
        if (!string(key) || !take(':') || !member(key)) return false;
        if (take('}')) break;
        if (!take(',')) return false;
      }
    }
    --level_;
    return true;
  }

  template <class Element>
  bool array(Element element) {
    if (!take('[') || level_ == kMaxLevels) return false;
    ++level_;
    if (!take(']')) {
      for (;;) {
        if (!element()) return false;
        if (take(']')) break;
        if (!take(',')) return false;
      }
    }
    --level_;
    return true;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  bool escape() {
    constexpr std::string_view kSimple = "\"\\/bfnrt";
    if (at_ + 1 >= text_.size()) return false;
    const char kind = text_[at_ + 1];
    if (kSimple.find(kind) != kSimple.npos) {
      at_ += 2;
      return true;
    }
    if (kind != 'u' || at_ + 6 > text_.size()) return false;
    for (std::size_t i = at_ + 2; i < at_ + 6; ++i) {
      const char c = text_[i];
      if (!is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f')) return false;
    }
    at_ += 6;
    return true;
  }

  bool word() {
    for (std::string_view known : {"true", "false", "null"}) {
      if (text_.substr(at_, known.size()) != known) continue;
      at_ += known.size();
      return true;
    }
    return number();
  }

  bool digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > start;
  }

  bool now(char c) { return at_ < text_.size() && text_[at_] == c; }

  bool number() {
    if (now('-')) ++at_;
    if (now('0')) {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (now('.')) {
      ++at_;
      if (!digits()) return false;
    }
    if (now('e') || now('E')) {
      ++at_;
      if (now('+') || now('-')) ++at_;
      if (!digits()) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t level_ = 0;
};

// What one object, the record or the message inside it, says.
struct Said {
  RawText type, role;
  bool has_type = false, has_role = false, is_error = false;
  std::optional<RawText> inner_role;  // of the message inside
  std::vector<RawText> content;       // of `content` or `text`
  std::vector<RawText> message;       // of a `message` that is a string, or of the one inside
  std::vector<RawText> result;
};

bool read_string_or_skip(Cursor& json, RawText& text, bool& found) {
  found = json.peek() == '"';
  return found ? json.string(text) : json.skip();
}

// A string, or a list of blocks of which those of type `text` count.
bool read_content(Cursor& json, std::vector<RawText>& texts) {
  texts.clear();
  RawText whole;
  bool found = false;
  if (json.peek() != '[') {
    if (!read_string_or_skip(json, whole, found)) return false;
    if (found) texts.push_back(whole);
    return true;
  }
  return json.array([&] {
    if (json.peek() != '{') return json.skip();
    RawText type, text;
    bool has_type = false, has_text = false;
    const bool whole_block = json.object([&](RawText key) {
      if (key == "type") return read_string_or_skip(json, type, has_type);
      if (key == "text") return read_string_or_skip(json, text, has_text);
      return json.skip();
    });
    if (whole_block && has_type && has_text && type == "text") texts.push_back(text);
    return whole_block;
  });
}

bool read_said(Cursor& json, Said& said, bool outermost) {
  return json.object([&](RawText key) {
    if (key == "type") return read_string_or_skip(json, said.type, said.has_type);
    if (key == "role") return read_string_or_skip(json, said.role, said.has_role);
    if (key == "content" || key == "text") return read_content(json, said.content);
    if (key == "result") return read_content(json, said.result);
    if (key == "is_error") {
      said.is_error = json.peek() == 't';
      return json.skip();
    }
    if (key != "message" || !outermost) return json.skip();
    said.inner_role.reset();
    if (json.peek() != '{') return read_content(json, said.message);
    Said inner;
    if (!read_said(json, inner, false)) return false;
    if (inner.has_role) said.inner_role = inner.role;
    said.message = std::move(inner.content);
    return true;
  });
}

Speaker speaker_of(const Said& said) {
  // A role is the nearer witness: a record of type `message` may be anybody's.
  const RawText who = said.inner_role.value_or(said.has_role ? said.role : said.type);
  const bool agrees = !said.has_type || said.type == "message" || said.type == who;
  if (agrees && who == "assistant") return Speaker::assistant;
  if (agrees && who == "user") return Speaker::user;
  return Speaker::other;
}

// Four hexadecimal digits that the cursor has seen before.
std::uint32_t hex4(std::string_view digits) {
  std::uint32_t value = 0;
  for (char c : digits.substr(0, 4))
    value = value * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  return value;
}

// The code point of the escape `\uXXXX` at the start of `raw`, and how long it is.
std::uint32_t read_unicode(std::string_view raw, std::size_t& length) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const std::uint32_t first = hex4(raw.substr(2));
  length = 6;
  if (first < 0xD800 || first > 0xDFFF) return first;
  if (first > 0xDBFF || raw.size() < 12 || raw[6] != '\\' || raw[7] != 'u') return kReplacement;
  const std::uint32_t second = hex4(raw.substr(8));
  if (second < 0xDC00 || second > 0xDFFF) return kReplacement;
  length = 12;
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

}  // namespace

std::optional<Record> read_record(std::string_view line) {
  Cursor json(line);
  Said said;
  if (!read_said(json, said, true) || !json.at_end()) return std::nullopt;
  Record record;
  record.has_kind = said.has_type || said.has_role || said.inner_role.has_value();
  if (said.has_type && said.type == "result" && !said.result.empty() && !said.is_error) {
    // The closing record of a client repeats the agent's last words.
    record.speaker = Speaker::assistant;
    record.texts = std::move(said.result);
    return record;
  }
  record.speaker = speaker_of(said);
  if (record.speaker == Speaker::other) return record;
  record.texts = std::move(said.message);
  record.texts.insert(record.texts.end(), said.content.begin(), said.content.end());
  return record;
}

bool is_transcript(std::string_view text) {
  const auto past_blanks = [text](std::size_t at) {
    while (at < text.size() && (is_blank(text[at]) || text[at] == '\n')) ++at;
    return at;
  };
  const std::size_t first = past_blanks(text_start(text));
  if (first == text.size() || text[first] != '{') return false;
  const std::size_t end = line_end(text, first);
  const std::size_t second = past_blanks(end);
  if (second < text.size() && text[second] != '{') return false;
  const auto record = read_record(without_trailing_blanks(text.substr(first, end - first)));
  return record && record->has_kind;
}

void for_each_line(RawText text, const std::function<void(std::string_view line)>& tell) {
  constexpr std::string_view kEscapes = "bfnrt";
  constexpr std::string_view kDecoded = "\b\f\n\r\t";
  std::string line;
  std::string code_point;
  const auto add = [&line](std::string_view part) {
    line += part.substr(0, kMaxDecodedLineBytes - line.size());
  };
  while (!text.empty()) {
    if (text.front() != '\\') {
      const std::size_t stop = find_string_stop(text, 0);
      add(text.substr(0, stop));
      text.remove_prefix(stop);
    }
    if (text.size() < 2) break;
    const char kind = text[1];
    std::size_t length = 2;
    std::string_view decoded = text.substr(1, 1);
    if (kind == 'u') {
      code_point.clear();
      append_utf8(code_point, read_unicode(text, length));
      decoded = code_point;
    } else if (const std::size_t known = kEscapes.find(kind); known != kEscapes.npos) {
      decoded = kDecoded.substr(known, 1);
    }
    if (decoded == "\n") {
      tell(line);
      line.clear();
    } else {
      add(decoded);
    }
    text.remove_prefix(length);
  }
  tell(line);
}

bool is_continuation(const Record& record) {
  if (record.speaker != Speaker::user) return false;
  for (RawText text : record.texts) {
    if (text.starts_with("Stop hook feedback:")) return true;
    if (text.find("Auto Mode Continuation") == text.npos) continue;
    bool found = false;
    for_each_line(text, [&found](std::string_view line) {
      found |= without_blanks(line) == "## Auto Mode Continuation";
    });
    if (found) return true;
  }
  return false;
}

}  // namespace capsule::signal
