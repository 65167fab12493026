// Runs auto mode headless: replays the journal, asks the workflow what comes next, carries it out
// through the ports, and records what happened before it builds on it. A run that was cut off goes
// on when it is started again: an open turn is taken back and done anew.
#pragma once

#include "engine/auto_ports.h"

namespace capsule::engine {

class AutoRunner {
 public:
  using Apply = auto_mode::Run (*)(auto_mode::Run, const auto_fact::Fact&);

  // Ports must outlive the runner. `apply` is the workflow; the simulation gives broken ones, to
  // show that it notices.
  AutoRunner(std::string run, AutoPorts ports, Apply apply = auto_mode::apply)
      : run_(std::move(run)), ports_(ports), apply_(apply) {}

  Result<void> replay();
  // Requires: the log is empty.
  Result<void> start(auto_fact::Started started);
  // What the place holds now counts from here on. Requires: it has ended.
  Result<void> resume();
  Result<void> end(auto_mode::Outcome outcome, std::string detail);

  // Carries the run on until it ends.
  Result<auto_mode::Run> carry_on();

  const auto_mode::Run& state() const { return state_; }

 private:
  void reached(std::string_view what, std::string_view name);
  Result<void> record(auto_fact::Fact fact);
  Result<void> do_step();
  Result<void> turn();
  Result<void> review();
  Result<void> merge();
  TurnRequest request() const;
  std::string now() { return ports_.clock.utc_now(); }

  std::string run_;
  AutoPorts ports_;
  Apply apply_;
  auto_mode::Run state_;
  bool journal_failed_ = false;
};

}  // namespace capsule::engine
