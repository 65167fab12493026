#include "command_line/input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/files.h"

namespace capsule::command_line {
namespace {

// A pipe of this size is read four times as fast as one of the default 64 KiB.
constexpr std::size_t kChunkBytes = 1U << 20;

tl::unexpected<Error> input_error(const std::string& what) {
  return fail(Reason::io, what + ": " + std::strerror(errno));
}

ssize_t read_some(int fd, char* buffer, std::size_t size) {
  ssize_t got = 0;
  do got = ::read(fd, buffer, size);
  while (got < 0 && errno == EINTR);
  return got;
}

// A file that has no name from the start or loses it at once.
int nameless_file() {
  const char* folder = std::getenv("TMPDIR");
  if (folder == nullptr || *folder == '\0') folder = "/tmp";
  const int fd = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string path = std::string(folder) + "/capsule-input-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

Input::Input(int fd, bool owned, std::string name)
    : fd_(fd), owned_(owned), name_(std::move(name)) {
  ::fcntl(fd_, F_SETPIPE_SZ, static_cast<int>(kChunkBytes));  // only pipes can; others refuse
}

Input::Input(Input&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      owned_(std::exchange(other.owned_, false)),
      name_(std::move(other.name_)),
      buffer_(std::exchange(other.buffer_, nullptr)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)) {}

Input::~Input() {
  if (buffer_ != nullptr) ::munmap(buffer_, kChunkBytes);
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
  if (owned_) ::close(fd_);
}

Input Input::standard_input() { return {STDIN_FILENO, false, "stdin"}; }

Result<Input> Input::open(std::string_view path) {
  if (path == "-") return standard_input();
  std::string name(path);
  if (name.find('\0') != name.npos || name.empty())
    return fail(Reason::not_found, "no such file: '" + name + "'");
  const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    const Reason reason = errno == ENOENT || errno == ENOTDIR ? Reason::not_found : Reason::io;
    return fail(reason, "cannot read '" + name + "': " + std::strerror(errno));
  }
  Input input(fd, true, std::move(name));
  struct stat facts {};
  if (::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode))
    return fail(Reason::refused, "'" + input.name_ + "' is a folder, not a file");
  return input;
}

Result<std::string_view> Input::next_chunk() {
  if (buffer_ == nullptr) {
    void* pages =
        ::mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return input_error("cannot allocate memory for reading");
    buffer_ = static_cast<char*>(pages);
  }
  const ssize_t got = read_some(fd_, buffer_, kChunkBytes);
  if (got < 0) return input_error("cannot read " + name_);
  return std::string_view(buffer_, static_cast<std::size_t>(got));
}

Result<std::string_view> Input::map(int fd, std::size_t from, std::size_t to) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t start = from / page * page;
  void* pages = ::mmap(nullptr, to - start, PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(start));
  if (pages == MAP_FAILED) return input_error("cannot map " + name_);
  mapping_ = static_cast<char*>(pages);
  mapped_ = to - start;
  ::madvise(mapping_, mapped_, MADV_SEQUENTIAL);
  return std::string_view(mapping_ + (from - start), to - from);
}

Result<std::string_view> Input::whole() {
  struct stat facts {};
  if (::fstat(fd_, &facts) != 0) return input_error("cannot read " + name_);
  // Files of /proc claim to be empty: they are read like a pipe.
  if (S_ISREG(facts.st_mode) && facts.st_size > 0) {
    const off_t at = ::lseek(fd_, 0, SEEK_CUR);
    const std::size_t from = at > 0 ? static_cast<std::size_t>(at) : 0;
    const auto to = static_cast<std::size_t>(facts.st_size);
    if (from >= to) return std::string_view();
    return map(fd_, from, to);
  }
  int copy = -1;
  std::size_t size = 0;
  for (;;) {
    auto chunk = next_chunk();
    if (!chunk || (chunk->empty() && size == 0)) {
      if (copy >= 0) ::close(copy);
      return chunk;
    }
    if (chunk->empty()) break;
    if (copy < 0) copy = nameless_file();
    if (copy < 0 || !write_all(copy, *chunk, "a copy")) {
      const auto error = input_error("cannot keep a copy of " + name_);
      if (copy >= 0) ::close(copy);
      return error;
    }
    size += chunk->size();
  }
  auto view = map(copy, 0, size);
  ::close(copy);
  return view;
}

}  // namespace capsule::command_line
