// What will be in force, decided from the policy and what the kernel has. Pure.
#pragma once

#include <optional>

#include "base/result.h"
#include "contain/policy.h"
#include "contain/report.h"

namespace capsule::contain {

struct Kernel {
  int landlock = 0;  // the version of its interface; 0: none
  bool seccomp = false;
  std::optional<Error> no_namespaces = {};  // why not; nothing: they are there, or nobody asked yet
  bool counts = true;                       // it lists the children of a process
  bool shares_processors = false;           // a cgroup was given away that can
  bool terminal = false;                    // whether who asks has one
  std::optional<Error> no_overlay = {};     // why no scratch layer; for whoever asks before a run
};

// Error refused when it is less than the policy asks for.
Result<Report> plan(const Policy& policy, const Kernel& kernel);

// Of this machine, all of it.
Kernel this_kernel();
// The same. Namespaces are tried when the policy could do without.
Kernel look_at_kernel(const Policy& policy);

}  // namespace capsule::contain
