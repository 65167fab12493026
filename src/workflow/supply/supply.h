// Stands between every workflow and the world: what happened passes here before a workflow hears of
// it, and what the workflow asks for before it is done. A fault of an agent's service never reaches
// the workflow: the same agent is started again, when its provider, a budget and the clock allow
// it. So no fault costs an attempt, an iteration or a round of review, whatever the workflow.
//
// - rate_limited, overloaded, unreachable: again after a pause that grows; after too many in a row
//   the provider counts as parked, for a while when another can take over, else until a person
//   says so.
// - no_answer: again once; then its provider is parked for a time that is guessed, and a person is
//   asked when many guesses were wrong.
// - usage_limit: its provider is parked until the limit ends, or for a time that is guessed. Who
//   works goes on, nobody begins; a fallback that is free takes over.
// - no_credit, unauthorised: parked until a person lifts it, and a person is asked.
// - context_full: once, in a new session that is told the history.
// - A budget that is spent holds who would begin, and asks a person.
// - A disk with too little room holds who would begin until there is more, and has those who work
//   ended before it is full.
//
// A turn is: hear() what was observed, let the workflow advance, settle() what it asks for; again,
// as long as settle() has something for the workflow to hear. Pure: time is what `at` says.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workflow/supply/policy.h"
#include "workflow/supply/state.h"

namespace capsule::supply {

class Turn {
 public:
  // `state`, `policy` and `at` must outlive it. The simulation gives a broken `apply`, to show that
  // it notices.
  using Apply = void (*)(State&, const fact::Fact&);
  Turn(State& state, const Policy& policy, const std::string& at, Apply apply = supply::apply);

  // What is left for the workflow.
  std::vector<workflow::Observation> hear(std::vector<workflow::Observation> observations);
  // What the workflow must hear before this turn is over: the ends of agents that are not started
  // after all. Those commands that the world is to carry out are added to `commands`.
  std::vector<workflow::Observation> settle(std::vector<workflow::Command> asked);

  // Since they were last taken; to be recorded in this order.
  std::vector<fact::Fact> take_facts();
  // Of the whole turn.
  std::vector<workflow::Command> commands;

 private:
  void record(fact::Fact fact);
  void order(workflow::SupplyOrder order);

  // hear.cpp
  void hear_one(workflow::Observation&& observation);
  void on(workflow::AgentFinished&& finished);
  void on(const workflow::Woken& woken);
  void on(const workflow::ParkedElsewhere& parked);
  void on(const workflow::FreedElsewhere& freed);
  void on(const workflow::AgentSpends& spends);
  void on(const workflow::SpentElsewhere& spent);
  void on(const workflow::CutOff& cut_off);
  void on(const workflow::MessageLeft& told);
  void answer(int number, const workflow::Answered& answered);
  void stop(workflow::Stop how);
  void note(const std::string& tree, const std::vector<event::SelfRunning>& files);
  fact::AgentUsed used(const Wanted& wanted, const workflow::AgentFinished& finished) const;
  bool is_put_off(int agent, const workflow::CommandFailed& failed);
  bool swallow(Wanted& wanted, const workflow::AgentFinished& finished, const TokenUse& use);
  void service_fault(Wanted& wanted, const workflow::AgentFinished& finished);
  void fault(const Wanted& wanted, const workflow::AgentFinished& finished, int tries,
             std::int64_t until);
  void park(const std::string& provider, std::int64_t until, bool guessed, Fault fault,
            const std::string& words, bool tell);
  void free(const std::string& provider, const std::string& by, bool tell);

  // settle.cpp
  void ask_for(workflow::Command&& command);
  void decide(int agent, Wanted& wanted);
  // When whoever tries first whether this provider is really free has worked long enough to be
  // believed; 0: nobody does, or it is.
  std::int64_t tried_until(const std::string& provider) const;
  // `alone`: it waits for what concerns its task and no other.
  void hold(int agent, Wanted& wanted, Hold why, std::int64_t until, const std::string& provider,
            bool alone = false);
  bool lane_is_full(const workflow::StartAgent& start) const;
  void tell_waits(int agent, Wanted& wanted, bool waits, bool alone);
  void start(int agent, Wanted& wanted, std::size_t index, const Choice& choice);
  workflow::StartAgent call_for(int agent, const Wanted& wanted, std::size_t index,
                                const Choice& choice) const;
  void add_messages(int agent, Wanted& wanted);
  void steer();
  void on(const workflow::Steered& steered);
  void on(const workflow::AgentStands& stands);
  void on(const workflow::Contained& contained);
  void on(const workflow::HostsRefused& refused);
  void on(const workflow::DiskStands& stands);
  void watch_disk();
  void give_up(int agent, Fault fault, const std::string& why);
  void ask_about_providers();
  void set_alarm();
  bool is_parked(const std::string& provider) const;
  bool is_paused_for(const std::string& provider) const;
  void put(int question);
  int new_question() const;

  // budget.cpp
  std::string day() const;
  std::int64_t day_ends() const;
  std::int64_t limit(const BudgetKey& key) const;
  std::int64_t spent(const BudgetKey& key) const;
  std::vector<BudgetKey> budgets_of(const std::string& task) const;
  // What keeps an agent of this task from starting; nullopt: nothing does.
  std::optional<BudgetKey> blocked_by(const std::string& task) const;
  void watch_budgets();
  void ask_about_budget(const BudgetKey& key, const std::string& before = "");
  void answer_budget(const Question& question, const workflow::Answered& answered);

  State& s_;
  Present& now_;
  const Policy& policy_;
  const std::string& at_;
  Apply apply_;
  std::int64_t ms_ = 0, seconds_ = 0;
  std::set<std::string> touched_;  // tasks whose spending has changed
  std::vector<fact::Fact> facts_;
  std::vector<workflow::Observation> heard_;
};

// Nothing is left to do but what a person says about a provider or a budget. `State::now` knows.
bool waits_for_person(const State& state);

// For engine::WorkflowOf.
struct Rules {
  static void apply(State& state, const fact::Fact& fact) { supply::apply(state, fact); }
  static std::vector<workflow::Observation> hear(Turn& turn,
                                                 std::vector<workflow::Observation> observations) {
    return turn.hear(std::move(observations));
  }
  static std::vector<workflow::Observation> settle(Turn& turn,
                                                   std::vector<workflow::Command> asked) {
    return turn.settle(std::move(asked));
  }
  static std::string body_of(const fact::Fact& fact) { return fact::body_of(fact); }
  static Result<fact::Fact> read_fact(std::string_view kind, std::string_view body) {
    return fact::read_fact(kind, body);
  }
};

}  // namespace capsule::supply
