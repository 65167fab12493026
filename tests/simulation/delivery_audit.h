// What must hold of every delivery, read from its facts alone, without the workflow's own state.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "event/supply.h"
#include "workflow/delivery/delivery.h"

namespace capsule::simulation {

using namespace delivery;  // NOLINT: its facts are what is read here

class DeliveryAudit {
 public:
  std::string broken;
  std::int64_t bound = 0, most_runs = 0;

  void read(const DeliveryFact& fact);
  // After all facts of a turn: with those of supply, who works is known.
  void turn_recorded(const std::vector<event::supply::Fact>& supplied);
  void between(const delivery::State& state);  // the turns
  void claim(bool holds, const char* what) {
    if (!holds && broken.empty()) broken = what;
  }

  // Whether the journal says that this is about to be done.
  bool intends(const workflow::Command& command) const;
  bool is_merged(const std::string& task) const {
    const auto found = tasks_.find(task);
    return found != tasks_.end() && found->second.merged;
  }
  void begins(const std::string& task) { ++begun_[task]; }  // an agent of it
  int answered() const { return static_cast<int>(answered_.size()); }

  // A person has approved it, or nobody has to.
  bool may_land(const std::string& task) const {
    return integrate_ != event::Integrate::ask || tasks_.at(task).approved;
  }

 private:
  struct Of {
    std::set<std::string> blocked_by;
    bool audited = false, merged = false, reviewed = false, ready = false, over = false,
         removed = false, doubted = false, worked = false, again = false, approved = false;
    int agents = 0, failed_reviews = 0, failed_audits = 0;
    // The newest agent that ended, when that was by itself: it costs no attempt.
    Role failed{};
    int attempt = 0;  // of it; 0: it was no such end
  };
  void dispatched(const AgentDispatched& f);
  void finished(const AgentFinished& f);
  void learn(const std::vector<Task>& tasks);
  void count();

  event::Integrate integrate_{};
  std::map<int, std::string> approvals_;  // questions: the task
  Slots slots_;
  Limits limits_;
  std::map<std::string, Of> tasks_;
  std::map<int, AgentDispatched> open_;
  std::set<int> held_;  // agents that wait for their service or a budget
  std::map<int, int> interval_of_;
  std::map<std::string, int> experts_;
  std::set<int> questions_, answered_;
  std::map<int, std::string> removals_, about_;  // questions: the task
  std::map<std::string, int> begun_;             // agents of a task that were really started
  std::map<int, int> begun_before_;              // the answer to a question
  std::set<int> ending_, finished_, asking_;
  std::set<std::string> closing_;
  std::set<std::pair<std::string, int>> waits_;
  std::set<VerifyPurpose> verifying_;
  bool repairing_ = false;
  std::string merging_;
  bool started_ = false, ended_ = false, remedying_ = false;
  bool red_main_ = false;  // main fails by itself, and nobody has looked
  int interval_ = 0;
  std::int64_t runs_ = 0;
};

}  // namespace capsule::simulation
