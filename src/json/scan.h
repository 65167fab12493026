// A validating reader of one JSON value (RFC 8259) that can be stopped after any byte and fed on.
// It keeps no text: only where it stands, 128 levels of brackets, and the first key of the
// outermost object. It touches each byte once and allocates nothing. A value type; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace capsule::json {

inline constexpr unsigned kMaxLevels = 128;
inline constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

// What may stand between tokens.
constexpr bool is_json_blank(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// Why a value is not JSON; for people who ask, nothing depends on it.
enum class Fault {
  none,
  unexpected_byte,  // not what the grammar allows here
  control_byte,     // below U+0020 inside a string
  bad_escape,       // a backslash and something else than JSON knows
  lone_surrogate,   // half of a pair of \u escapes
  bad_utf8,         // overlong, out of range, a surrogate, or not UTF-8 at all
  too_deep,         // a bracket that would open level 129
  too_long,         // more than 16 MiB
  cut_off,          // the input ends first
};
std::string_view sentence_of(Fault);  // "the input ends inside it"

class Scan {
 public:
  enum class Verdict { more, complete, failed };
  // complete: the value ends after `used` bytes. failed: the byte at `used` is the first that
  // cannot belong to it. more: all bytes are used and belong to it.
  struct Step {
    Verdict verdict;
    std::size_t used;
  };

  // Forgets everything: the next byte read is the first of a value. Requires: it is { or [.
  void begin();

  // Reads on. Requires: begin() was called, and no verdict but `more` since.
  Step read(std::string_view bytes);

  bool is_object() const { return is_object_; }

  // The first key of the outermost object as written, if it has no escape, only ASCII and at most
  // kKeyBytes bytes: all of it (closed), what has been read of it (open), or none. A longer or
  // other key is `other`, open or closed.
  enum class Key { none, open, closed, other };
  static constexpr std::size_t kKeyBytes = 15;
  Key first_key_state() const { return key_state_; }
  std::string_view first_key() const { return {key_.data(), key_size_}; }

  // After `failed`: why.
  Fault fault() const { return fault_; }

 private:
  enum class State : std::uint8_t {
    start,
    value,
    value_or_close,  // the first place in an array
    key,
    key_or_close,  // the first place in an object
    colon,
    after_value,
    text,  // inside a string
    escape,
    hex,
    pair_backslash,  // after the first half of a surrogate pair
    pair_u,
    utf8_rest,
    word,  // true, false, null
    minus,
    zero,
    integer,
    point,
    fraction,
    exponent,
    exponent_sign,
    exponent_digits,
  };

  bool top_is_object(unsigned depth) const {
    return ((objects_[(depth - 1) / 64] >> ((depth - 1) % 64)) & 1U) != 0;
  }
  void push(bool object, unsigned depth);
  void note_key(std::string_view part);
  State hex_digit(unsigned char byte);
  State utf8_lead(unsigned char byte);

  State state_ = State::start;
  bool is_object_ = false;
  bool in_key_ = false;  // the string being read is a key
  Key key_state_ = Key::none;
  Fault fault_ = Fault::none;
  std::uint8_t key_size_ = 0;
  std::uint8_t hex_left_ = 0;
  std::uint8_t utf8_left_ = 0;
  std::uint8_t utf8_low_ = 0;  // bounds of the next continuation byte
  std::uint8_t utf8_high_ = 0;
  bool low_half_ = false;  // the \u escape being read must be the second half of a pair
  std::uint16_t unit_ = 0;
  unsigned depth_ = 0;
  std::size_t length_ = 0;
  const char* word_ = nullptr;  // what is left of the literal being read; static text
  std::array<std::uint64_t, kMaxLevels / 64> objects_{};  // a bit a level: is it an object
  std::array<char, kKeyBytes> key_{};
};

}  // namespace capsule::json
