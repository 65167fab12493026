// The real world of a delivery: agents are process trees in worktrees, merges go through git and
// the project's checks, people answer through files or the terminal. Nothing here decides; what
// happened is handed to the runner as observations.
//
// Single-threaded, on the thread of the Loop.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/crew.h"
#include "agent/stillness.h"
#include "engine/delivery_ports.h"
#include "gate/background.h"
#include "workspace/task_trees.h"
#include "world/answers.h"
#include "world/delivery_prompts.h"
#include "world/interrupt.h"
#include "world/project.h"

namespace capsule::world {

struct DeliveryOptions {
  std::string run;
  std::optional<AnswersFile> answers;
  bool terminal = false;  // a person sits there: questions are asked on it
  bool wait = false;      // stay when only a person can go on
};

class DeliveryHands : public engine::DeliveryWorld {
 public:
  // Everything must outlive it.
  DeliveryHands(const Project& project, process::Loop& loop, Interrupt& interrupt,
                DeliveryOptions options);
  ~DeliveryHands() override;

  // Whether every agent program and prompt that may be needed is there.
  Result<void> preflight(bool experts);
  // What an earlier process recorded: sessions go on, and half-done work is kept.
  void recall(const std::vector<engine::DeliveryFact>& facts);
  // Questions that are still open are asked again. Requires: the delivery was taken up.
  void ask_again(const delivery::State& state);

  void carry_out(const delivery::Command& command, const delivery::State& state) override;
  Result<std::vector<engine::DeliveryFact>> wait(const delivery::State& state) override;
  bool attended() override;

  // Removes worktrees that are no longer needed. Requires: all observations are recorded.
  void clean_up();

  // For the board: the newest line that an agent printed; empty when it does not run.
  std::string last_line(int agent) const;
  std::string log_folder() const;
  // A question to be shown, or an answer that was not accepted; drawn by whoever has the terminal.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
  // Whether a person has closed the task where the plan comes from: then nobody has to be asked
  // whether it stays.
  std::function<bool(const std::string&)> closed = [](const std::string&) { return false; };

 private:
  struct Running {
    delivery::StartAgent start;
    agent::MemberId member{};
    std::string tree;  // key of its worktree
    std::string folder;
    std::int64_t began_ms = 0;
    bool ended_by_us = false;
    agent::Signs signs;
    process::TimerId look{};
  };

  Result<void> start_agent(const delivery::StartAgent& start, const delivery::State& state);
  Result<std::string> prepare(const delivery::StartAgent& start, const std::string& tree);
  void finished(int agent, const agent::Ending& ending);
  void read_signal(const Running& running, const agent::Ending& ending,
                   event::delivery::AgentFinished& fact);
  Result<void> settle_tree(const Running& running, event::delivery::AgentFinished& fact);
  void look_at(int agent);
  void end_agent(int agent);

  void merge(const std::string& task, const std::string& title);
  void try_merge(const std::string& task, const std::string& title, int tries);
  void verify(event::delivery::VerifyPurpose purpose, const delivery::State& state);
  void check(const std::string& commit, gate::BackgroundChecks::Done done);
  void refuse(const std::string& task, event::delivery::MergeRefusal why, std::string detail);

  void ask(int question, const delivery::State& state);
  void collect_answers();
  void listen_for_answers();
  void answered(int question, const std::string& text, const std::string& by);
  void read_terminal();

  std::string tree_of(const delivery::StartAgent& start) const;
  std::string history_of(int session) const;
  std::string uuid_of(int session) const;
  std::string verify_text() const;
  void add_conflicts(const std::string& tree, const std::vector<std::string>& files);
  bool failed_before(const std::vector<std::string>& failures) const;
  std::vector<std::string> unresolved(const std::string& task, const std::string& folder);
  void happened(engine::DeliveryFact fact) { inbox_.push_back(std::move(fact)); }

  const Project& project_;
  process::Loop& loop_;
  Interrupt& interrupt_;
  DeliveryOptions options_;
  agent::Crew crew_;
  gate::BackgroundChecks checks_;
  workspace::TaskTrees trees_;
  std::map<int, Running> running_;                          // by agent number
  std::map<int, std::vector<int>> sessions_;                // agents of a session, in order
  std::map<int, std::string> log_names_;                    // by agent number
  std::map<std::string, std::set<std::string>> conflicts_;  // of tasks, when main was brought in
  std::set<std::string> seen_trees_;                        // touched by this process
  std::set<std::string> baseline_;  // checks that failed at the start, and still do
  int remediation_round_ = 0;
  bool taken_up_ = false;
  std::vector<engine::DeliveryFact> inbox_;
  std::vector<std::string> done_with_;  // worktrees

  struct Open {
    std::string task;
    std::vector<std::string> options;
  };
  std::map<int, Open> open_questions_;
  File inotify_;
  std::optional<process::WatchId> inotify_watch_, terminal_watch_;
  std::string typed_;
};

}  // namespace capsule::world
