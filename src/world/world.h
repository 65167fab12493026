// The real world of any run: agents are process trees in git worktrees, merges go through git and
// the project's checks, people answer through files or the terminal. Nothing here decides; what
// happened is handed to the runner as observations.
//
// Single-threaded, on the thread of the Loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/tracker.h"
#include "engine/world.h"
#include "gate/checks.h"
#include "gate/gates.h"
#include "gate/seen.h"
#include "gate/setup.h"
#include "workspace/merge.h"
#include "workspace/trees.h"
#include "world/agents.h"
#include "world/elsewhere.h"
#include "world/ground.h"
#include "world/interrupt.h"
#include "world/parkings.h"
#include "world/people.h"
#include "world/project.h"
#include "world/readiness.h"
#include "world/run_requests.h"
#include "world/run_walls.h"
#include "world/space.h"

namespace capsule::world {

struct WorldSettings {
  std::string run;
  workspace::TreeSettings trees;
  std::string log_folder;  // of agents; empty: .capsule/output in their tree
  PeopleParts people;      // project and run are filled in
  // Whether the journal and the claim are still ours; see engine::Records.
  std::function<Result<void>()> intact = [] { return Result<void>{}; };
  // Main is that of a remote which many clones share; null: this repository's own.
  std::shared_ptr<workspace::SharedMain> shared_main = {};
  // What other runs of the project have spent that day; left out: nobody wants to know.
  std::function<std::int64_t(const std::string& day)> spent_elsewhere = {};
  // When an earlier process of the run recorded something last, in seconds since 1970; 0: never.
  std::int64_t heard = 0;
  // Connections to the work that machines share; see ElsewhereParts.
  std::function<std::unique_ptr<engine::Work>()> work = {};
  engine::Tracker* tracker = nullptr;  // for tasks that are closed; null: there are none
  // A set-up that fails in one tree, after it was well elsewhere, stops only who wanted to work
  // there, and not the run.
  bool trees_fail_alone = false;
};

class RealWorld : public engine::World, private AgentEvents {
 public:
  // Everything must outlive it.
  RealWorld(const Project& project, process::Loop& loop, Interrupt& interrupt,
            WorldSettings settings);
  ~RealWorld() override;

  // Whether the agent program and the prompt of such an agent are there, and the programs of who
  // may take over. Asked before anything is made.
  Result<void> preflight(const workflow::StartAgent& agent,
                         const std::vector<config::Fallback>& fallbacks = {});

  void carry_out(const workflow::Command& command) override;
  Result<std::vector<workflow::Observation>> wait() override;
  std::vector<workflow::Observation> standing() override;
  Result<void> intact() override;
  bool attended() override;
  // What wait() or standing() handed over last is recorded: the files that asked for it go. wait()
  // does so itself; for whoever calls it no more, or nobody would know that it was decided.
  void forget_recorded() { requests_.forget_recorded(); }

  // Calls of an earlier process that nobody recorded; standing() tells of them.
  void recall(std::vector<workflow::CutOff> cut_off) { cut_off_ = std::move(cut_off); }

  // For another machine's run; see RunWalls.
  Result<void> hold_to(const std::string& tree, const event::work::Walls& asked) {
    return walls_.hold_to(trees_.path_of(tree), asked);
  }

  Agents& agents() { return agents_; }
  workspace::Trees& trees() { return trees_; }
  // For live views: what agents print, as it comes.
  std::function<void(int agent, std::string_view bytes)> output = [](int, std::string_view) {};
  // The walls that one of them has; the run is told, too.
  std::function<void(int agent, const event::Contained&)> contained = [](int, const auto&) {};
  // What they do now, where their clients tell.
  std::function<void(const workflow::StartAgent& start, const dialect::Activity&)> activity =
      [](const auto&, const auto&) {};
  // The same for the project's own commands, as they begin and end.
  std::function<void(const workflow::CheckProgress&)> progress = [](const auto&) {};
  // Excluded files that merges left out.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void on_finished(const workflow::StartAgent& start, workflow::AgentFinished finished) override;
  void on_failed(const workflow::StartAgent& start, const Error& error) override;
  void on_idle(int agent) override { happened(workflow::AgentIdle{agent}); }
  void on_still(int agent, bool still) override {
    happened(workflow::SupplyNews{workflow::AgentStands{agent, still}});
  }
  void on_contained(const workflow::StartAgent& start, const contain::Report& report) override {
    walls_.contained(name_of(report.role), report);
    contained(start.agent, contained_of(name_of(report.role), report));
  }
  void on_refused(const workflow::StartAgent& start, const contain::Refusals& refused) override {
    walls_.refused(start, refused);
  }
  void on_output(int agent, std::string_view bytes) override { output(agent, bytes); }
  void on_activity(const workflow::StartAgent& start, const dialect::Activity& now) override {
    activity(start, now);
  }
  void on_steered(int agent, const std::string& message, bool delivered) override {
    happened(workflow::SupplyNews{workflow::Steered{agent, message, delivered}});
  }
  void on_spending(int agent, const event::TokenUse& use, const std::string& model) override {
    happened(workflow::SupplyNews{workflow::AgentSpends{agent, use, model}});
  }

  void happened(workflow::Observation observation) { inbox_.push_back(std::move(observation)); }
  void failed(const workflow::Command& command, const Error& error);
  template <class T>
  void answer(const workflow::Command& command, Result<T> result);
  Result<void> start(const workflow::StartAgent& start);
  Result<void> start_agent(const workflow::StartAgent& start, const AgentPlace& place);
  Result<void> start_elsewhere(const workflow::StartAgent& start, const AgentPlace& place);
  void finished_elsewhere(const workflow::StartAgent& start, workflow::AgentFinished finished);
  void start_ready(const workflow::StartAgent& start, const AgentPlace& place,
                   const Result<void>& ready);
  Result<void> close(const workflow::CloseTask& command);
  // A check of a worktree as it is, for a workflow that names no snapshots, is held against where
  // the tree began.
  Result<workflow::Check> with_base(workflow::Check check);
  // What changed around the run. Returns whether that stops merging.
  bool tell_of(std::vector<workflow::GroundMoved> all);
  Result<void> pin(const workflow::StartAgent& start, std::vector<int> agents);
  void carry_out(const workflow::SupplyOrder& order);
  void do_now(const workflow::Command& command);
  void do_what_waits_for_room();
  workflow::SupplyNews spent() const;
  void look_for_stop();
  void look_for_requests();
  void look_for_tree(const std::string& tree);

  const Project& project_;
  process::Loop& loop_;
  Interrupt& interrupt_;
  const WorldSettings settings_;
  workspace::Trees trees_;
  GroundWatch ground_;
  RunWalls walls_;
  gate::Watch watch_;
  gate::Setup setup_;
  gate::Checks checks_;
  gate::Seen seen_;
  gate::Gates gates_;
  workspace::Merges merges_;
  RunRequests requests_;
  ParkingWatch parkings_;
  SpaceWatch space_;
  std::vector<workflow::Command> for_room_;  // what is carried out when the disk has room again
  bool stopping_ = false;                    // a stop was asked for: nothing waits for room
  std::vector<workflow::Observation> inbox_;
  std::vector<workflow::CutOff> cut_off_;
  std::vector<std::string> left_out_;
  std::string vanished_;          // a tree that is needed and gone
  std::map<int, bool> waiting_;   // agents whose tree is being set up; true: they were ended
  std::optional<Error> unready_;  // the set-up of a new tree failed
  bool set_up_once_ = false;      // it was well somewhere, in this process or before
  People people_;
  Readiness readiness_;
  // Sessions in which somebody spoke on another machine, and those that were begun on this one.
  std::set<std::string> sessions_elsewhere_, sessions_here_;
  Agents agents_;        // last: gone before what their events touch
  Elsewhere elsewhere_;  // the same
};

}  // namespace capsule::world
