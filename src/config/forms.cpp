#include "config/forms.h"

#include <algorithm>
#include <array>

#include "base/ids.h"
#include "base/text.h"

namespace capsule::config {
namespace {

constexpr std::int64_t kMaxCount = 1'000'000;
constexpr std::int64_t kMaxTokens = 1'000'000'000'000;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMaxSeconds = 1'000'000'000;  // about 31 years: far, and never overflows

// The units are powers of 1024.
constexpr std::array<std::string_view, 5> kSizeUnits{"B", "KB", "MB", "GB", "TB"};

// Reads digits off the front of `text`; -1 when there are none or the number is too large.
std::int64_t take_number(std::string_view& text, std::int64_t limit) {
  std::int64_t number = 0;
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) {
    number = number * 10 + (text[length] - '0');
    if (number > limit) return -1;
    ++length;
  }
  text.remove_prefix(length);
  return length == 0 ? -1 : number;
}

// "07:30"
bool is_time_of_day(std::string_view text) {
  const auto digit = [&](std::size_t at) { return is_digit(text[at]); };
  if (text.size() != 5 || !digit(0) || !digit(1) || text[2] != ':' || !digit(3) || !digit(4))
    return false;
  return text.substr(0, 2) < "24" && text[3] < '6';
}

}  // namespace

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

std::int64_t parse_count(std::string_view text) {
  const std::int64_t number = take_number(text, kMaxCount);
  return text.empty() ? number : -1;
}

std::int64_t parse_tokens(std::string_view text) {
  const std::int64_t number = take_number(text, kMaxTokens);
  return text.empty() ? number : -1;
}

std::int64_t parse_duration(std::string_view text) {
  constexpr std::string_view kUnits = "dhms";
  constexpr std::array<std::int64_t, 4> kSeconds{86'400, 3'600, 60, 1};
  std::string_view bare = text;
  if (const std::int64_t seconds = take_number(bare, kMaxSeconds); bare.empty()) return seconds;
  std::int64_t total = 0;
  for (std::size_t next_unit = 0; !text.empty();) {  // each unit once, the larger ones first
    const std::int64_t number = take_number(text, kMaxSeconds);
    if (number < 0 || text.empty()) return -1;
    const std::size_t unit = kUnits.find(text.front());
    if (unit == kUnits.npos || unit < next_unit) return -1;
    next_unit = unit + 1;
    total += number * kSeconds[unit];
    text.remove_prefix(1);
  }
  return total > kMaxSeconds ? -1 : total;
}

std::int64_t parse_size(std::string_view text) {
  std::int64_t number = take_number(text, kMaxBytes);
  if (number < 0 || text.empty()) return number;
  for (const std::string_view unit : kSizeUnits) {
    if (text == unit || (text.size() == 1 && unit.front() == text.front())) return number;
    if (number > kMaxBytes / 1024) return -1;
    number *= 1024;
  }
  return -1;
}

std::string size_text(std::int64_t bytes) {
  std::size_t unit = 0;
  for (; bytes % 1024 == 0 && bytes > 0 && unit + 1 < kSizeUnits.size(); ++unit) bytes /= 1024;
  return std::to_string(bytes) + std::string(kSizeUnits[unit]);
}

// Digits, and perhaps a point with digits after it.
bool is_amount(std::string_view text) {
  constexpr std::size_t kMaxDigits = 12;
  const std::size_t point = text.find('.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.size() <= kMaxDigits &&
           std::all_of(part.begin(), part.end(), is_digit);
  };
  if (point == text.npos) return digits(text);
  return digits(text.substr(0, point)) && digits(text.substr(point + 1));
}

// What is less than a millionth would be no limit at all.
bool is_limit(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  if (!is_amount(text)) return false;
  const std::size_t point = std::min(text.find('.'), text.size());
  text = text.substr(0, point + 1 + kDigits);
  return std::any_of(text.begin(), text.end(),
                     [](char byte) { return byte != '0' && byte != '.'; });
}

// The rules of git-check-ref-format for one branch, and nothing that reads like an option.
bool is_branch(std::string_view text) {
  constexpr std::string_view kForbidden = " ~^:?*[\\";
  if (text.empty() || text.size() > 200 || has_control(text)) return false;
  if (text.front() == '-' || text.front() == '/' || text.back() == '/' || text.back() == '.')
    return false;
  if (text == "@" || text == "HEAD" || text.find_first_of(kForbidden) != text.npos) return false;
  for (std::string_view twice : {"..", "//", "@{"})
    if (text.find(twice) != text.npos) return false;
  for (std::string_view part : split(text, '/'))
    if (part.empty() || part.front() == '.' || part.ends_with(".lock")) return false;
  return true;
}

bool is_inside(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  const auto parts = split(path, '/');
  return std::find(parts.begin(), parts.end(), "..") == parts.end();
}

// "codex", "opencode:openai/gpt-5".
bool is_agent(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (!valid_id(text.substr(0, colon))) return false;
  if (colon == text.npos) return true;
  const std::string_view model = text.substr(colon + 1);
  return !model.empty() && model.front() != '-' && !has_control(model);
}

bool is_hours(std::string_view text) {
  return text.size() == 11 && text[5] == '-' && is_time_of_day(text.substr(0, 5)) &&
         is_time_of_day(text.substr(6)) && text.substr(0, 5) != text.substr(6);
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

bool is_variable(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  return name.size() < text.size() && is_variable_name(name);
}

bool is_port(std::string_view text) {
  constexpr std::int64_t kMost = 65'535;
  const std::int64_t number = take_number(text, kMost);
  return number > 0 && text.empty();
}

// "api.example.com", "*.example.com:8443".
bool is_host(std::string_view text) {
  constexpr std::size_t kMost = 253, kMostLabel = 63;
  if (const std::size_t colon = text.find(':'); colon != text.npos) {
    if (!is_port(text.substr(colon + 1))) return false;
    text = text.substr(0, colon);
  }
  if (text.starts_with("*.")) text.remove_prefix(2);
  if (text.size() > kMost) return false;
  for (const std::string_view label : split(text, '.'))
    if (label.empty() || label.size() > kMostLabel || label.front() == '-' || label.back() == '-' ||
        !std::all_of(label.begin(), label.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }))
      return false;
  return true;
}

std::string host_with_port(std::string_view host) {
  std::string whole = lowered(host);
  if (whole.find(':') == whole.npos) whole += ":443";
  return whole;
}

bool is_place(std::string_view text) {
  if (text.starts_with("~/")) text.remove_prefix(1);
  return text.starts_with('/') && text.size() > 1 && !has_control(text);
}

}  // namespace capsule::config
