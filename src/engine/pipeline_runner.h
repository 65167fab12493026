// Runs the pipeline workflow: replays the journal, asks the workflow what comes next, carries it
// out through the ports, and records what happened before it builds on it.
//
// Order of every effect: intent recorded, effect, outcome recorded. A crash between any two of
// these is mended by running again: open intents are compared with the world by the ports and
// adopted or redone.
#pragma once

#include "engine/ports.h"

namespace capsule::engine {

class PipelineRunner {
 public:
  using Apply = State (*)(State, const PipelineFact&);

  // `run` names the run in refs, trailers and the agents' environment. Ports must outlive the
  // runner. `apply` is the workflow; the simulation gives broken ones, to show that it notices.
  PipelineRunner(std::string run, Ports ports, Apply apply = pipeline::apply)
      : run_(std::move(run)), ports_(ports), apply_(apply) {}

  // What the journal says of the run so far.
  Result<State> replay();

  // Records the start of a new run. Requires: the log is empty.
  Result<void> start(const event::RunStarted& started);
  // Takes a worktree that exists already for that of the run, instead of preparing one.
  Result<void> adopt(const event::WorktreeReady& ready);
  // Reopens an ended run at its first unfinished step, or at its merge.
  Result<void> resume(const event::RunResumed& resumed);
  // Records that the run stops here, at a person's wish.
  Result<void> end(event::Outcome outcome, std::string detail);

  // Carries the run on until it ends, or until `last` is about to be done (for `capsule prep`).
  Result<State> carry_on(pipeline::Step last = pipeline::Step::ended);

  const State& state() const { return state_; }

 private:
  void reached(std::string_view what, std::string_view name);
  Result<void> record(const PipelineFact& fact);
  Result<void> do_step();
  Result<void> prepare();
  Result<void> run_phase();
  Result<void> integrate();

  std::string run_;
  Ports ports_;
  Apply apply_;
  State state_;
  bool journal_failed_ = false;
  bool check_cut_off_ = false;
};

}  // namespace capsule::engine
