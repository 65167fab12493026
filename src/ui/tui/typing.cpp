#include "ui/tui/typing.h"

#include <algorithm>

#include "base/text.h"
#include "canvas/width.h"

namespace capsule::tui {
namespace {

using Kind = canvas::Key::Kind;
// As much as a paste can bring at once, and an argument of a command well holds.
constexpr std::size_t kMaxTyped = std::size_t{64} << 10;

// Where the last character of a text begins.
std::size_t last_character(std::string_view text) {
  std::size_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    last = at;
    at += canvas::first_cluster(text.substr(at)).bytes;
  }
  return last;
}

// All of it: an answer may be a page.
std::string on_one_line(std::string_view text) {
  std::string line(trimmed(text));
  for (char& byte : line)
    if (byte == '\n' || byte == '\t' || byte == '\r') byte = ' ';
  return line;
}

void erase_to(Dialog& dialog, std::size_t from) {
  dialog.text.erase(from, dialog.text.size() - dialog.behind - from);
}

void erase_behind(Dialog& dialog, std::size_t bytes) {
  dialog.text.erase(dialog.text.size() - dialog.behind, bytes);
  dialog.behind -= bytes;
}

void left(Dialog& dialog) {
  dialog.behind = dialog.text.size() - last_character(before_cursor(dialog));
}

void right(Dialog& dialog) {
  if (dialog.behind > 0) dialog.behind -= canvas::first_cluster(behind_cursor(dialog)).bytes;
}

std::size_t word_begin(std::string_view text) {
  std::size_t at = text.find_last_not_of(' ');
  if (at == text.npos) return 0;
  at = text.find_last_of(' ', at);
  return at == text.npos ? 0 : at + 1;
}

bool type_control(Dialog& dialog, char letter) {
  switch (letter) {
    case 'a':
      dialog.behind = dialog.text.size();
      return true;
    case 'e':
      dialog.behind = 0;
      return true;
    case 'b':
      left(dialog);
      return true;
    case 'f':
      right(dialog);
      return true;
    case 'd':
      if (dialog.behind > 0)
        erase_behind(dialog, canvas::first_cluster(behind_cursor(dialog)).bytes);
      return true;
    case 'k':
      erase_behind(dialog, dialog.behind);
      return true;
    case 'u':
      erase_to(dialog, 0);
      return true;
    case 'w':
      erase_to(dialog, word_begin(before_cursor(dialog)));
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view before_cursor(const Dialog& dialog) {
  return std::string_view(dialog.text).substr(0, dialog.text.size() - dialog.behind);
}

std::string_view behind_cursor(const Dialog& dialog) {
  return std::string_view(dialog.text).substr(dialog.text.size() - dialog.behind);
}

void set_text(Dialog& dialog, std::string text) {
  dialog.text = std::move(text);
  dialog.behind = 0;
}

void type_text(Dialog& dialog, std::string_view text) {
  const std::size_t room = kMaxTyped - std::min(kMaxTyped, dialog.text.size());
  dialog.text.insert(dialog.text.size() - dialog.behind, cut(text, room));
}

bool type(Dialog& dialog, const canvas::Key& key) {
  switch (key.kind) {
    case Kind::text:
      type_text(dialog, key.text);
      return true;
    case Kind::paste:
      type_text(dialog, on_one_line(key.text));
      return true;
    case Kind::backspace:
      erase_to(dialog, last_character(before_cursor(dialog)));
      return true;
    case Kind::erase:
      return type_control(dialog, 'd');
    case Kind::left:
      left(dialog);
      return true;
    case Kind::right:
      right(dialog);
      return true;
    case Kind::home:
      return type_control(dialog, 'a');
    case Kind::end:
      return type_control(dialog, 'e');
    case Kind::control:
      return !key.text.empty() && type_control(dialog, key.text[0]);
    default:
      return false;
  }
}

bool scroll(Dialog& dialog, const canvas::Key& key, int last) {
  constexpr int kPage = 10;
  const std::string_view text =
      key.kind == Kind::text ? std::string_view(key.text) : std::string_view();
  int to = dialog.scroll;
  if (key.kind == Kind::up || key.kind == Kind::wheel_up || text == "k")
    to -= 1;
  else if (key.kind == Kind::down || key.kind == Kind::wheel_down || text == "j")
    to += 1;
  else if (key.kind == Kind::page_up)
    to -= kPage;
  else if (key.kind == Kind::page_down || text == " ")
    to += kPage;
  else if (key.kind == Kind::home || text == "g")
    to = 0;
  else if (key.kind == Kind::end || text == "G")
    to = last;
  else
    return false;
  dialog.scroll = std::clamp(to, 0, last);
  return true;
}

}  // namespace capsule::tui
