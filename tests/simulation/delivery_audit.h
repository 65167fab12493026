// What must hold of every delivery, read from its facts alone, without the workflow's own state.
#pragma once

#include <map>
#include <set>
#include <string>

#include "workflow/delivery/delivery.h"

namespace capsule::delivery::simulation {

class Audit {
 public:
  std::string broken;
  std::int64_t bound = 0, most_runs = 0;

  void read(const DeliveryFact& fact);
  // Holds between the turns, of what runs in the world.
  void between(const State& state, bool world_is_quiet);
  void claim(bool holds, const std::string& what) {
    if (!holds && broken.empty()) broken = what;
  }

 private:
  struct Of {
    std::set<std::string> blocked_by;
    bool audited = false, merged = false, reviewed = false, ready = false, over = false,
         removed = false, doubted = false;
    int agents = 0, failed_reviews = 0, failed_audits = 0;
  };
  void dispatched(const AgentDispatched& f);
  void finished(const AgentFinished& f);
  void learn(const std::vector<Task>& tasks);
  void count();

  Slots slots_;
  Limits limits_;
  std::map<std::string, Of> tasks_;
  std::map<int, AgentDispatched> open_;
  std::map<int, int> interval_of_;
  std::map<std::string, int> experts_;
  std::set<int> questions_, answered_;
  std::map<int, std::string> removals_;
  std::string merging_;
  bool started_ = false, ended_ = false, remedying_ = false;
  int interval_ = 0;
  std::int64_t runs_ = 0;
};

}  // namespace capsule::delivery::simulation
