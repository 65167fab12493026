#include "base/ids.h"

#include <algorithm>

#include "base/text.h"

namespace capsule {
namespace {

constexpr bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool valid_id(std::string_view id) {
  if (id.empty() || id.size() > kMaxIdBytes || !is_alphanumeric(id.front())) return false;
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
  };
  return std::all_of(id.begin(), id.end(), allowed) && id.find("..") == id.npos &&
         !id.ends_with('.') && !id.ends_with(".lock");
}

Result<void> check_id(std::string_view what, std::string_view id) {
  if (valid_id(id)) return {};
  const std::string_view shown = id.substr(0, 2 * kMaxIdBytes);
  return fail(Reason::usage,
              "'" + printable(shown) + (shown.size() < id.size() ? "…" : "") + "' is not a valid " +
                  std::string(what),
              "1 to 100 letters, digits, '.', '_' and '-', beginning with a letter or digit, "
              "without '..', and not ending in '.' or '.lock'");
}

}  // namespace capsule
