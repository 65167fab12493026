// The filter of system calls: a program for the kernel, written here by hand, so that it knows
// calls that are newer than any library.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace capsule::contain {

// What depends on the other protections.
struct CallRules {
  bool namespaces = true;  // what is in sight is the command's own: processes, sockets, memory
  bool network = true;     // sockets of the internet; without namespaces only: else it has its own
  bool truncate = true;    // by path; Landlock before version 3 does not look at it
};

// Pure: the filter as the kernel takes it.
std::vector<sock_filter> call_filter(const CallRules& rules);

// Whether the kernel has filters of this kind.
bool seccomp_available();

// For this process and all its children, for ever. Needs no_new_privs.
Result<void> apply_seccomp(const CallRules& rules);

}  // namespace capsule::contain
