#include "signal/find.h"

#include <cstdint>
#include <cstring>

namespace capsule::signal {
namespace {

// The compilers' own vectors: they become the instructions of whatever machine this is built for.
constexpr std::size_t kWidth = 16;
constexpr std::size_t kStride = 4 * kWidth;
using Bytes = unsigned char __attribute__((vector_size(kWidth)));

Bytes bytes_at(const char* at) {
  Bytes bytes;
  std::memcpy(&bytes, at, kWidth);
  return bytes;
}

bool any(Bytes bytes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &bytes, kWidth);
  return (halves[0] | halves[1]) != 0;
}

constexpr unsigned char kCaseBit = 0x20;

// Each search is a test of one place, `at`, and of sixteen places at once, `hits`, which reads up
// to kReach bytes further. The test of sixteen may hit too often, never too seldom.
struct LineHead {
  static constexpr std::size_t kReach = 2;
  static bool could_begin(char c) { return (c >= 'A' && c <= 'Z') || c == '-'; }
  static bool at(const char* p) { return p[0] == '\n' && could_begin(p[1]) && could_begin(p[2]); }
  static Bytes could_begin(Bytes bytes) {
    return (Bytes)((bytes - 'A') <= (unsigned char)('Z' - 'A')) | (Bytes)(bytes == '-');
  }
  static Bytes hits(const char* p) {
    return (Bytes)(bytes_at(p) == '\n') & could_begin(bytes_at(p + 1)) &
           could_begin(bytes_at(p + 2));
  }
};

struct SignalKey {
  static constexpr std::string_view kKey = "signal:";
  static constexpr std::size_t kReach = kKey.size() - 1;
  static bool at(const char* p) {
    if (p[kReach] != ':') return false;
    for (std::size_t i = 0; i < kReach; ++i)
      if ((p[i] | kCaseBit) != kKey[i]) return false;
    return true;
  }
  static Bytes hits(const char* p) {
    return (Bytes)(bytes_at(p + kReach) == ':') & (Bytes)((bytes_at(p) | kCaseBit) == 's') &
           (Bytes)((bytes_at(p + 3) | kCaseBit) == 'n');
  }
};

struct StringStop {
  static constexpr std::size_t kReach = 0;
  static bool at(const char* p) {
    return *p == '"' || *p == '\\' || static_cast<unsigned char>(*p) < 0x20;
  }
  static Bytes hits(const char* p) {
    const Bytes bytes = bytes_at(p);
    return (Bytes)(bytes == '"') | (Bytes)(bytes == '\\') | (Bytes)(bytes < 0x20);
  }
};

template <class Search>
std::size_t find(std::string_view text, std::size_t from) {
  const char* const data = text.data();
  const std::size_t size = text.size();
  if (size <= Search::kReach) return size;
  const std::size_t last = size - Search::kReach;  // no place at or after it can match
  while (from < last) {
    // A short look first: on dense input the next place is near.
    const std::size_t near = from + kWidth < last ? from + kWidth : last;
    for (; from < near; ++from)
      if (Search::at(data + from)) return from;
    while (from + kStride <= last) {
      const char* p = data + from;
      if (any(Search::hits(p) | Search::hits(p + kWidth) | Search::hits(p + 2 * kWidth) |
              Search::hits(p + 3 * kWidth)))
        break;
      from += kStride;
    }
    const std::size_t end = from + kStride < last ? from + kStride : last;
    for (; from < end; ++from)
      if (Search::at(data + from)) return from;
  }
  return size;
}

}  // namespace

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_blanks(std::string_view text) {
  const auto is_space = [](char c) { return is_blank(c) || c == '\n'; };
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

std::size_t line_end(std::string_view text, std::size_t from) {
  const std::size_t end = text.find('\n', from);
  return end == text.npos ? text.size() : end;
}

std::size_t find_line_head(std::string_view text, std::size_t from) {
  const std::size_t feed = find<LineHead>(text, from);
  return feed == text.size() ? feed : feed + 1;
}

std::size_t find_signal_key(std::string_view text, std::size_t from) {
  return find<SignalKey>(text, from);
}

std::size_t find_string_stop(std::string_view text, std::size_t from) {
  return find<StringStop>(text, from);
}

}  // namespace capsule::signal
