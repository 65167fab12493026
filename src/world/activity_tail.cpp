#include "world/activity_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent/stream_log.h"
#include "base/text.h"

namespace capsule::world {
namespace {

// What has no event in its first lines is text, see dialect::output_of; of that the end is kept.
constexpr std::ptrdiff_t kLines = 50;
constexpr std::size_t kFirst = std::size_t{1} << 20;  // also when it is one line that never ends
constexpr std::size_t kKept = std::size_t{64} << 10;

std::string newest_line(std::string_view text) {
  text = trimmed(text);
  const std::size_t begin = text.rfind('\n');
  return printable(cut(dialect::line_words(begin == text.npos ? text : text.substr(begin + 1)),
                       dialect::kWordsBytes));
}

}  // namespace

void ActivityTail::take(std::string_view bytes, std::int64_t at) {
  at_ = at;
  if (reader_) return reader_->feed(bytes);
  begin_.append(bytes);
  const dialect::Output output = text_ ? dialect::Output::text : dialect::output_of(begin_);
  if (output != dialect::Output::text) {
    activity_ = {};
    reader_ = std::make_unique<dialect::Reader>(
        output, dialect::Moment{},
        [this](const dialect::Event& event) { dialect::fold(activity_, event, at_); });
    reader_->feed(begin_);
    begin_.clear();
    return;
  }
  if (const std::string line = newest_line(begin_); !line.empty()) {
    activity_.said = line;
    activity_.what = dialect::Activity::What::text;
    activity_.since_ms = at;
  }
  text_ =
      text_ || begin_.size() > kFirst || std::count(begin_.begin(), begin_.end(), '\n') >= kLines;
  if (text_ && begin_.size() > kKept) begin_.erase(0, begin_.size() - kKept / 2);
}

bool ActivityTail::read() {
  if (!file_) {
    auto file = open_beneath(log_.root, log_.name, O_RDONLY);
    if (!file) return false;
    file_ = *std::move(file);
  }
  struct stat status {};
  if (::fstat(file_->fd(), &status) != 0) return false;
  const std::int64_t at =
      std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
  bool any = false;
  std::string buffer(1 << 16, '\0');
  while (read_ < agent::kMaxLogBytes) {
    const ssize_t n = ::pread(file_->fd(), buffer.data(), buffer.size(), static_cast<off_t>(read_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    read_ += static_cast<std::size_t>(n);
    any = true;
    take(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)), at);
  }
  return any;
}

}  // namespace capsule::world
