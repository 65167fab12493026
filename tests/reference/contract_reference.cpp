#include "tests/reference/contract_reference.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace capsule::reference {
namespace {

// Thrown at the first byte that cannot belong to the value.
struct Stop {
  std::size_t at;
};

struct Value {
  enum Kind { kObject, kArray, kString, kWord } kind = kWord;
  std::string text;               // a string's meaning; a number or word as written
  std::vector<Value> items;       // of an array, or the values of an object
  std::vector<std::string> keys;  // of an object: one for each of its values
};

void add_code_point(std::string& text, std::uint32_t point) {
  auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (point <= 0x7F) {
    add(point);
  } else if (point <= 0x7FF) {
    add(0xC0 + point / 64);
    add(0x80 + point % 64);
  } else if (point <= 0xFFFF) {
    add(0xE0 + point / 4096);
    add(0x80 + point / 64 % 64);
    add(0x80 + point % 64);
  } else {
    add(0xF0 + point / 262144);
    add(0x80 + point / 4096 % 64);
    add(0x80 + point / 64 % 64);
    add(0x80 + point % 64);
  }
}

struct Range {
  std::uint32_t low;
  std::uint32_t high;
};

bool overlaps(const std::vector<Range>& ranges, std::uint32_t low, std::uint32_t high) {
  for (const Range& range : ranges)
    if (low <= range.high && high >= range.low) return true;
  return false;
}

// Recursive descent over `input` from `at`. Reading beyond the input, or beyond 16 MiB, stops too.
class Reader {
 public:
  Reader(const std::string& input, std::size_t begin)
      : input_(input), at_(begin), limit_(begin + 16'777'216) {}

  Value read() { return value(1); }
  std::size_t position() const { return at_; }

  // The first key of the outermost object, as far as it was read, as written.
  bool has_first_key() const { return key_begin_.has_value(); }
  bool first_key_is_closed() const { return key_end_.has_value(); }
  std::string first_key() const {
    return input_.substr(*key_begin_, key_end_.value_or(at_) - *key_begin_);
  }

 private:
  // The byte to look at next. A throw here means the end, or the limit.
  unsigned char peek() const {
    if (at_ >= input_.size() || at_ >= limit_) throw Stop{at_};
    return static_cast<unsigned char>(input_[at_]);
  }

  void expect(char wanted) {
    if (peek() != static_cast<unsigned char>(wanted)) throw Stop{at_};
    ++at_;
  }

  void blanks() {
    while (true) {
      unsigned char byte = peek();
      if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r') return;
      ++at_;
    }
  }

  Value value(int level) {
    blanks();
    unsigned char byte = peek();
    if (byte == '{' || byte == '[') {
      if (level > 128) throw Stop{at_};
      return byte == '{' ? object(level) : array(level);
    }
    Value result;
    if (byte == '"') {
      result.kind = Value::kString;
      result.text = string();
      return result;
    }
    std::size_t from = at_;
    if (byte == 't') {
      for (char letter : std::string("true")) expect(letter);
    } else if (byte == 'f') {
      for (char letter : std::string("false")) expect(letter);
    } else if (byte == 'n') {
      for (char letter : std::string("null")) expect(letter);
    } else {
      number();
    }
    result.text = input_.substr(from, at_ - from);
    return result;
  }

  bool at_digit() const { return peek() >= '0' && peek() <= '9'; }

  void digits() {
    if (!at_digit()) throw Stop{at_};
    while (at_digit()) ++at_;
  }

  // A number inside an object or array is always followed by a byte, or cut off.
  void number() {
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
    } else {
      digits();
    }
    if (peek() == '.') {
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
  }

  Value object(int level) {
    Value result;
    result.kind = Value::kObject;
    expect('{');
    blanks();
    if (peek() == '}') {
      ++at_;
      return result;
    }
    while (true) {
      blanks();
      if (peek() != '"') throw Stop{at_};
      bool is_first = level == 1 && !key_begin_;
      if (is_first) key_begin_ = at_ + 1;
      std::string key = string();
      if (is_first) key_end_ = at_ - 1;
      blanks();
      expect(':');
      Value member = value(level + 1);
      bool known = false;
      for (std::size_t i = 0; i < result.keys.size(); ++i) {
        if (result.keys[i] != key) continue;
        result.items[i] = member;
        known = true;
      }
      if (!known) {
        result.keys.push_back(key);
        result.items.push_back(member);
      }
      blanks();
      if (peek() == '}') {
        ++at_;
        return result;
      }
      expect(',');
    }
  }

  Value array(int level) {
    Value result;
    result.kind = Value::kArray;
    expect('[');
    blanks();
    if (peek() == ']') {
      ++at_;
      return result;
    }
    while (true) {
      result.items.push_back(value(level + 1));
      blanks();
      if (peek() == ']') {
        ++at_;
        return result;
      }
      expect(',');
    }
  }

  std::string string() {
    std::string text;
    expect('"');
    while (peek() != '"') {
      if (peek() < 0x20) throw Stop{at_};
      if (peek() == '\\') {
        escape(text);
      } else {
        utf8(text);
      }
    }
    ++at_;
    return text;
  }

  void escape(std::string& text) {
    expect('\\');
    switch (peek()) {
      case '"':
        text += '"';
        break;
      case '\\':
        text += '\\';
        break;
      case '/':
        text += '/';
        break;
      case 'b':
        text += '\b';
        break;
      case 'f':
        text += '\f';
        break;
      case 'n':
        text += '\n';
        break;
      case 'r':
        text += '\r';
        break;
      case 't':
        text += '\t';
        break;
      case 'u': {
        ++at_;
        std::uint32_t unit = four_digits({{0x0000, 0xDBFF}, {0xE000, 0xFFFF}});
        if (unit >= 0xD800 && unit <= 0xDBFF) {
          expect('\\');
          expect('u');
          std::uint32_t second = four_digits({{0xDC00, 0xDFFF}});
          unit = 0x10000 + (unit - 0xD800) * 0x400 + (second - 0xDC00);
        }
        add_code_point(text, unit);
        return;
      }
      default:
        throw Stop{at_};
    }
    ++at_;
  }

  // Each digit must leave at least one allowed number possible.
  std::uint32_t four_digits(const std::vector<Range>& allowed) {
    std::uint32_t number = 0;
    std::uint32_t open = 0x10000;  // how many numbers the digits so far leave
    for (int i = 0; i < 4; ++i) {
      const std::string kDigits = "0123456789abcdef";
      const std::string kUpper = "0123456789ABCDEF";
      std::size_t digit = kDigits.find(static_cast<char>(peek()));
      if (digit == std::string::npos) digit = kUpper.find(static_cast<char>(peek()));
      if (digit == std::string::npos) throw Stop{at_};
      open /= 16;
      number += static_cast<std::uint32_t>(digit) * open;
      if (!overlaps(allowed, number, number + open - 1)) throw Stop{at_};
      ++at_;
    }
    return number;
  }

  // One character. Each byte must leave at least one code point of that length possible.
  void utf8(std::string& text) {
    unsigned char lead = peek();
    std::uint32_t number = 0;
    std::uint32_t open = 0;
    std::vector<Range> allowed;
    if (lead < 0x80) {
      text += static_cast<char>(lead);
      ++at_;
      return;
    }
    if (lead >= 0xC0 && lead <= 0xDF) {
      number = (lead - 0xC0U) * 64;
      open = 64;
      allowed = {{0x80, 0x7FF}};
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      number = (lead - 0xE0U) * 4096;
      open = 4096;
      allowed = {{0x800, 0xD7FF}, {0xE000, 0xFFFF}};
    } else if (lead >= 0xF0 && lead <= 0xF7) {
      number = (lead - 0xF0U) * 262144;
      open = 262144;
      allowed = {{0x10000, 0x10FFFF}};
    } else {
      throw Stop{at_};
    }
    if (!overlaps(allowed, number, number + open - 1)) throw Stop{at_};
    ++at_;
    while (open > 1) {
      unsigned char next = peek();
      if (next < 0x80 || next > 0xBF) throw Stop{at_};
      open /= 64;
      number += (next - 0x80U) * open;
      if (!overlaps(allowed, number, number + open - 1)) throw Stop{at_};
      ++at_;
    }
    add_code_point(text, number);
  }

  const std::string& input_;
  std::size_t at_;
  std::size_t limit_;
  std::optional<std::size_t> key_begin_;
  std::optional<std::size_t> key_end_;
};

std::string quote(const std::string& text) {
  std::string result = "\"";
  for (char byte : text) {
    auto value = static_cast<unsigned char>(byte);
    if (byte == '"') {
      result += "\\\"";
    } else if (byte == '\\') {
      result += "\\\\";
    } else if (byte == '\b') {
      result += "\\b";
    } else if (byte == '\f') {
      result += "\\f";
    } else if (byte == '\n') {
      result += "\\n";
    } else if (byte == '\r') {
      result += "\\r";
    } else if (byte == '\t') {
      result += "\\t";
    } else if (value < 0x20) {
      result += value < 0x10 ? "\\u000" : "\\u001";
      result += "0123456789abcdef"[value % 16];
    } else {
      result += byte;
    }
  }
  return result + "\"";
}

std::string print(const Value& value) {
  std::string result;
  switch (value.kind) {
    case Value::kString:
      return quote(value.text);
    case Value::kWord:
      return value.text;
    case Value::kArray:
      for (const Value& item : value.items) result += (result.empty() ? "" : ",") + print(item);
      return "[" + result + "]";
    case Value::kObject:
      for (std::size_t i = 0; i < value.keys.size(); ++i)
        result += (i == 0 ? "" : ",") + quote(value.keys[i]) + ":" + print(value.items[i]);
      return "{" + result + "}";
  }
  return result;
}

ContractAnswer error(const std::string& reason) {
  return {1, "{\"status\":\"ERROR\",\"feedback\":" + quote(reason) +
                 ",\"files_changed\":[],\"summary\":\"Phase did not produce a signal\"}"};
}

const std::vector<std::string> kKeys{"status", "feedback", "files_changed", "summary"};

ContractAnswer judge(const Value& object) {
  std::vector<const Value*> fields;
  for (const std::string& key : kKeys) {
    const Value* found = nullptr;
    for (std::size_t i = 0; i < object.keys.size(); ++i)
      if (object.keys[i] == key) found = &object.items[i];
    if (found == nullptr) return error("Missing required field: " + key);
    fields.push_back(found);
  }
  const Value& status = *fields[0];
  const std::set<std::string> good{"PASS", "NEEDS_WORK", "ERROR"};
  if (status.kind != Value::kString || good.count(status.text) == 0) {
    std::string shown = status.kind == Value::kString ? status.text : print(status);
    return error("Invalid status value: " + shown + " (must be PASS, NEEDS_WORK, or ERROR)");
  }
  if (fields[2]->kind != Value::kArray) return error("files_changed must be an array");
  for (const Value& file : fields[2]->items)
    if (file.kind != Value::kString) return error("files_changed must be an array of strings");
  if (fields[1]->kind != Value::kString) return error("feedback must be a string");
  if (fields[3]->kind != Value::kString) return error("summary must be a string");
  return {0, print(object)};
}

bool begins_like_a_signal(const Reader& reader, bool cut_off) {
  if (!reader.has_first_key()) return false;
  const std::string read = reader.first_key();
  for (const std::string& key : kKeys) {
    if (reader.first_key_is_closed() && read == key) return true;
    if (!reader.first_key_is_closed() && cut_off && key.substr(0, read.size()) == read) return true;
  }
  return false;
}

bool only_blanks_before(const std::string& text, std::size_t at) {
  while (at > 0 && text[at - 1] != '\n') {
    --at;
    if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r') return false;
  }
  return true;
}

}  // namespace

ContractAnswer contract(const std::string& output) {
  std::optional<Value> candidate;
  bool broken_after_it = false;
  std::size_t at = 0;
  while (at < output.size()) {
    if (output[at] != '{' && output[at] != '[') {
      ++at;
      continue;
    }
    bool is_object = output[at] == '{';
    Reader reader(output, at);
    try {
      Value value = reader.read();
      at = reader.position();
      if (is_object) {
        candidate = value;
        broken_after_it = false;
      }
    } catch (const Stop& stop) {
      at = stop.at;
      if (is_object && begins_like_a_signal(reader, at == output.size())) {
        broken_after_it = true;
        if (!only_blanks_before(output, at)) {
          while (at < output.size() && output[at] != '\n') ++at;
          if (at < output.size()) ++at;
        }
      }
    }
  }
  if (broken_after_it) return error("The last signal in the phase output is not valid JSON");
  if (!candidate) return error("No signal JSON found in phase output");
  return judge(*candidate);
}

}  // namespace capsule::reference
