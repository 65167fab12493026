#include "base/check.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace capsule {

void broken(const char* condition, const char* file, int line, const char* why) {
  std::array<char, 16> number{};
  const auto digits = std::to_chars(number.begin(), number.end(), line);
  const std::array<std::string_view, 8> parts{
      "capsule: broken invariant: ", condition, " (", file, ":", {number.begin(), digits.ptr},
      *why == '\0' ? ")" : "): ",    why};
  // One call, so that nobody's words come between; no memory is asked for, as it may be what broke.
  std::array<iovec, parts.size() + 1> pieces{};
  for (std::size_t i = 0; i < parts.size(); ++i)
    pieces[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
  pieces.back() = {const_cast<char*>("\n"), 1};
  (void)!::writev(STDERR_FILENO, pieces.data(), static_cast<int>(pieces.size()));
  std::abort();
}

}  // namespace capsule
