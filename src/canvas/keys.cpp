#include "canvas/keys.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "canvas/width.h"

namespace capsule::canvas {
namespace {

using Kind = Key::Kind;

constexpr std::size_t kMaxSequence = 32;  // longer ones are none
constexpr std::string_view kPasteEnd = "\x1b[201~";

// "<0;12;3M": a button, column and row from 1.
std::optional<Key> mouse_key(std::string_view body, char last) {
  int numbers[3] = {};
  const std::vector<std::string_view> parts = split(body.substr(1), ';');
  if (parts.size() != 3) return {};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [end, error] =
        std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
    if (error != std::errc() || end != parts[i].data() + parts[i].size()) return {};
  }
  if (numbers[1] < 1 || numbers[2] < 1 || numbers[1] > 9999 || numbers[2] > 9999) return {};
  Key key;
  key.x = numbers[1] - 1;
  key.y = numbers[2] - 1;
  const int button = numbers[0] & ~28;  // whatever is held down with it
  if (button == 64)
    key.kind = Kind::wheel_up;
  else if (button == 65)
    key.kind = Kind::wheel_down;
  else if (button == 0 && last == 'M')
    key.kind = Kind::press;
  else
    return {};
  return key;
}

std::optional<Kind> letter_kind(char last) {
  switch (last) {
    case 'A':
      return Kind::up;
    case 'B':
      return Kind::down;
    case 'C':
      return Kind::right;
    case 'D':
      return Kind::left;
    case 'H':
      return Kind::home;
    case 'F':
      return Kind::end;
    case 'Z':
      return Kind::back_tab;
    default:
      return {};
  }
}

std::optional<Kind> number_kind(std::string_view body) {
  const std::string_view number = body.substr(0, body.find(';'));
  if (number == "1" || number == "7") return Kind::home;
  if (number == "4" || number == "8") return Kind::end;
  if (number == "3") return Kind::erase;
  if (number == "5") return Kind::page_up;
  if (number == "6") return Kind::page_down;
  return {};
}

Key control_key(unsigned char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return {Kind::enter};
    case '\t':
      return {Kind::tab};
    case 0x7F:
    case 0x08:
      return {Kind::backspace};
    default:
      return {Kind::control, std::string(1, static_cast<char>(byte | 0x60))};
  }
}

// How many bytes the UTF-8 sequence that begins so has.
std::size_t length_by_lead(unsigned char lead) {
  return lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
}

}  // namespace

std::vector<Key> KeyReader::feed(std::string_view bytes) {
  rest_ += bytes;
  std::vector<Key> keys;
  while (!rest_.empty() && (pasting_ ? step_paste(keys) : step(keys))) continue;
  return keys;
}

std::vector<Key> KeyReader::flush() {
  std::vector<Key> keys;
  if (!pending()) return keys;
  const std::string rest = std::exchange(rest_, {});
  if (rest == "\x1b") keys.push_back({Kind::escape});
  return keys;
}

// Takes one key, or nothing, off the rest. False: more bytes are needed.
bool KeyReader::step(std::vector<Key>& keys) {
  const auto byte = static_cast<unsigned char>(rest_[0]);
  if (byte == 0x1B) return step_escape(keys);
  if (byte < 0x20 || byte == 0x7F) {
    keys.push_back(control_key(byte));
    rest_.erase(0, 1);
    return true;
  }
  const std::size_t length = utf8_length(rest_);
  if (length == 0) {
    const std::size_t wanted = length_by_lead(byte);
    if (rest_.size() < wanted &&
        utf8_length(rest_ + std::string(wanted - rest_.size(), '\x80')) > 0)
      return false;
    // An overlong start such as E0 80 can never become valid; E0 alone can.
    if (rest_.size() == 1 && wanted > 1) return false;
    rest_.erase(0, 1);
    return true;
  }
  if (!is_hidden(first_point(rest_).point)) keys.push_back({Kind::text, rest_.substr(0, length)});
  rest_.erase(0, length);
  return true;
}

bool KeyReader::step_escape(std::vector<Key>& keys) {
  if (rest_.size() == 1) return false;
  if (rest_[1] == 'O') {  // keys of a pad in application mode
    if (rest_.size() < 3) return false;
    if (const auto kind = letter_kind(rest_[2])) keys.push_back({*kind});
    rest_.erase(0, 3);
    return true;
  }
  if (rest_[1] != '[') {  // Alt with a key, or Escape and then a key: both are two keys
    keys.push_back({Kind::escape});
    rest_.erase(0, 1);
    return true;
  }
  const auto last =
      std::find_if(rest_.begin() + 2, rest_.end(), [](char c) { return c >= 0x40 && c <= 0x7E; });
  const auto bad = std::find_if(rest_.begin() + 2, last, [](char c) { return c < 0x20; });
  if (bad != last) {  // broken off by a control
    rest_.erase(rest_.begin(), bad);
    return true;
  }
  if (last == rest_.end()) {
    if (rest_.size() < kMaxSequence) return false;
    rest_.clear();
    return true;
  }
  const std::string body(rest_.begin() + 2, last);
  const char final = *last;
  rest_.erase(rest_.begin(), last + 1);
  if (final == '~' && body == "200") {
    pasting_ = true;
  } else if (body.starts_with('<') && (final == 'M' || final == 'm')) {
    if (auto key = mouse_key(body, final)) keys.push_back(*key);
  } else if (final == '~') {
    if (const auto kind = number_kind(body)) keys.push_back({*kind});
  } else if (const auto kind = letter_kind(final)) {
    keys.push_back({*kind});
  }
  return true;
}

bool KeyReader::step_paste(std::vector<Key>& keys) {
  const std::size_t end = rest_.find(kPasteEnd);
  // The end may be cut in two: so much is kept back.
  const std::size_t sure = end != rest_.npos                 ? end
                           : rest_.size() < kPasteEnd.size() ? 0
                                                             : rest_.size() - kPasteEnd.size() + 1;
  if (pasted_.size() < kMaxPasteBytes)
    pasted_ += rest_.substr(0, std::min(sure, kMaxPasteBytes - pasted_.size()));
  rest_.erase(0, sure);
  if (end == rest_.npos) return false;
  rest_.erase(0, kPasteEnd.size());
  pasting_ = false;
  keys.push_back({Kind::paste, std::exchange(pasted_, {})});
  return true;
}

}  // namespace capsule::canvas
