// The descriptors that children get. Everything made here is close-on-exec and numbered 10 or
// higher, so that a file action of posix_spawn never overwrites one that it still needs.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/result.h"

namespace capsule::process {

// How much is read of a child's output at once.
inline constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

struct Ends {
  File read;
  File write;
};

// A pipe whose read end does not block. Its size is the system's: 400 big pipes would use up what
// one user may have, and the ones after them would get a single page.
Result<Ends> make_pipe();

// The other way round: its write end does not block.
Result<Ends> make_input_pipe();

// Lets the pipe hold up to 1 MiB, where the system allows it; it stays as it is otherwise.
void widen(const File& pipe_end);

// Both ends of a SOCK_SEQPACKET connection: whole messages, and each end sees the other's death.
Result<std::pair<File, File>> make_channel();

// A read-only file in memory that holds `bytes` and that nobody can change any more.
Result<File> memory_file(std::string_view bytes);

Result<File> null_device();

// The folder, for fchdir. Error not_found names it.
Result<File> open_folder(std::string_view path);

}  // namespace capsule::process
