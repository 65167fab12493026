// What a person does at a terminal, out of the bytes that it sends. Pure; any bytes are taken, and
// what means nothing gives nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::canvas {

struct Key {
  enum class Kind {
    text,     // one character, in `text`
    control,  // with Ctrl: `text` is the letter, in lower case
    enter,
    escape,
    tab,
    back_tab,
    backspace,
    erase,  // the key Delete
    up,
    down,
    left,
    right,
    home,
    end,
    page_up,
    page_down,
    paste,  // all of `text` at once
    press,  // of the first mouse button, at x and y
    wheel_up,
    wheel_down,
  };
  Kind kind = Kind::text;
  std::string text = {};
  int x = 0, y = 0;  // from 0
  bool operator==(const Key&) const = default;
};

class KeyReader {
 public:
  static constexpr std::size_t kMaxPasteBytes = std::size_t{64} * 1024;

  // All keys that are complete; the rest is kept for the next call.
  std::vector<Key> feed(std::string_view bytes);
  // Something has begun that may be the key Escape: when nothing follows soon, call flush().
  bool pending() const { return !rest_.empty() && !pasting_; }
  // Nothing more comes: what is kept is the key Escape, or nothing.
  std::vector<Key> flush();

 private:
  bool step(std::vector<Key>& keys);
  bool step_escape(std::vector<Key>& keys);
  bool step_paste(std::vector<Key>& keys);

  std::string rest_;
  std::string pasted_;
  bool pasting_ = false;
};

}  // namespace capsule::canvas
