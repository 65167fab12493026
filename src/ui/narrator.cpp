#include "ui/narrator.h"

#include "base/text.h"

namespace capsule::ui {
namespace {

constexpr std::size_t kKeptTail = 4096;

}  // namespace

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
