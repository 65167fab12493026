// What workflow.cpp and review.cpp share, for them alone.
#pragma once

#include "workflow/auto/workflow.h"

namespace capsule::auto_mode {

inline constexpr const char* kDoctor = "capsule doctor says what is missing";

// One call of advance().
class Advance {
 public:
  Advance(Run& run, const std::string& at, Rules::Apply apply)
      : run_(run), now_(run.under_way), at_(at), apply_(apply) {}

  void given(fact::Fact fact);
  void on(const workflow::TreeOpened& opened);
  void on(const workflow::AgentFinished& ended);
  void on(const workflow::Checked& checked);
  void on(const workflow::TakenBack& taken);
  void on(const workflow::Kept& kept);
  void on(const workflow::Merged& merged);
  void on(const workflow::MergeRefused& refused);
  void on(const workflow::MainMoved& moved);
  void on(const workflow::MergeTried& tried);
  void on(const workflow::Answered& answered);
  void on(const workflow::TakeBackAsked& asked);
  void on(const workflow::TreeRemoved& removed);
  void on(const workflow::StopAsked& asked);
  void on(const workflow::TakenUp& taken_up);
  void on(const workflow::GroundMoved& moved);
  void on(const workflow::CommandFailed& failed);
  // They answer nothing of ours.
  template <class Other>
  void on(const Other&) {}
  // What comes next, unless something is under way.
  void proceed();

  Rules::Turn turn;

 private:
  using What = UnderWay::What;

  std::string tree() const { return std::string(run_.begun.in_place ? kCheckout : kTree); }

  void record(fact::Fact fact) {
    std::visit([this](auto& typed) { typed.at = at_; }, fact);
    apply_(run_, fact);
    turn.facts.push_back(std::move(fact));
  }
  void command(workflow::Command command) { turn.commands.push_back(std::move(command)); }
  // Whether this was under way; it no longer is.
  bool done(What what) {
    if (now_.what != what) return false;
    now_.what = What::nothing;
    return true;
  }
  void end(Outcome outcome, std::string detail) {
    record(fact::Ended{outcome, std::move(detail), ""});
  }
  // The same, for a cause that says nothing against what a person may have approved.
  void end_all_the_same(Outcome outcome, std::string detail) {
    record(fact::Ended{outcome, std::move(detail), "", run_.approved});
  }
  void end_by_person();
  // A pause lets agents finish.
  bool ends_agents() const { return now_.stop && *now_.stop != workflow::Stop::paused; }
  bool by_person(event::Fault fault) const {
    return fault == event::Fault::interrupted || (ends_agents() && fault != event::Fault::none);
  }

  workflow::StartAgent agent_for(int number, std::string role, int attempt,
                                 std::string_view reviewer) const;
  bool waited() const;
  const Run::Worker& worker() const;  // of the phase
  void start_turn();
  void turn_ended(const workflow::AgentFinished& ended);
  void start_review();
  void start_reviewers();
  void reviewer_ended(const workflow::AgentFinished& ended);
  void reviewer_failed(int agent, const workflow::CommandFailed& failed);
  void close_review();
  void reviewed(const std::vector<std::string>& changed);
  void merge();
  void approve();

  Run& run_;
  UnderWay& now_;
  const std::string& at_;
  Rules::Apply apply_;
};

}  // namespace capsule::auto_mode
