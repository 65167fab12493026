#include "agent/rehearsal/texts.h"

#include <algorithm>

#include "json/text.h"

namespace capsule::agent::rehearsal {
namespace {

bool is_name_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_name_byte(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

}  // namespace

std::string signal_text(const Signal& signal) {
  std::string text = "{";
  for (const auto& [key, value] : signal.fields) {
    if (text.size() > 1) text += ',';
    text += json::quoted(key) + ":";
    if (const auto* single = std::get_if<std::string>(&value)) {
      text += json::quoted(*single);
      continue;
    }
    text += '[';
    for (const std::string& item : std::get<std::vector<std::string>>(value)) {
      if (!text.ends_with('[')) text += ',';
      text += json::quoted(item);
    }
    text += ']';
  }
  return text + "}";
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_name_start(name.front()) &&
         std::all_of(name.begin(), name.end(), is_name_byte) && !name.starts_with("CAPSULE_");
}

Result<std::string> expanded(std::string_view text,
                             const std::function<Lookup(std::string_view)>& lookup) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t begin; (begin = text.find("${", at)) != text.npos;) {
    std::size_t end = begin + 2;
    while (end < text.size() && is_name_byte(text[end])) ++end;
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const Lookup found = name.empty() ? Lookup{} : lookup(name);
    std::optional<std::string_view> other;
    if (found.known != Known::no && text.substr(end).starts_with(":-")) {
      const std::size_t close = std::min(text.find('}', end), text.size());
      other = text.substr(end + 2, close - end - 2);
      end = close;
    }
    const bool closed = end < text.size() && text[end] == '}';
    if (found.known == Known::no || !closed) {
      out += text.substr(at, begin + 2 - at);
      at = begin + 2;
      continue;
    }
    if (begin > at && text[begin - 1] == '$') {
      out += text.substr(at, begin - 1 - at);
      out += text.substr(begin, end + 1 - begin);
    } else {
      out += text.substr(at, begin - at);
      if (other && found.value.empty()) {
        out += *other;
      } else if (found.known == Known::unset) {
        return fail(Reason::refused, "${" + std::string(name) + "} has no value in this phase",
                    "write ${" + std::string(name) + ":-something} to give it one");
      } else {
        out += found.value;
      }
    }
    at = end + 1;
  }
  out += text.substr(at);
  return out;
}

}  // namespace capsule::agent::rehearsal
