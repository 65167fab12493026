// The process between: the first of its pid namespace, confined like the command it starts. Without
// namespaces it is the one to which orphans are left.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

#include "contain/policy.h"
#include "contain/report.h"

namespace capsule::contain {

struct Orders {
  const Policy& policy;
  const Report& report;  // what is to be put in force
  const std::vector<std::string>& argv;
  const std::vector<std::string>& env;
  std::string private_folder;  // without namespaces
  bool last_in_line;           // goes behind others where processors are short
  unsigned uid;
  unsigned gid;
  sigset_t mask;  // the command's signal mask
  int channel;
  int other_end;  // the parent's, which this process must not hold
};

// Puts everything in force, starts the command, waits for it. Never returns. To be called in the
// cloned child.
[[noreturn]] void first_process(const Orders& orders);

}  // namespace capsule::contain
