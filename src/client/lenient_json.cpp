#include "client/lenient_json.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace capsule::client {
namespace {

// The code unit of an escape `\uXXXX` at the start of `text`.
std::optional<unsigned> unit_of(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(2, 4)) {
    const char low = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<unsigned>(c - '0');
    else if (low >= 'a' && low <= 'f')
      value = value * 16 + static_cast<unsigned>(low - 'a' + 10);
    else
      return std::nullopt;
  }
  return value;
}

std::string mended(std::string_view text) {
  constexpr std::string_view kReplacement = "\\ufffd";
  std::string out;
  while (!text.empty()) {
    std::size_t length = 1;
    if (text.front() == '\\') {
      length = std::min<std::size_t>(2, text.size());
      if (const auto unit = unit_of(text)) {
        length = 6;
        const auto second = unit_of(text.substr(6));
        const bool paired = second && *second >= 0xDC00 && *second <= 0xDFFF;
        if (*unit >= 0xD800 && *unit <= 0xDBFF && paired) length = 12;
        if (length == 6 && *unit >= 0xD800 && *unit <= 0xDFFF) {
          out += kReplacement;
          text.remove_prefix(length);
          continue;
        }
      }
    } else {
      length = utf8_length(text);
      if (length == 0) {
        out += kReplacement;
        text.remove_prefix(1);
        continue;
      }
    }
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::optional<json::Object> lenient_object(std::string_view text) {
  auto json = json::Object::parse(text);
  return json ? json : json::Object::parse(mended(text));
}

}  // namespace capsule::client
