#include "git/index_file.h"

#include <algorithm>

#include "base/hash.h"

namespace capsule::git {
namespace {

constexpr std::size_t kHeader = 12, kTimes = 40;  // bytes before the entries, and before an id
constexpr std::uint32_t kFolder = 0040000, kGitLink = 0160000, kKind = 0170000;
constexpr unsigned kExtended = 0x4000, kStage = 0x3000;    // of the flags
constexpr unsigned kSkipped = 0x4000, kIntended = 0x2000;  // of the second flags

// What is left to read. Past the end everything is zero, and `good` is false.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}
  bool good() const { return good_; }
  std::size_t left() const { return text_.size(); }
  std::string_view take(std::size_t count) {
    if (count > text_.size()) {
      good_ = false;
      text_ = {};
      return {};
    }
    const std::string_view part = text_.substr(0, count);
    text_.remove_prefix(count);
    return part;
  }
  std::uint32_t number(std::size_t bytes) {
    std::uint32_t value = 0;
    for (const char c : take(bytes)) value = value << 8U | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view up_to_nul() {
    const std::size_t end = text_.find('\0');
    if (end == text_.npos) return take(text_.size() + 1);
    const std::string_view part = take(end);
    take(1);
    return part;
  }
  // As version 4 writes how much of the path before is dropped.
  std::size_t variable() {
    std::size_t value = 0;
    for (int i = 0; i < 9; ++i) {
      const std::uint32_t byte = number(1);
      value = i == 0 ? byte & 127U : (value + 1) << 7U | (byte & 127U);
      if ((byte & 128U) == 0) return value;
    }
    good_ = false;
    return 0;
  }

 private:
  std::string_view text_;
  bool good_ = true;
};

std::int64_t nanoseconds(std::uint32_t seconds, std::uint32_t rest) {
  return static_cast<std::int64_t>(seconds) * 1'000'000'000 + rest;
}

}  // namespace

std::optional<IndexFile> read_index(std::string_view bytes, bool sha256) {
  const std::size_t id_bytes = sha256 ? 32 : 20;
  if (bytes.size() < kHeader + id_bytes || !bytes.starts_with("DIRC")) return std::nullopt;
  Bytes rest(bytes.substr(4, bytes.size() - 4 - id_bytes));
  const std::uint32_t version = rest.number(4), count = rest.number(4);
  if (version < 2 || version > 4 || count > bytes.size() / (kTimes + id_bytes)) return std::nullopt;
  IndexFile index;
  index.staged = kHashStart;
  index.entries.reserve(count);
  std::string path;
  for (std::uint32_t i = 0; i < count && rest.good(); ++i) {
    const std::size_t before = rest.left();
    IndexEntry entry;
    const std::uint32_t changed = rest.number(4);
    entry.ctime_ns = nanoseconds(changed, rest.number(4));
    const std::uint32_t written = rest.number(4);
    entry.mtime_ns = nanoseconds(written, rest.number(4));
    rest.take(8);  // device and inode
    entry.mode = rest.number(4);
    rest.take(8);  // user and group
    entry.size = rest.number(4);
    const std::string_view id = rest.take(id_bytes);
    const unsigned flags = rest.number(2);
    const unsigned more = (flags & kExtended) != 0 ? rest.number(2) : 0;
    if (version == 4) {
      const std::size_t dropped = rest.variable();
      if (dropped > path.size()) return std::nullopt;
      path.resize(path.size() - dropped);
      path += rest.up_to_nul();
    } else {
      path = rest.up_to_nul();
      // An entry is filled up to a multiple of eight bytes, one NUL at least.
      rest.take((8 - (before - rest.left()) % 8) % 8);
    }
    if ((entry.mode & kKind) == kFolder) return std::nullopt;
    entry.watched = (entry.mode & kKind) != kGitLink && (more & kSkipped) == 0;
    entry.path = path;
    index.staged = hash_of(path, index.staged);
    index.staged = hash_of(id, hash_step(index.staged, entry.mode));
    index.staged = hash_step(index.staged, (flags & kStage) | (more & kIntended) << 16U);
    index.entries.push_back(std::move(entry));
  }
  while (rest.good() && rest.left() > 0) {
    if (rest.take(4) == "link") return std::nullopt;  // the rest is in another file
    rest.take(rest.number(4));
  }
  if (!rest.good()) return std::nullopt;
  return index;
}

}  // namespace capsule::git
