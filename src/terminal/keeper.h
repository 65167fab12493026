// A small process that gives the terminal back when its owner is killed and cannot do so itself. It
// is this same binary, started as
//   capsule-terminal keep-terminal
// with the terminal as 0 and 1 and the reading end of a pipe as 3. The owner writes its Kept there;
// then either one byte, "all is given back", or nothing: when it dies, the pipe ends.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <memory>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace capsule::terminal {

inline constexpr std::string_view kKeeperCommand = "keep-terminal";

// To be called first thing in main when the second word is kKeeperCommand.
int keeper_main();

// Both modes of the terminal: as it was, and as its owner has it.
struct Kept {
  termios before;
  termios raw;
};

// The owner's side. As long as it lives the keeper watches.
class Keeper {
 public:
  static Result<std::unique_ptr<Keeper>> start(const Kept& kept);
  ~Keeper();  // the owner has given the terminal back
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

 private:
  Keeper(pid_t pid, File pipe) : pid_(pid), pipe_(std::move(pipe)) {}
  pid_t pid_;
  File pipe_;
};

}  // namespace capsule::terminal
