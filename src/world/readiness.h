// Trees are set up before agents work in them: once, and again when what the set-up depends on has
// changed. Agents of one tree wait for the same set-up. Its output is kept beside the agents' logs.
//
// Single-threaded, on the thread of the set-up's Loop. Must outlive every set-up that it began.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "gate/setup.h"
#include "git/repository.h"

namespace capsule::world {

class Readiness {
 public:
  // An error: interrupted, or the tree cannot be worked in. A set-up that fails again, after agents
  // changed what it depends on, is `told` and no error: the checks judge what they left.
  using Ready = std::function<void(const Result<void>&)>;

  Readiness(const git::Repository& repository, gate::Setup& setup, std::vector<std::string> inputs,
            std::function<void(const std::string&)> told)
      : repository_(repository),
        setup_(setup),
        inputs_(std::move(inputs)),
        told_(std::move(told)) {}

  // Calls `ready` once: from within when there is nothing to do, else from a turn of the loop.
  // `log_folder` is a folder of ours; empty: .capsule/output in the tree. `base` is the commit that
  // the tree began with.
  void ready(const std::string& folder, const std::string& log_folder, const std::string& base,
             Ready ready);

 private:
  struct Job {
    std::string key;
    std::string log;     // its path, for people
    bool again = false;  // it was set up before
    std::vector<Ready> waiting;
  };
  Result<bool> begin(const std::string& folder, const std::string& base, Job& job);
  void ended(const std::string& folder, const Result<gate::Verdict>& verdict);
  Result<void> judge(const std::string& folder, const Job& job,
                     const Result<gate::Verdict>& verdict) const;

  const git::Repository& repository_;
  gate::Setup& setup_;
  const std::vector<std::string> inputs_;
  const std::function<void(const std::string&)> told_;
  std::map<std::string, Job> jobs_;  // by folder
};

}  // namespace capsule::world
