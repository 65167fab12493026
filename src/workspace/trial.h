// A merge that is planned, on its way to main: what is known of the merged files. For merge.cpp and
// trial.cpp alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workspace/merge.h"

namespace capsule::workspace {

struct Merges::Trial {
  workflow::Merge merge;
  Planned planned;
  Done done;
  std::vector<gate::Verdict> verdicts = {};   // on the merged files
  std::optional<gate::Verdict> before = {};   // of the tests, on main as it was
  std::vector<event::CheckRun> earlier = {};  // what these very files were checked by before
  gate::RewrittenTests rewritten = {};

  void failed(const Error& error) const { done(workflow::failed(merge, error)); }
};

}  // namespace capsule::workspace
