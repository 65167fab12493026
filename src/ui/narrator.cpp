#include "ui/narrator.h"

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "ui/style.h"

namespace capsule::ui {
namespace {

constexpr std::size_t kKeptTail = 4096;

}  // namespace

const dialect::Activity* Frame::activity(int agent) const {
  for (const SeenAgent& one : agents)
    if (one.who.number == agent) return &one.activity;
  return nullptr;
}

std::string doing_line(const Frame& frame, int agent, std::size_t columns, Said said) {
  const dialect::Activity* activity = frame.activity(agent);
  if (activity == nullptr) return fitted(replace_all(frame.last_line(agent), "\t", "  "), columns);
  constexpr std::size_t kLeast = 30;  // for what it does
  const std::string tokens = tokens_words(activity->use);
  if (tokens.empty() || columns < kLeast + tokens.size() + 2)
    return activity_line(*activity, frame.now_ms, columns, said);
  const std::string line =
      activity_line(*activity, frame.now_ms, columns - tokens.size() - 2, said);
  const std::size_t used = columns_of(line) + tokens.size();
  return line + std::string(columns - std::min(columns, used), ' ') + tokens;
}

void LastLine::feed(std::string_view bytes) {
  // Only the end can be seen: of one large piece the rest is not even copied.
  if (bytes.size() > kKeptTail) bytes = bytes.substr(bytes.size() - kKeptTail);
  partial_ += bytes;
  if (partial_.size() > 2 * kKeptTail) partial_.erase(0, partial_.size() - kKeptTail);
  const std::size_t end = partial_.find_last_of('\n');
  if (end == partial_.npos) {
    if (!trimmed(partial_).empty()) shown_ = trimmed(partial_);
    return;
  }
  const std::string_view complete = trimmed(std::string_view(partial_).substr(0, end));
  if (!complete.empty()) shown_ = complete.substr(complete.find_last_of('\n') + 1);
  partial_.erase(0, end + 1);
}

}  // namespace capsule::ui
