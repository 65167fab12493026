#include "world/wall_clock.h"

#include <algorithm>
#include <ctime>

namespace capsule::world {
namespace {

constexpr std::int64_t kLookMs = 60'000;

std::tm local_parts(std::int64_t epoch_seconds) {
  const auto seconds = static_cast<std::time_t>(epoch_seconds);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return parts;
}

}  // namespace

std::int64_t epoch_ms() {
  timespec at{};
  ::clock_gettime(CLOCK_REALTIME, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1000 + at.tv_nsec / 1'000'000;
}

std::string local_day(std::int64_t epoch_seconds) {
  const std::tm parts = local_parts(epoch_seconds);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

std::string local_time(std::int64_t epoch_seconds) {
  const std::tm parts = local_parts(epoch_seconds);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &parts)};
}

std::int64_t local_day_end(std::int64_t epoch_seconds) {
  std::tm parts = local_parts(epoch_seconds);
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  ++parts.tm_mday;
  parts.tm_isdst = -1;  // a day may have 23 or 25 hours
  return static_cast<std::int64_t>(std::mktime(&parts));
}

void at_wall_time(process::Loop& loop, std::int64_t when, std::function<void()> then) {
  const std::int64_t left = std::clamp<std::int64_t>(when - epoch_ms(), 0, kLookMs);
  loop.after(std::chrono::milliseconds(left), [&loop, when, then = std::move(then)]() mutable {
    if (epoch_ms() >= when) return then();
    at_wall_time(loop, when, std::move(then));
  });
}

}  // namespace capsule::world
