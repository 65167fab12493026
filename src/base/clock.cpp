#include "base/clock.h"

#include <sys/random.h>

#include <array>
#include <cstdio>
#include <ctime>

#include "base/check.h"

namespace capsule {
namespace {

struct Now {
  timespec at{};
  std::tm parts{};
};

Now now() {
  Now result;
  ::clock_gettime(CLOCK_REALTIME, &result.at);
  ::gmtime_r(&result.at.tv_sec, &result.parts);
  return result;
}

}  // namespace

std::string utc_now() {
  const Now read = now();
  std::array<char, 32> text{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &read.parts);
  std::snprintf(text.data() + size, text.size() - size, ".%03dZ",
                static_cast<int>(read.at.tv_nsec / 1'000'000));
  return text.data();
}

std::string utc_second() { return utc_now().substr(0, 19) + "Z"; }

std::string utc_stamp() {
  const Now read = now();
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &read.parts)};
}

std::int64_t monotonic_ms() {
  timespec at{};
  ::clock_gettime(CLOCK_BOOTTIME, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1000 + at.tv_nsec / 1'000'000;
}

std::string random_hex(int bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    unsigned char byte = 0;
    CHECK(::getrandom(&byte, 1, 0) == 1);
    text += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return text;
}

}  // namespace capsule
