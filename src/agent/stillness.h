// Whether an agent that says nothing does anything: its processes use the processor, or files in
// its folder change. Reads /proc and the folder; any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace capsule::agent {

struct Signs {
  std::uint64_t printed = 0;        // bytes so far; of a client that prints events, these
  std::int64_t processor_ms = 0;    // that the tree has used, with what has ended in it
  std::int64_t newest_file_ns = 0;  // the newest change below the folder
  // When the newest process below the first one began, as monotonic_ms() has it; 0: there is none.
  std::int64_t newest_process_ms = 0;
  bool operator==(const Signs&) const = default;
};

// `root` is the agent's first process. At most kMaxEntries files are looked at; .git and our own
// .capsule are passed over.
Signs signs_of(pid_t root, const std::string& folder, std::uint64_t printed);
inline constexpr int kMaxEntries = 20'000;

}  // namespace capsule::agent
