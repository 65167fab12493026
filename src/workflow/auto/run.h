// A headless run of auto mode, as a pure function of what has happened: `apply` folds one fact into
// the state, whose `step` says what has to be done next. The same facts always give the same state,
// so a run can be replayed, simulated and taken up again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "event/auto.h"
#include "workflow/auto/state.h"

namespace capsule::auto_mode {

namespace fact = event::auto_run;
using fact::Outcome;
using fact::Why;

inline constexpr int kQaCycles = 2;      // how often an agent may mend what checks found
inline constexpr int kReviewRounds = 3;  // how often three reviewers look

enum class Step {
  start,         // nothing is recorded yet
  prepare,       // the worktree
  turn,          // an agent works: `phase`, `why`, `feedback`
  checks,        // the project's own commands
  review,        // three reviewers
  merge,         // the work to main
  remove_place,  // the worktree
  end,           // record `outcome`
  ended,         // nothing
};

struct Run {
  Step step = Step::start;
  Step after = Step::start;  // when ended: where a resumed run goes on
  Phase phase = Phase::expansion;
  Why why = Why::fresh;
  std::string feedback;    // for the next agent
  int number = 0;          // of the turn that runs, or ran last
  int attempt = 0;         // turns within the phase
  bool open = false;       // a turn was started, and its end is not recorded
  bool retried = false;    // the phase has had its second chance after PHASE_ERROR
  bool unchecked = false;  // something worked since the checks passed
  int qa_cycle = 0;
  std::string session;                 // of the agent's client
  bool session_alive = false;          // it can be gone on with
  int round = 0;                       // of review, since the run was last taken up
  std::vector<fact::Reviewed> rounds;  // all of them
  Outcome outcome = Outcome::none;
  std::string detail;
  std::string folder;  // where agents work
  std::string merged_as;
  fact::Started begun;
  fact::TurnFinished last;
  State file;  // what .caw/auto-state.json says
};

// Ensures: a fact that does not fit the state leaves a state from which the run can still end.
Run apply(Run run, const fact::Fact& fact);

// What the three reviewers raised, for the agent that mends it.
std::string issues_text(const fact::Reviewed& round);
bool all_approved(const fact::Reviewed& round);

// 0 complete · 1 not good enough, or a person is needed · 2 something failed.
int exit_code(Outcome outcome);

// The verdict of a reviewer's words: one line at column 0, `VERDICT: X`. None, or two that differ,
// approve nothing. Its issues are the list items above it.
struct Judgement {
  fact::Verdict verdict = fact::Verdict::needs_fix;
  std::vector<std::string> issues;
};
Judgement judgement_in(std::string_view text);

// The list below the last heading `## Learnings` in an agent's words; empty when there is none.
std::string learnings_in(std::string_view text);

}  // namespace capsule::auto_mode
