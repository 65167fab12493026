#include "agent/silence.h"

#include <algorithm>

namespace capsule::agent {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kBlinkMs = 20;     // processor time between two looks that says nothing
constexpr std::int64_t kReadingMs = 500;  // a tool may run before the event before it is read
constexpr int kLooksMissed = 4;
constexpr int kLooksInALimit = 8;
constexpr milliseconds kShortestLook{100}, kLongestLook{60'000};

}  // namespace

bool Silence::sees_something(const Look& look) const {
  if (!look.waits || !last_ || !last_->waits || look.heard_ms != last_->heard_ms) return true;
  const std::int64_t between = look.at_ms - last_->at_ms;
  if (between > every_.count() * kLooksMissed) return true;
  return look.processor_ms - last_->processor_ms > between * resting_ / 1000 + kBlinkMs ||
         look.newest_file_ns != last_->newest_file_ns ||
         look.newest_process_ms > std::max(look.heard_ms - kReadingMs, look.first_ms);
}

milliseconds Silence::look(const Look& look) {
  if (sees_something(look)) since_ms_ = look.at_ms;
  last_ = look;
  return milliseconds(look.at_ms - since_ms_);
}

milliseconds look_every(milliseconds limit, milliseconds answer_limit) {
  return std::clamp(std::min(limit, answer_limit) / kLooksInALimit, kShortestLook, kLongestLook);
}

bool is_owed(milliseconds silent, milliseconds limit, milliseconds answer_limit) {
  return silent.count() > 0 && silent >= std::min(limit / 2, answer_limit);
}

}  // namespace capsule::agent
