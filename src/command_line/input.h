// Where a command's text comes from: a file or stdin, without loading it into the heap. An Input
// owns its descriptor and its mapping; views are valid until the next call or the destructor.
// One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capsule::command_line {

class Input {
 public:
  // `-` is stdin. Reasons: not_found, refused (a folder), io.
  static Result<Input> open(std::string_view path);
  static Input standard_input();

  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  ~Input();

  // The next piece in order, up to 1 MiB; empty at the end. For readers that work in one pass.
  Result<std::string_view> next_chunk();

  // All that has not been read yet, as one view of mapped pages. A pipe is first copied to a file
  // without a name in the folder for temporary files, so that its size never counts as heap. Do
  // not mix with next_chunk(). A file that someone shortens while it is mapped ends the program.
  Result<std::string_view> whole();

 private:
  Input(int fd, bool owned, std::string name);
  Result<std::string_view> map(int fd, std::size_t from, std::size_t to);

  int fd_;
  bool owned_;
  std::string name_;         // for messages
  char* buffer_ = nullptr;   // of next_chunk(): page-aligned
  char* mapping_ = nullptr;  // of whole()
  std::size_t mapped_ = 0;   // its length
};

}  // namespace capsule::command_line
