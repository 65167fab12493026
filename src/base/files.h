// Files, read and written with care. Paths under a root that an agent can write to are opened
// beneath that root, without following links: a planted link or pipe is an error, never a way out.
// Every function may be called from any thread; descriptors are close-on-exec.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capsule {

// A descriptor that closes itself. Movable, not copyable.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  File& operator=(File&& other) noexcept;
  ~File();
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

inline constexpr std::size_t kMaxTextBytes = std::size_t{64} * 1024 * 1024;

// The whole of a regular file. Reasons: not_found, refused (no regular file, or larger), io.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxTextBytes);

// Written aside, synced, renamed: readers see the old or the new file, also after a power loss.
// `aside` is where it is written first, on the same file system; beside the file when it is empty.
Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode = 0644,
                        std::string aside = {});

// The same unsynced: a power loss may undo it or leave an empty file. For what can be made again.
Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode = 0644,
                          std::string aside = {});

// All of `bytes`, whatever the size; EINTR and short writes are dealt with.
Result<void> write_all(int fd, std::string_view bytes, const std::string& name);

// mkdir -p.
Result<void> make_folders(const std::string& path);

// The same beneath `root`, which must exist: no component of `relative` may be a link or `..`.
Result<void> make_folders_beneath(const std::string& root, const std::string& relative);

// Opens `relative` beneath `root` with open(2)'s flags. Only regular files are opened.
Result<File> open_beneath(const std::string& root, const std::string& relative, int flags,
                          unsigned mode = 0644);
Result<std::string> read_file_beneath(const std::string& root, const std::string& relative,
                                      std::size_t max_bytes = kMaxTextBytes);

bool exists(const std::string& path);  // a link counts, wherever it leads
bool is_folder(const std::string& path);

// The error of the system call that just failed on `name`.
Error io_error(std::string_view doing, std::string_view name, int error_number);

// A path made absolute against the current folder and without "." and ".."; links are not followed.
std::string absolute_path(std::string_view path);
// The same with links followed. Error not_found when it does not exist.
Result<std::string> real_path(const std::string& path);

}  // namespace capsule
