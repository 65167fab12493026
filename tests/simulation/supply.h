// What the simulation adds for workflow/supply, whatever the workflow: rules that show their newest
// facts and can be broken, and what must hold of every run, read from its facts and from what
// really happened.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "event/fact.h"
#include "workflow/supply/supply.h"

namespace capsule::simulation {

// Planted in workflow/supply; each must be noticed.
enum class SupplyBug {
  none,
  parking_forgotten,
  freed_too_soon,
  pause_forgotten,
  tries_without_end,
  spending_forgotten,
  fault_reaches_the_workflow,
  alarm_lost,
  message_given_again,
  answer_forgotten,
  raise_forgotten,
  all_at_once,
  walls_forgotten,
  refusal_forgotten,
  lane_forgotten,
  disk_forgotten,
  fallback_too_soon,
};
inline constexpr int kSupplyBugs = 17;  // with none
std::string_view name_of(SupplyBug bug);

// The real rules, as engine::WorkflowOf wants them. As with Tap, most runs keep facts as they are.
struct SupplyTap {
  using Fact = event::supply::Fact;
  static inline SupplyBug bug = SupplyBug::none;
  static inline bool wire = true;
  static inline std::vector<Fact> newest, kept;
  static inline int turns = 0;  // of the workflow, for Tap

  static void begin(bool by_wire);
  static void apply(supply::State& state, const Fact& fact);
  static std::vector<workflow::Observation> hear(
      supply::Turn& turn, const std::vector<workflow::Observation>& observations);
  static std::vector<workflow::Observation> settle(supply::Turn& turn,
                                                   std::vector<workflow::Command> asked);
  static std::string body_of(const Fact& fact);
  static Result<Fact> read_fact(std::string_view kind, std::string_view body);
  static std::string text_of(const event::Fact& fact);
};

class SupplyAudit {
 public:
  std::string broken;
  supply::Policy policy;

  // A new process: what was on its way is gone.
  void restart() {
    finished_.clear(), faulted_.clear(), ending_.clear(), trying_.clear();
    told_walls_.clear();
    told_requests_ = 0;
    told_room_.reset();
  }
  // What the world is about to tell.
  void told(const workflow::AgentFinished& finished, const std::string& provider);
  void told(const workflow::AgentSpends& spends);
  void told(const event::Contained& walls) { told_walls_.push_back(walls); }
  void told(const event::HostsRefused& refused) { told_requests_ += refused.hosts.front().count; }
  void told(const workflow::DiskStands& disk) { told_room_ = disk.room; }
  void not_started(int agent) { trying_.erase(agent); }
  void ended(int agent) { ending_.insert(agent); }  // the workflow wants it to end
  // Facts of the newest turn were recorded.
  void recorded(const std::vector<SupplyTap::Fact>& facts, std::int64_t seconds,
                const std::string& day);
  void before_start(const workflow::StartAgent& start, std::int64_t seconds, const std::string& day,
                    std::int64_t elsewhere);
  void at_end(const workflow::RunSummary& summary);
  // Who would be called; the first choice, where the workflow names nobody.
  std::string provider_of(const workflow::StartAgent& start) const;
  bool may_end(int agent) const;  // a budget that is hard is spent, or the disk is full
  bool has_asked(int question) const { return questions_.contains(question); }

 private:
  struct Told {
    workflow::AgentFinished finished;
    std::string provider;
  };
  void claim(bool holds, const char* what) {
    if (!holds && broken.empty()) broken = what;
  }
  std::int64_t limit(supply::Scope scope, const std::string& key) const;
  bool is_parked(const std::string& provider, std::int64_t seconds) const;
  // Whether those before it in their order are parked, all of them.
  bool has_its_turn(const workflow::StartAgent& start, std::int64_t seconds) const;
  void read(const event::supply::AgentUsed& f);
  void read(const event::supply::AgentFaulted& f);
  template <class Other>
  void read(const Other&) {}
  void read(const event::supply::ProviderParked& f) { parked_[f.provider] = f.until; }
  void read(const event::supply::ProviderFree& f);
  void read(const event::Contained& f);
  void read(const event::HostsRefused& f);
  void read(const event::supply::DiskStood& f) { room_ = f.room; }
  void read(const event::supply::BudgetRaised& f) { raised_[{f.scope, f.task}] = f.limit; }
  void read(const event::supply::PersonAsked& f);
  void read(const event::supply::MessageGiven& f);
  void read(const event::supply::MessageDelivered& f);

  using Call = std::pair<int, std::string>;  // an agent and its provider
  struct Trial {
    std::string provider;
    std::int64_t since = 0;
    bool answered = false;
  };
  std::map<std::string, std::int64_t> parked_;
  std::map<Call, std::int64_t> pauses_;  // until
  std::map<Call, int> tries_;            // in a row
  std::map<int, int> faulted_;           // attempt, by agent
  std::set<std::string> unproven_;  // providers that were parked, and have answered nobody since
  std::map<int, Trial> trying_;     // agents that began meanwhile, and work
  std::set<int> ending_;
  std::vector<Told> finished_;  // told, and not recorded yet
  std::vector<event::Contained> told_walls_, walls_;
  int told_requests_ = 0, requests_ = 0;
  std::optional<event::supply::Room> told_room_;
  event::supply::Room room_{};
  std::int64_t micros_ = 0, tokens_ = 0;
  std::map<std::string, std::int64_t> by_task_, by_day_;
  std::map<supply::BudgetKey, std::int64_t> raised_;
  std::set<int> questions_;
  std::map<std::string, int> given_to_;  // message: agent; 0: nobody
  std::set<int> done_;                   // agents that ended for good
};

}  // namespace capsule::simulation
