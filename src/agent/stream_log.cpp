#include "agent/stream_log.h"

#include <fcntl.h>

#include <algorithm>

namespace capsule::agent {

Result<void> StreamLog::open(const std::string& root, const std::string& name) {
  file_ = TRY(open_beneath(root, name, O_WRONLY | O_CREAT | O_EXCL));
  path_ = root + "/" + name;
  return {};
}

Result<void> StreamLog::write(std::string_view bytes) {
  if (!file_) return {};
  const std::string_view head = bytes.substr(0, kLogHeadBytes - written_);
  written_ += head.size();
  if (!head.empty()) TRY_VOID(write_all(file_.fd(), head, path_));
  bytes.remove_prefix(head.size());
  if (bytes.empty()) return {};
  tail_ += bytes;
  if (tail_.size() > 2 * kLogTailBytes) {
    left_out_ += tail_.size() - kLogTailBytes;
    tail_.erase(0, tail_.size() - kLogTailBytes);
  }
  return {};
}

Result<void> StreamLog::close() {
  if (!file_) return {};
  const File file = std::move(file_);
  std::string tail = std::move(tail_);
  if (left_out_ > 0) {
    // Cut at a line, so that no half of one begins at column 0.
    const std::size_t line = tail.find('\n');
    if (line != tail.npos) left_out_ += line, tail.erase(0, line);
    TRY_VOID(write_all(file.fd(), "\n[" + std::to_string(left_out_) + " bytes are left out here]",
                       path_));
  }
  return write_all(file.fd(), tail, path_);
}

}  // namespace capsule::agent
