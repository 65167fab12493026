#include "json/view.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "json/scan.h"
#include "json/text.h"

namespace capsule::json {
namespace {

// In what follows the text is valid JSON, so that an end is always found.

std::size_t past_view_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_blank(text[at])) ++at;
  return at;
}

// After the string that begins at `at`. Each backslash is looked at once: a run of them belongs to
// one quote only.
std::size_t past_view_string(std::string_view text, std::size_t at) {
  for (++at;; ++at) {
    at = text.find('"', at);
    if (at == text.npos) return text.size();
    std::size_t escapes = 0;
    while (text[at - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return at + 1;
  }
}

std::size_t past_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return at;
  if (text[at] == '"') return past_view_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    const std::size_t end = text.find_first_of(",]} \t\r\n", at);
    return end == text.npos ? text.size() : end;
  }
  int depth = 0;
  while (at < text.size()) {
    const char byte = text[at];
    if (byte == '"') {
      at = past_view_string(text, at);
      continue;
    }
    if (byte == '{' || byte == '[') ++depth;
    if ((byte == '}' || byte == ']') && --depth == 0) return at + 1;
    ++at;
  }
  return at;
}

}  // namespace

std::optional<View> View::of_object(std::string_view text) {
  const std::size_t begin = past_view_blanks(text, 0);
  if (begin == text.size() || text[begin] != '{') return std::nullopt;
  text.remove_prefix(begin);
  Scan scan;
  scan.begin();
  const Scan::Step step = scan.read(text);
  if (step.verdict != Scan::Verdict::complete) return std::nullopt;
  if (past_view_blanks(text, step.used) != text.size()) return std::nullopt;
  return View(text.substr(0, step.used));
}

View::Walk::Walk(View container) : text_(container.text_) {
  object_ = container.is_object();
  over_ = !object_ && !container.is_array();
  at_ = 1;
  if (!over_) next();
}

void View::Walk::next() {
  at_ = past_view_blanks(text_, at_);
  if (at_ < text_.size() && text_[at_] == ',') at_ = past_view_blanks(text_, at_ + 1);
  over_ = at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ']';
  if (over_) return;
  if (object_) {
    const std::size_t end = past_view_string(text_, at_);
    key_ = text_.substr(at_ + 1, end - at_ - 2);
    at_ = past_view_blanks(text_, past_view_blanks(text_, end) + 1);  // the colon
  }
  const std::size_t end = past_value(text_, at_);
  value_ = View(text_.substr(at_, end - at_));
  at_ = end;
}

View::Walk View::begin() const { return Walk(*this); }

View View::operator[](std::string_view key) const {
  View found;
  if (!is_object()) return found;
  for (Walk walk(*this); walk != End{}; ++walk) {
    const std::string_view raw = walk.raw_key();
    const bool same =
        raw.find('\\') == raw.npos ? raw == key : unquoted("\"" + std::string(raw) + "\"") == key;
    if (same) found = *walk;
  }
  return found;
}

std::string View::text() const { return is_string() ? unquoted(text_) : std::string(); }

bool View::is(std::string_view wanted) const {
  if (!is_string()) return false;
  const std::string_view inside = text_.substr(1, text_.size() - 2);
  return inside == wanted || (inside.find('\\') != inside.npos && text() == wanted);
}

std::optional<double> View::number() const {
  if (text_.empty() || (text_[0] != '-' && (text_[0] < '0' || text_[0] > '9'))) return std::nullopt;
  double value = 0;
  const auto read = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (read.ec == std::errc::result_out_of_range) return std::nullopt;
  return value;
}

std::int64_t View::integer() const {
  std::int64_t whole = 0;
  const char* end = text_.data() + text_.size();
  if (const auto read = std::from_chars(text_.data(), end, whole);
      read.ec == std::errc() && read.ptr == end)
    return whole;
  const double value = number().value_or(0);
  constexpr double kMost = 9.2e18;
  if (value >= kMost) return std::numeric_limits<std::int64_t>::max();
  if (value <= -kMost) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

}  // namespace capsule::json
