// What the processes of a command use together, and whether that is more than it may: the kernel's
// own limits are for each process, and those on their number do not count root's. By looking, now
// and then, sooner the nearer the limit is; so it is held roughly, and what is taken faster than
// that is there for a moment.
//
// Memory is what would have to be given back: anonymous pages and what was swapped out, shared ones
// by their part, and files in the command's own folders in memory. Files of a disk that are mapped
// or cached do not count.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "contain/policy.h"
#include "contain/report.h"

namespace capsule::contain {

// ---- Pure

// Of one process, in bytes.
struct Memory {
  std::uint64_t own = 0;     // anonymous, swapped out included
  std::uint64_t shared = 0;  // files in memory, and what is shared without a name
};
// What /proc/PID/status says, where pages that are shared count whole; and smaps_rollup, where they
// count by their part. What is not said counts as none.
Memory memory_in_status(std::string_view text);
Memory memory_in_rollup(std::string_view text);

struct Use {
  std::uint64_t memory = 0;
  unsigned long processes = 0;  // threads included, as the kernel counts them
};
// What is used too much; memory first.
std::optional<Excess> excess_in(const Use& use, const Limits& limits);
// Until the next look: nobody can have used up the rest long before.
std::chrono::milliseconds next_look(const Use& use, const Limits& limits);

// ---- Not pure

class UseWatch {
 public:
  using Clock = std::chrono::steady_clock;
  // `first` and all below it, but for itself; `in_memory`: descriptors of its file systems there.
  UseWatch(const Limits& limits, pid_t first, std::vector<File> in_memory);

  // Until look() is to be called, for poll(2).
  int timeout_ms() const;
  // Looks when it is time to.
  std::optional<Excess> look();
  Use use_now() const;

 private:
  struct Sum;
  Sum sum_of_all(Memory (*memory_of)(pid_t)) const;

  const Limits limits_;
  const pid_t first_;
  const std::vector<File> in_memory_;
  Clock::time_point next_;
};

// Whether the kernel lists the children of a process, by which all of them are found.
bool can_count_processes();

}  // namespace capsule::contain
