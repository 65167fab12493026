#include "json/text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>

#include "base/check.h"
#include "base/text.h"
#include "json/byte_search.h"
#include "json/scan.h"

namespace capsule::json {
namespace {

void append_control(std::string& out, unsigned char byte) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (byte) {
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
  }
}

// Four hex digits that are known to be there.
std::uint32_t unit_at(const char* at) {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const char digit = at[i];
    const int value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
    unit = unit << 4 | static_cast<std::uint32_t>(value);
  }
  return unit;
}

char unescaped(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

// Past the closing quote of the valid string that begins at `at`.
const char* string_end(const char* at, const char* end) {
  for (++at;;) {
    at = find_string_special(at, end);
    CHECK(at != end);
    if (*at == '"') return at + 1;
    at += *at == '\\' ? 2 : 1;
  }
}

// Past a number, true, false or null.
const char* word_end(const char* at, const char* end) {
  while (at != end && *at != ',' && *at != '}' && *at != ']' && !is_json_blank(*at)) ++at;
  return at;
}

// The values that stay, found in one pass over the text and written in a second one, which jumps
// from value to value. Offsets are 32 bits wide: a value has at most 16 MiB.
struct KeptMember {
  std::uint32_t key;
  std::uint32_t key_size;
  std::uint32_t value;
  std::uint32_t objects;  // how many objects begin before the value: the number of its first one
};

struct KeptObject {
  std::uint32_t first;  // of its members
  std::uint32_t count;
  std::uint32_t end;
  std::uint32_t objects;  // how many objects begin before its end
};

class Canonical {
 public:
  explicit Canonical(std::string_view text) : text_(text) {}

  std::string write() {
    index(0);
    out_.reserve(text_.size());
    std::uint32_t objects = 0;
    write_value(0, objects);
    return std::move(out_);
  }

 private:
  std::uint32_t skip_blanks(std::uint32_t at) const {
    while (is_json_blank(text_[at])) ++at;
    return at;
  }

  // Past the string, or the number or word, that begins at `at`.
  std::uint32_t scalar_end(std::uint32_t at) const {
    const char* const begin = text_.data() + at;
    const char* const end = text_.data() + text_.size();
    const char* const after = *begin == '"' ? string_end(begin, end) : word_end(begin, end);
    return static_cast<std::uint32_t>(after - text_.data());
  }

  // Notes the objects of the value at `at`; returns where it ends. The depth of the recursion is
  // bounded by kMaxJsonLevels.
  std::uint32_t index(std::uint32_t at) {
    if (text_[at] == '{') return index_object(at);
    if (text_[at] != '[') return scalar_end(at);
    at = skip_blanks(at + 1);
    while (text_[at] != ']') {
      at = skip_blanks(index(at));
      if (text_[at] == ',') at = skip_blanks(at + 1);
    }
    return at + 1;
  }

  std::uint32_t index_object(std::uint32_t at) {
    const std::size_t number = objects_.size();
    objects_.emplace_back();
    std::vector<KeptMember> found;
    at = skip_blanks(at + 1);
    while (text_[at] != '}') {
      const std::uint32_t key_end = scalar_end(at);
      const std::uint32_t value = skip_blanks(skip_blanks(key_end) + 1);
      found.push_back({at, key_end - at, value, count_of(objects_)});
      at = skip_blanks(index(value));
      if (text_[at] == ',') at = skip_blanks(at + 1);
    }
    drop_duplicates(found);
    objects_[number] = {count_of(members_), count_of(found), at + 1, count_of(objects_)};
    members_.insert(members_.end(), found.begin(), found.end());
    return at + 1;
  }

  // Leaves the last value of each key at the first one's place. Sorting, unlike hashing, gives
  // hostile keys nothing to collide on.
  void drop_duplicates(std::vector<KeptMember>& found) const {
    struct Key {
      std::string_view name;
      std::size_t place;
    };
    std::deque<std::string> unescaped_keys;
    std::vector<Key> keys;
    keys.reserve(found.size());
    for (const KeptMember& member : found) {
      std::string_view name = text_.substr(member.key, member.key_size);
      if (name.find('\\') != name.npos)
        name = unescaped_keys.emplace_back(unquoted(name));
      else
        name = name.substr(1, name.size() - 2);
      keys.push_back({name, keys.size()});
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      const int difference = a.name.compare(b.name);
      return difference != 0 ? difference < 0 : a.place < b.place;
    });
    std::size_t first = 0;
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].name != keys[first].name) {
        first = i;
        continue;
      }
      KeptMember& kept = found[keys[first].place];
      KeptMember& dropped = found[keys[i].place];
      kept.value = dropped.value;
      kept.objects = dropped.objects;
      dropped.key_size = 0;
    }
    std::erase_if(found, [](const KeptMember& member) { return member.key_size == 0; });
  }

  // Writes the value at `at`, before which `objects` objects begin; returns where it ends, and
  // brings `objects` there.
  std::uint32_t write_value(std::uint32_t at, std::uint32_t& objects) {
    if (text_[at] == '{') return write_object(objects);
    if (text_[at] != '[') return write_scalar(at);
    out_ += '[';
    at = skip_blanks(at + 1);
    while (text_[at] != ']') {
      at = skip_blanks(write_value(at, objects));
      if (text_[at] != ',') continue;
      out_ += ',';
      at = skip_blanks(at + 1);
    }
    out_ += ']';
    return at + 1;
  }

  std::uint32_t write_object(std::uint32_t& objects) {
    const KeptObject object = objects_[objects];
    out_ += '{';
    for (std::uint32_t i = 0; i < object.count; ++i) {
      const KeptMember& member = members_[object.first + i];
      if (i > 0) out_ += ',';
      write_scalar(member.key);
      out_ += ':';
      std::uint32_t inner = member.objects;
      write_value(member.value, inner);
    }
    out_ += '}';
    objects = object.objects;
    return object.end;
  }

  std::uint32_t write_scalar(std::uint32_t at) {
    const std::uint32_t end = scalar_end(at);
    const std::string_view text = text_.substr(at, end - at);
    if (text.find('\\') != text.npos)
      append_quoted(out_, unquoted(text));
    else
      out_ += text;
    return end;
  }

  template <class T>
  static std::uint32_t count_of(const std::vector<T>& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  std::string_view text_;
  std::vector<KeptObject> objects_;  // in the order in which they begin
  std::vector<KeptMember> members_;  // those of one object stand together
  std::string out_;
};

// Past the value that begins at `at` in canonical text, where only strings can hold brackets that
// do not nest.
const char* value_end(const char* at, const char* end) {
  if (*at == '"') return string_end(at, end);
  if (*at != '{' && *at != '[') return word_end(at, end);
  int depth = 0;
  do {
    if (*at == '"') {
      at = string_end(at, end);
      continue;
    }
    if (*at == '{' || *at == '[') ++depth;
    if (*at == '}' || *at == ']') --depth;
    ++at;
  } while (depth > 0);
  return at;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const stop = find_string_special(at, end);
    out.append(at, stop);
    at = stop;
    if (at == end) break;
    const auto byte = static_cast<unsigned char>(*at);
    if (byte >= 0x80) {
      const std::size_t length = utf8_length({at, static_cast<std::size_t>(end - at)});
      if (length == 0)
        out += "\xEF\xBF\xBD";
      else
        out.append(at, length);
      at += std::max<std::size_t>(length, 1);
      continue;
    }
    if (byte < 0x20) {
      append_control(out, byte);
    } else {
      out += '\\';
      out += *at;
    }
    ++at;
  }
  out += '"';
}

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text);
  return out;
}

std::string unquoted(std::string_view quoted) {
  std::string out;
  const char* at = quoted.data() + 1;
  const char* const end = quoted.data() + quoted.size() - 1;
  while (at < end) {
    const void* found = std::memchr(at, '\\', static_cast<std::size_t>(end - at));
    const char* const stop = found != nullptr ? static_cast<const char*>(found) : end;
    out.append(at, stop);
    at = stop;
    if (at == end) break;
    if (at[1] != 'u') {
      out += unescaped(at[1]);
      at += 2;
      continue;
    }
    std::uint32_t point = unit_at(at + 2);
    at += 6;
    if (point >= 0xD800 && point <= 0xDBFF) {
      point = 0x10000 + ((point - 0xD800) << 10) + (unit_at(at + 2) - 0xDC00);
      at += 6;
    }
    append_utf8(out, point);
  }
  return out;
}

std::optional<std::string> canonical(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::nullopt;
  Scan scan;
  scan.begin();
  const Scan::Step step = scan.read(text);
  if (step.verdict != Scan::Verdict::complete || step.used != text.size()) return std::nullopt;
  return Canonical(text).write();
}

std::vector<Member> members_of(std::string_view text) {
  std::vector<Member> members;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  while (*at != '}') {
    const char* const key_end = string_end(at, end);
    const char* const after = value_end(key_end + 1, end);
    members.push_back({{at, key_end}, {key_end + 1, after}});
    at = *after == ',' ? after + 1 : after;
  }
  return members;
}

std::vector<std::string_view> elements_of(std::string_view text) {
  std::vector<std::string_view> elements;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  while (*at != ']') {
    const char* const after = value_end(at, end);
    elements.emplace_back(at, after);
    at = *after == ',' ? after + 1 : after;
  }
  return elements;
}

std::string drawn_out(std::string_view json) {
  std::string out;
  std::size_t depth = 0;
  bool in_text = false;
  const auto new_line = [&] {
    out += '\n';
    out.append(depth * 2, ' ');
  };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      out += c;
      if (c == '\\') out += json[++i];
      if (c == '"') in_text = false;
      continue;
    }
    const bool closes_at_once = i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']');
    switch (c) {
      case '"':
        in_text = true;
        out += c;
        break;
      case '{':
      case '[':
        out += c;
        if (closes_at_once) {
          out += json[++i];
        } else {
          ++depth;
          new_line();
        }
        break;
      case '}':
      case ']':
        --depth;
        new_line();
        out += c;
        break;
      case ',':
        out += c;
        new_line();
        break;
      case ':':
        out += ": ";
        break;
      default:
        out += c;
    }
  }
  return out + "\n";
}

}  // namespace capsule::json
