// Turns observations into facts and the state into the next commands; advance() is made of it.
// Internal to this folder.
#pragma once

#include <string>
#include <utility>

#include "workflow/phases/phases.h"

namespace capsule::phases {

// Check::number of the look at what the work begins with; phases count from 1.
inline constexpr int kBaselineCheck = -1;

Outcome outcome_of(workflow::Stop stop);

class Decider {
 public:
  Decider(State& s, Turn& turn, Apply apply) : s_(s), turn_(turn), apply_(apply) {}

  void record(PipelineFact fact) {
    apply_(s_, fact);
    turn_.facts.push_back(std::move(fact));
  }

  // What happened: observe.cpp.
  void operator()(const workflow::TakenUp& f);
  void operator()(const workflow::StopAsked& f);
  void operator()(const workflow::TreePlanned& f);
  void operator()(const workflow::TreeOpened& f);
  void operator()(const workflow::AgentFinished& f);
  void operator()(const workflow::AgentIdle&) {}
  void operator()(const workflow::AgentWaits&) {}
  void operator()(const workflow::Kept& f);
  void operator()(const workflow::TakenBack&);
  void operator()(const workflow::Checked& f);
  void operator()(const workflow::Answered& f);
  void operator()(const workflow::Merged& f);
  void operator()(const workflow::MergeTried& f);
  void operator()(const workflow::MergeRefused& f);
  void operator()(const workflow::MainMoved&);
  void operator()(const workflow::TreeArchived& f);
  void operator()(const workflow::TreeRemoved&);
  void operator()(const workflow::TaskClosed&);
  void operator()(const workflow::TimerFired&) {}
  void operator()(const workflow::TakeBackAsked& f);
  void operator()(const workflow::SupplyNews&) {}
  void operator()(const event::GroundMoved& f);
  void operator()(const workflow::CommandFailed& f);

  // What has to be done now.
  void decide();

 private:
  Present& now() { return s_.present; }
  bool person_there() const { return s_.present.attended || s_.integrate == event::Integrate::ask; }
  // The command of this step was carried out.
  bool answered(Step step) {
    now().waiting = false;
    return s_.step == step;
  }
  void ask(workflow::Command command) {
    now().waiting = true;
    turn_.commands.push_back(std::move(command));
  }
  const PhaseRule& rule() const { return *group_of(s_.definition, s_.phase).front(); }
  int number_of_phase() const;
  // Those that run at once share a worktree: nobody knows which of them it was.
  std::string who_ran() const;
  workflow::TakeBack take_back();
  void do_step();
  void run_phase();
  // Before anybody is paid. Phases that were run without it, by hand or by an earlier version, show
  // that somebody thought it worth while.
  bool wants_baseline() const;
  void check_baseline();
  // A writer that is sent back goes on in its own session, and so does whoever failed by itself.
  // Reviewers look anew each time, and one that was cut off begins on what it started from.
  bool resumes(const PhaseRule& phase, const Agent& agent) const;
  std::string follow_up(const PhaseRule& phase) const;
  void start(const PhaseRule& phase);
  void keep();
  void archive();
  void check();
  void approve();
  // Main was moved while agents ran: a person looks before anything is put on it.
  bool main_doubted();
  std::string request() const;
  void merge();

  State& s_;
  Turn& turn_;
  Apply apply_;
};

}  // namespace capsule::phases
