// The pipeline workflow, as a pure function of what has happened: no clock, disk, process,
// environment or randomness. `apply` folds one fact into the state; `next` says what has to be done
// in a state. The same facts always give the same state, so a run can be replayed, simulated and
// taken up again.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "event/pipeline.h"

namespace capsule::pipeline {

using event::Outcome;
using event::Phase;
using event::PipelineFact;
using signal::Status;

// What has to be done now.
enum class Step {
  start,            // nothing is recorded yet
  prepare,          // worktree and worklog
  run_phase,        // `phase`, `attempt`, with `feedback`
  snapshot,         // of what the phase left
  check,            // the claims of the phase
  integrate,        // bring the work to main
  archive,          // worklog and logs
  remove_worktree,  // and its branch
  close_bead,
  end,    // record `outcome`
  ended,  // nothing
};

struct State {
  Step step = Step::start;
  Step after = Step::start;  // when ended: where a resumed run goes on
  Phase phase = Phase::test_writer;
  int attempt = 1;          // within the loop that `phase` belongs to
  int max_retries = 3;      // attempts in all
  int number = 0;           // of the phase that runs, or ran last
  bool open = false;        // a phase was started, and neither its end nor the run's is recorded
  bool mending = false;     // `execute` runs for sign-off, not for its review
  bool signed_off = false;  // the newest sign-off passed
  bool asked_sign_off = false;  // a sign-off phase has ended at all
  std::string feedback;         // for the next writer
  Outcome outcome = Outcome::none;
  std::string detail;  // of the outcome, for people

  std::string bead, title, provider, convergence;
  std::string worktree, branch, base;
  event::PhaseFinished last;      // the newest finished phase
  std::set<std::string> claimed;  // what writers say they changed
  std::string tests_commit;   // the snapshot of the newest test-writer: what execute must not touch
  std::string signed_commit;  // the snapshot that the newest sign-off passed on
  std::string previous_commit;        // the snapshot before the newest one
  event::SnapshotTaken snapshot;      // the newest one
  event::MergeIntended merge_intent;  // empty main_before: none is open
  std::string merge_commit;
  // Where the run was when `capsule merge` was asked for, and goes on when there is no sign-off.
  struct Place {
    Step step{};
    Phase phase{};
    int attempt = 1;
    bool mending = false;
    std::string feedback;
  };
  std::optional<Place> before_merge;
  // The newest NEEDS_WORK of a review: who said it, its words, and the tree that it read.
  Phase reviewed_by = Phase::merge;
  std::string reviewed_feedback, reviewed_tree;
  bool repeated = false;  // it said the same about the same tree as the one before
};

// Ensures: a fact that does not fit the state leaves a state from which the run can still end.
State apply(State state, const PipelineFact& fact);

// The stage of the five that people see, 1 to 5.
int stage_of(const State& state);
int stage_of(Phase phase);
bool is_review(Phase phase);

// 0 merged · 1 the work is not good enough, or may not be merged · 2 something failed.
int exit_code(Outcome outcome);

}  // namespace capsule::pipeline
