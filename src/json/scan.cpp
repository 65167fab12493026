#include "json/scan.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "json/byte_search.h"

namespace capsule::json {
namespace {

constexpr bool is_blank(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

constexpr std::string_view kEscapes = "\"\\/bfnrt";  // besides u

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

constexpr int hex_value(unsigned char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view sentence_of(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "it is valid JSON";
    case Fault::unexpected_byte:
      return "a byte that JSON does not allow there";
    case Fault::control_byte:
      return "a control character inside a string";
    case Fault::bad_escape:
      return "an escape that JSON does not know";
    case Fault::lone_surrogate:
      return "half of a surrogate pair";
    case Fault::bad_utf8:
      return "bytes that are not UTF-8";
    case Fault::too_deep:
      return "more than 128 levels";
    case Fault::too_long:
      return "more than 16 MiB";
    case Fault::cut_off:
      return "the input ends inside it";
  }
  return "";
}

void Scan::begin() {
  state_ = State::start;
  key_state_ = Key::none;
  fault_ = Fault::none;
  key_size_ = 0;
  depth_ = 0;
  length_ = 0;
}

// Notes what kind of bracket opens the level after `depth`.
void Scan::push(bool object, unsigned depth) {
  const std::uint64_t bit = std::uint64_t{1} << (depth % 64);
  std::uint64_t& bits = objects_[depth / 64];
  bits = object ? bits | bit : bits & ~bit;
}

// A run of plain bytes of the first key.
void Scan::note_key(std::string_view part) {
  if (key_state_ != Key::open) return;
  if (part.size() > kKeyBytes - key_size_) {
    key_state_ = Key::other;
    return;
  }
  std::memcpy(key_.data() + key_size_, part.data(), part.size());
  key_size_ = static_cast<std::uint8_t>(key_size_ + part.size());
}

// Takes one digit of a \u escape; `start` means that it cannot belong there. A digit that makes
// the escape half a pair, with the other half missing, is the first byte that is wrong.
Scan::State Scan::hex_digit(unsigned char byte) {
  const int value = hex_value(byte);
  if (value < 0) return State::start;
  unit_ = static_cast<std::uint16_t>(unit_ << 4 | value);
  --hex_left_;
  const bool second_half = unit_ >= 0xDC && unit_ <= 0xDF;
  if (low_half_) {
    if (hex_left_ == 3 && unit_ != 0xD) return State::start;
    if (hex_left_ == 2 && !second_half) return State::start;
  } else if (hex_left_ == 2 && second_half) {
    return State::start;
  }
  if (hex_left_ > 0) return State::hex;
  if (!low_half_ && unit_ >= 0xD800 && unit_ <= 0xDBFF) return State::pair_backslash;
  return State::text;
}

// The first byte of a sequence of two to four; `start` means that none begins so.
Scan::State Scan::utf8_lead(unsigned char byte) {
  utf8_low_ = 0x80;
  utf8_high_ = 0xBF;
  if (byte >= 0xC2 && byte <= 0xDF) {
    utf8_left_ = 1;
  } else if (byte >= 0xE0 && byte <= 0xEF) {
    utf8_left_ = 2;
    if (byte == 0xE0) utf8_low_ = 0xA0;   // shorter forms exist below
    if (byte == 0xED) utf8_high_ = 0x9F;  // surrogates lie above
  } else if (byte >= 0xF0 && byte <= 0xF4) {
    utf8_left_ = 3;
    if (byte == 0xF0) utf8_low_ = 0x90;
    if (byte == 0xF4) utf8_high_ = 0x8F;  // U+10FFFF is the last
  } else {
    return State::start;
  }
  return State::utf8_rest;
}

Scan::Step Scan::read(std::string_view bytes) {
  const char* const first = bytes.data();
  const char* const end = first + std::min(bytes.size(), kMaxBytes - length_);
  const char* at = first;
  // Locals, so that they stay in registers while bytes are read.
  State state = state_;
  unsigned depth = depth_;

  const auto done = [&](Verdict verdict) {
    const auto used = static_cast<std::size_t>(at - first);
    state_ = state;
    depth_ = depth;
    length_ += used;
    return Step{verdict, used};
  };
  const auto failed = [&](Fault fault) {
    fault_ = fault;
    return done(Verdict::failed);
  };

  while (at != end) {
    const char byte = *at;
    switch (state) {
      case State::start:
        CHECK(byte == '{' || byte == '[');
        is_object_ = byte == '{';
        push(is_object_, depth++);
        state = is_object_ ? State::key_or_close : State::value_or_close;
        ++at;
        break;

      case State::value:
      case State::value_or_close:
        if (is_blank(byte)) {
          ++at;
          break;
        }
        switch (byte) {
          case '"':
            in_key_ = false;
            state = State::text;
            break;
          case '{':
          case '[':
            if (depth == kMaxLevels) return failed(Fault::too_deep);
            push(byte == '{', depth++);
            state = byte == '{' ? State::key_or_close : State::value_or_close;
            break;
          case ']':
            if (state != State::value_or_close) return failed(Fault::unexpected_byte);
            ++at;
            if (--depth == 0) return done(Verdict::complete);
            state = State::after_value;
            continue;
          case '-':
            state = State::minus;
            break;
          case '0':
            state = State::zero;
            break;
          case 't':
            word_ = "rue";
            state = State::word;
            break;
          case 'f':
            word_ = "alse";
            state = State::word;
            break;
          case 'n':
            word_ = "ull";
            state = State::word;
            break;
          default:
            if (!is_digit(byte)) return failed(Fault::unexpected_byte);
            state = State::integer;
        }
        ++at;
        break;

      case State::key:
      case State::key_or_close:
        if (is_blank(byte)) {
          ++at;
        } else if (byte == '"') {
          in_key_ = true;
          if (key_state_ == Key::none && is_object_) key_state_ = Key::open;
          state = State::text;
          ++at;
        } else if (byte == '}' && state == State::key_or_close) {
          ++at;
          if (--depth == 0) return done(Verdict::complete);
          state = State::after_value;
        } else {
          return failed(Fault::unexpected_byte);
        }
        break;

      case State::colon:
        if (byte == ':') {
          state = State::value;
        } else if (!is_blank(byte)) {
          return failed(Fault::unexpected_byte);
        }
        ++at;
        break;

      case State::after_value:
        if (is_blank(byte)) {
          ++at;
          break;
        }
        if (byte == ',') {
          state = top_is_object(depth) ? State::key : State::value;
        } else if (byte == (top_is_object(depth) ? '}' : ']')) {
          if (--depth == 0) {
            ++at;
            return done(Verdict::complete);
          }
        } else {
          return failed(Fault::unexpected_byte);
        }
        ++at;
        break;

      case State::text: {
        const char* const stop = find_string_special(at, end);
        note_key({at, static_cast<std::size_t>(stop - at)});
        at = stop;
        if (at == end) break;
        if (*at == '"') {
          if (key_state_ == Key::open) key_state_ = Key::closed;
          state = in_key_ ? State::colon : State::after_value;
        } else {
          if (key_state_ == Key::open) key_state_ = Key::other;
          if (*at == '\\') {
            state = State::escape;
          } else if (static_cast<unsigned char>(*at) < 0x20) {
            return failed(Fault::control_byte);
          } else {
            state = utf8_lead(static_cast<unsigned char>(*at));
            if (state == State::start) return failed(Fault::bad_utf8);
          }
        }
        ++at;
        break;
      }

      case State::escape:
        if (byte == 'u') {
          unit_ = 0;
          hex_left_ = 4;
          low_half_ = false;
          state = State::hex;
        } else if (kEscapes.find(byte) != kEscapes.npos) {
          state = State::text;
        } else {
          return failed(Fault::bad_escape);
        }
        ++at;
        break;

      case State::hex: {
        const bool is_hex = hex_value(static_cast<unsigned char>(byte)) >= 0;
        state = hex_digit(static_cast<unsigned char>(byte));
        if (state == State::start)
          return failed(is_hex ? Fault::lone_surrogate : Fault::bad_escape);
        ++at;
        break;
      }

      case State::pair_backslash:
        if (byte != '\\') return failed(Fault::lone_surrogate);
        state = State::pair_u;
        ++at;
        break;

      case State::pair_u:
        if (byte != 'u') return failed(Fault::lone_surrogate);
        unit_ = 0;
        hex_left_ = 4;
        low_half_ = true;
        state = State::hex;
        ++at;
        break;

      case State::utf8_rest: {
        const auto value = static_cast<unsigned char>(byte);
        if (value < utf8_low_ || value > utf8_high_) return failed(Fault::bad_utf8);
        utf8_low_ = 0x80;
        utf8_high_ = 0xBF;
        if (--utf8_left_ == 0) state = State::text;
        ++at;
        break;
      }

      case State::word:
        if (byte != *word_) return failed(Fault::unexpected_byte);
        if (*++word_ == '\0') state = State::after_value;
        ++at;
        break;

      case State::minus:
        if (!is_digit(byte)) return failed(Fault::unexpected_byte);
        state = byte == '0' ? State::zero : State::integer;
        ++at;
        break;

      case State::zero:
      case State::integer:
        if (state == State::integer && is_digit(byte)) {
          ++at;
        } else if (byte == '.') {
          state = State::point;
          ++at;
        } else if (byte == 'e' || byte == 'E') {
          state = State::exponent;
          ++at;
        } else {
          state = State::after_value;  // which looks at this byte itself
        }
        break;

      case State::point:
        if (!is_digit(byte)) return failed(Fault::unexpected_byte);
        state = State::fraction;
        ++at;
        break;

      case State::fraction:
        if (is_digit(byte)) {
          ++at;
        } else if (byte == 'e' || byte == 'E') {
          state = State::exponent;
          ++at;
        } else {
          state = State::after_value;
        }
        break;

      case State::exponent:
        if (byte == '+' || byte == '-') {
          state = State::exponent_sign;
        } else if (is_digit(byte)) {
          state = State::exponent_digits;
        } else {
          return failed(Fault::unexpected_byte);
        }
        ++at;
        break;

      case State::exponent_sign:
        if (!is_digit(byte)) return failed(Fault::unexpected_byte);
        state = State::exponent_digits;
        ++at;
        break;

      case State::exponent_digits:
        if (is_digit(byte)) {
          ++at;
        } else {
          state = State::after_value;
        }
        break;
    }
  }
  if (at != first + bytes.size()) return failed(Fault::too_long);
  return done(Verdict::more);
}

}  // namespace capsule::json
