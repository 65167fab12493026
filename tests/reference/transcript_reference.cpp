#include "tests/reference/transcript_reference.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace capsule::reference {
namespace {

struct Tree {
  enum Kind { object, array, string, number, word } kind = word;
  std::string text;               // of a string, decoded; of a word
  std::vector<std::string> keys;  // of an object, as they are written
  std::vector<Tree> values;       // of an object or array

  // The last member of that name, as it is written.
  const Tree* member(const std::string& key) const {
    const Tree* found = nullptr;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] == key) found = &values[i];
    return found;
  }
  bool is(const std::string& wanted) const { return kind == string && text == wanted; }
};

struct Bad {};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::optional<Tree> whole() {
    try {
      const Tree tree = value(1);
      blanks();
      if (at_ != text_.size() || tree.kind != Tree::object) return std::nullopt;
      return tree;
    } catch (const Bad&) {
      return std::nullopt;
    }
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size() && std::string(" \t\r\n").find(text_[at_]) != std::string::npos)
      ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(bool good) {
    if (!good) throw Bad{};
  }

  Tree value(int level) {
    blanks();
    Tree tree;
    if (now() == '{' || now() == '[') {
      need(level <= 128);
      tree.kind = now() == '{' ? Tree::object : Tree::array;
      const char close = now() == '{' ? '}' : ']';
      ++at_;
      if (take(close)) return tree;
      do {
        if (tree.kind == Tree::object) {
          blanks();
          tree.keys.push_back(quoted(true));
          need(take(':'));
        }
        tree.values.push_back(value(level + 1));
      } while (take(','));
      need(take(close));
      return tree;
    }
    if (now() == '"') {
      tree.kind = Tree::string;
      tree.text = quoted(false);
      return tree;
    }
    for (const std::string word : {"true", "false", "null"})
      if (text_.compare(at_, word.size(), word) == 0) {
        at_ += word.size();
        tree.text = word;
        return tree;
      }
    number();
    tree.kind = Tree::number;
    return tree;
  }

  void digits() {
    need(now() >= '0' && now() <= '9');
    while (now() >= '0' && now() <= '9') ++at_;
  }
  void number() {
    if (now() == '-') ++at_;
    if (now() == '0') {
      ++at_;
    } else {
      digits();
    }
    if (now() == '.') {
      ++at_;
      digits();
    }
    if (now() == 'e' || now() == 'E') {
      ++at_;
      if (now() == '+' || now() == '-') ++at_;
      digits();
    }
  }

  std::uint32_t hex() {
    need(at_ + 4 <= text_.size());
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const std::size_t digit =
          std::string("0123456789abcdef")
              .find(text_[at_] >= 'A' && text_[at_] <= 'F' ? static_cast<char>(text_[at_] + 32)
                                                           : text_[at_]);
      need(digit != std::string::npos);
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return code;
  }

  static std::string utf8(std::uint32_t code) {
    const auto byte = [](std::uint32_t b) { return std::string(1, static_cast<char>(b)); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) return byte(0xC0 + code / 64) + byte(0x80 + code % 64);
    if (code < 0x10000)
      return byte(0xE0 + code / 4096) + byte(0x80 + code / 64 % 64) + byte(0x80 + code % 64);
    return byte(0xF0 + code / 262144) + byte(0x80 + code / 4096 % 64) +
           byte(0x80 + code / 64 % 64) + byte(0x80 + code % 64);
  }

  // With `as_written`, escapes are checked but left as they are.
  std::string quoted(bool as_written) {
    need(now() == '"');
    const std::size_t start = ++at_;
    std::string result;
    while (true) {
      need(at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x20);
      const char c = text_[at_++];
      if (c == '"') break;
      if (c != '\\') {
        result += c;
        continue;
      }
      need(at_ < text_.size());
      const char kind = text_[at_++];
      const std::size_t simple = std::string("\"\\/bfnrt").find(kind);
      if (simple != std::string::npos) {
        result += "\"\\/\b\f\n\r\t"[simple];
        continue;
      }
      need(kind == 'u');
      const std::uint32_t first = hex();
      if (first < 0xD800 || first > 0xDFFF) {
        result += utf8(first);
        continue;
      }
      const std::size_t back = at_;
      if (first <= 0xDBFF && text_.compare(at_, 2, "\\u") == 0) {
        at_ += 2;
        const std::uint32_t second = hex();
        if (second >= 0xDC00 && second <= 0xDFFF) {
          result += utf8(0x10000 + (first - 0xD800) * 1024 + (second - 0xDC00));
          continue;
        }
        at_ = back;
      }
      result += "\xEF\xBF\xBD";
    }
    return as_written ? text_.substr(start, at_ - 1 - start) : result;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

std::vector<std::string> texts_in(const Tree* content) {
  std::vector<std::string> texts;
  if (content == nullptr) return texts;
  if (content->kind == Tree::string) texts.push_back(content->text);
  if (content->kind != Tree::array) return texts;
  for (const Tree& block : content->values) {
    const Tree* type = block.member("type");
    const Tree* text = block.member("text");
    if (type != nullptr && type->is("text") && text != nullptr && text->kind == Tree::string)
      texts.push_back(text->text);
  }
  return texts;
}

const Tree* string_member(const Tree& tree, const std::string& key) {
  const Tree* found = tree.member(key);
  return found != nullptr && found->kind == Tree::string ? found : nullptr;
}

// `content` or `text`, whichever stands last.
const Tree* content_of(const Tree& tree) {
  const Tree* found = nullptr;
  for (std::size_t i = 0; i < tree.keys.size(); ++i)
    if (tree.keys[i] == "content" || tree.keys[i] == "text") found = &tree.values[i];
  return found;
}

struct Said {
  std::string speaker;
  std::vector<std::string> texts;
};

Said said_by(const Tree& record) {
  const Tree* type = string_member(record, "type");
  const Tree* result = record.member("result");
  const Tree* error = record.member("is_error");
  const bool failed = error != nullptr && error->kind == Tree::word && error->text == "true";
  if (type != nullptr && type->text == "result" && !failed && !texts_in(result).empty())
    return {"assistant", texts_in(result)};

  const Tree* message = record.member("message");
  const bool inner = message != nullptr && message->kind == Tree::object;
  const Tree* role = string_member(record, "role");
  if (inner && string_member(*message, "role") != nullptr) role = string_member(*message, "role");
  std::string who;
  if (type != nullptr) who = type->text;
  if (role != nullptr) who = role->text;
  if (type != nullptr && type->text != "message" && type->text != who) who = "nobody";

  Said said{who, texts_in(inner ? content_of(*message) : message)};
  for (const std::string& text : texts_in(content_of(record))) said.texts.push_back(text);
  return said;
}

bool says_what_it_is(const Tree& record) {
  const Tree* message = record.member("message");
  return string_member(record, "type") != nullptr || string_member(record, "role") != nullptr ||
         (message != nullptr && string_member(*message, "role") != nullptr);
}

bool continues(const Said& said) {
  if (said.speaker != "user") return false;
  for (const std::string& text : said.texts) {
    if (text.starts_with("Stop hook feedback:")) return true;
    std::string rest = text + "\n";
    while (!rest.empty()) {
      std::string line = rest.substr(0, rest.find('\n'));
      rest.erase(0, line.size() + 1);
      while (!line.empty() && std::string(" \t\r\v\f").find(line.back()) != std::string::npos)
        line.pop_back();
      while (!line.empty() && std::string(" \t\r\v\f").find(line[0]) != std::string::npos)
        line.erase(0, 1);
      if (line == "## Auto Mode Continuation") return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> texts_that_count(const std::string& input) {
  std::string text = input;
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  std::vector<std::string> full;  // the lines that are not blank, from their first letter on
  for (const std::string& line : lines) {
    const std::size_t first = line.find_first_not_of(" \t\r\v\f");
    if (first != std::string::npos) full.push_back(line.substr(first));
  }
  if (full.empty() || (full.size() > 1 && full[1][0] != '{')) return {text};
  std::string first = full[0];
  while (std::string(" \t\r\v\f").find(first.back()) != std::string::npos) first.pop_back();
  const auto record = Reader(first).whole();
  if (!record || !says_what_it_is(*record)) return {text};

  std::vector<std::string> texts;
  for (const std::string& line : lines) {
    const auto tree = Reader(line).whole();
    if (!tree) continue;
    const Said said = said_by(*tree);
    if (continues(said)) texts.clear();
    if (said.speaker == "assistant")
      texts.insert(texts.end(), said.texts.begin(), said.texts.end());
  }
  return texts;
}

}  // namespace capsule::reference
