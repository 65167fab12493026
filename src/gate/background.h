// The project's own checks while other things go on: build, lint and test, one after the other, in
// a process tree each. All of them are run, so that what failed can be held against what failed
// before. Nothing here waits.
//
// Single-threaded, on the thread of the Loop, which must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gate/verify.h"
#include "process/tree.h"

namespace capsule::gate {

struct FailedCheck {
  std::string name;  // "build", "lint" or "test"
  Verdict verdict;
};

class BackgroundChecks {
 public:
  // What failed; empty: all is well.
  using Done = std::function<void(const Result<std::vector<FailedCheck>>&)>;

  BackgroundChecks(process::Loop& loop, Verify verify);
  ~BackgroundChecks();
  BackgroundChecks(const BackgroundChecks&) = delete;
  BackgroundChecks& operator=(const BackgroundChecks&) = delete;

  // Whether the project has any.
  bool any() const;
  // `done` is called once, from a turn of the loop; without any checks, or when the folder is
  // missing, from within. Requires: `folder` stays until then.
  void start(const std::string& folder, Done done);

 private:
  class Job;
  process::Loop& loop_;
  const Verify verify_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Job>> jobs_;
};

}  // namespace capsule::gate
