// One run while it is folded: the state of its workflow, and the times that only the envelopes of
// its facts know. Private to this folder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/run.h"
#include "event/fact.h"
#include "event/supply.h"
#include "ui/view/fold.h"
#include "ui/view/view.h"
#include "workflow/supply/state.h"

namespace capsule::view {

// What the facts of a run say beyond the state of its workflow.
struct Seen {
  struct Agent {
    std::string began, ended, why, snapshot;
    std::string idle;  // since when it does nothing; empty: it works
    std::vector<event::CheckRun> checks;
  };
  struct Work {
    std::string began, since, ended;
    std::vector<event::CheckRun> checks;
    std::vector<std::string> files;
  };
  struct Asked {
    std::string at;
    int agent = 0;
  };
  std::map<int, Agent> agents;
  std::map<std::string, Work> tasks;
  std::map<int, Asked> questions;
  std::map<std::string, std::string> messages;  // by id: when
  std::vector<Band> bands;
  std::vector<Mark> marks;
  std::vector<Day> days;
  event::Baseline baseline{};
  std::vector<event::CheckRun> baseline_checks;
  std::string unchecked, archive;
  std::string started, ended;
  std::string refused;  // when the newest merge of the run as a whole was; empty: it was not
  std::uint64_t facts = 0;
  Moment newest;

  void mark(Mark::Kind kind, const event::Fact& fact, std::string task = {}, std::string text = {});
  void begin(Band::Kind kind, const std::string& at, std::string task, int question = 0);
  // Ends the open ones of that kind and question.
  void end(Band::Kind kind, const std::string& at, int question = 0);
  void asked(int question, int agent, const std::string& task, const std::string& text,
             const event::Fact& fact);
  void answered(int question, const std::string& task, const std::string& text,
                const event::Fact& fact);
  void still(int agent, bool still, const std::string& at);
  // Whoever had not ended was cut off by then.
  void resumed(const event::Fact& fact);
};

class RunFold {
 public:
  explicit RunFold(engine::RunHead head);
  virtual ~RunFold() = default;

  void apply(const event::Fact& fact);
  // The run as it is shown, and what it asks of people, in any order.
  void show(Run& run, std::vector<Item>& items) const;
  workflow::RunSummary summary() const;
  std::optional<Attempt> attempt(int agent) const;

  // What the state file of a session says; whether that is something else than before.
  virtual bool tell_session(const std::string&) { return false; }

  engine::RunHead head;
  std::optional<engine::Holder> holder;
  std::map<int, dialect::Activity> doing;
  std::map<int, std::int64_t> printed;  // how often, by agent
  std::set<int> answered;
  std::string unreadable;
  bool superseded = false;
  bool stale = true;  // differs from what was shown
  const Seen& seen() const { return seen_; }

 protected:
  // Folds a fact of the workflow's own, and notes what it says. Error damaged: it is none.
  virtual Result<void> take(const event::Fact& fact) = 0;
  virtual workflow::RunSummary own_summary() const = 0;
  // One of its agents, the same as there; nullopt: there is none of that number.
  virtual std::optional<workflow::AgentSummary> own_agent(int number) const = 0;
  virtual bool over() const = 0;  // it has ended
  // What only this workflow knows: its tasks or phases, slots, queue.
  virtual void add(Run& run, const workflow::RunSummary& summary) const = 0;

  Seen seen_;
  supply::State supply_;

 private:
  void supplied(const event::supply::Fact& said, const event::Fact& fact);
  Attempt row_of(const workflow::AgentSummary& agent, bool ended) const;
  void add_attempts(Run& run, const workflow::RunSummary& summary) const;
  void add_waits(Run& run, const workflow::RunSummary& summary) const;
};

// The newest of that number.
std::optional<workflow::AgentSummary> newest_of(const std::vector<workflow::AgentSummary>& agents,
                                                int number);

std::unique_ptr<RunFold> phases_fold(const engine::RunHead& head);
std::unique_ptr<RunFold> delivery_fold(const engine::RunHead& head);
std::unique_ptr<RunFold> auto_fold(const engine::RunHead& head);
std::unique_ptr<RunFold> session_fold(const engine::RunHead& head);

// ---- What is asked of people (inbox.cpp)

std::vector<Action> actions_of(const Run& run);
void add_items(const Run& run, const std::set<int>& answered, std::vector<Item>& items);
void sort_items(std::vector<Item>& items);

}  // namespace capsule::view
