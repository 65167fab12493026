// The state of a headless run of auto mode: `apply` folds one fact into it, and `step` says what
// has to be done next; workflow.h does it. The same facts always give the same state, so a run can
// be replayed, simulated and taken up again. Pure; owns its texts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "event/auto.h"
#include "event/definition.h"
#include "workflow/auto/state.h"
#include "workflow/ground.h"
#include "workflow/step.h"
#include "workflow/summary.h"

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
  merge,         // the work to main, to its branch, or as a trial
  approve,       // a person looks at what would be merged
  remove_place,  // the worktree
  end,           // record `outcome`
  ended,         // nothing
};

// What this process is about: never recorded, and empty after a replay.
struct UnderWay {
  enum class What {
    nothing,
    baseline,
    opening,
    putting_back,  // what was cut off left
    turn,
    checks,
    review,
    after_review,  // what reviewers changed is taken back
    merge,
    removing,
    asking,
    regretting,  // the answer is taken back: who has not begun is being ended
    keeping,     // what a person did, before the run goes on
  };
  struct Seat {
    int agent = 0;
    int calls = 0;
    bool running = false, ended = false;
    fact::ReviewVerdict verdict;
  };
  What what = What::nothing;
  bool put_back = false;               // the open step can be done again
  int tries = 0;                       // to merge
  std::vector<Seat> seats;             // the three reviewers
  std::string failure;                 // of a reviewer that cannot be had
  bool interrupted = false;            // a reviewer was ended by a person
  std::optional<workflow::Stop> stop;  // a person asked for it
  std::set<int> held, unbegun;         // agents that waited when the run was left; see step.h
};

struct Run {
  bool attended = false;  // a person is there to be asked; of this process
  // Who works in a phase as the configuration has it; of this process, too.
  struct Worker {
    std::string provider, model;
    event::Session session{};  // fresh: each of its turns begins anew
  };
  std::map<std::string, Worker> workers;
  std::string id;  // of the run, for the sessions of agents; given by who makes it, in no fact
  UnderWay under_way;

  Step step = Step::start;
  Step after = Step::start;  // when ended: where a resumed run goes on
  // A step whose start is recorded, and whose end is not. After the end of a run only a turn stays
  // open: what it left is taken back when the run goes on.
  std::optional<Step> open;
  Phase phase = Phase::expansion;
  Why why = Why::fresh;
  std::string feedback;     // for the next agent
  int number = 0;           // of the agent that was started last
  int turns = 0;            // how often one was started, cut off or not
  int attempt = 0;          // turns within the phase
  std::int64_t failed = 0;  // turns within the phase whose program failed
  bool retried = false;     // the phase has had its second chance after PHASE_ERROR
  bool unchecked = false;   // something worked since the checks passed
  bool baselined = false;   // what main is can be worked on
  event::Baseline baseline{};
  std::string baseline_detail;
  int qa_cycle = 0;
  std::string session;                 // of the agent's client
  bool session_alive = false;          // it can be gone on with
  bool resumes = false;                // the newest turn goes on with one of before
  int round = 0;                       // of review, since the run was last taken up
  std::vector<fact::Reviewed> rounds;  // all of them
  std::string learnings;               // of reflect
  Outcome outcome = Outcome::none;
  std::string detail;
  std::string folder, branch;                            // where agents work
  std::string merged_as;                                 // on main, or on its branch
  event::Integrate integrate = event::Integrate::merge;  // never unsaid
  fact::MergeTried tried;                                // the newest trial
  bool approved = false;                                 // a person has approved the merge
  bool edited = false;               // a person was asked: they may have changed files
  int questions = 0;                 // asked so far
  fact::ApprovalAsked asked;         // the newest; its question is 0: not open
  std::vector<std::string> allowed;  // guarded files that a person let pass
  // As it was when a person answered last, until the run ends: what is gone back to when they take
  // that back.
  std::shared_ptr<const Run> before_answer;
  fact::Started begun;
  fact::TurnFinished last;
  std::vector<workflow::AgentSummary> agents;
  std::vector<workflow::ClaimSummary> claims;
  event::TestEvidence evidence;  // of the newest checks that passed
  workflow::GroundState ground;
  workflow::Usage usage;
  State file;  // what .caw/auto-state.json says
};

// Ensures: a fact that does not fit the state leaves a state from which the run can still end.
void apply(Run& run, const fact::Fact& fact);

// What the three reviewers raised, for the agent that mends it.
std::string issues_text(const fact::Reviewed& round);
bool all_approved(const fact::Reviewed& round);

// 0 complete · 1 not good enough, or a person is needed · 2 something failed.
int exit_code(Outcome outcome);

// The verdict of a reviewer's words: one line at column 0, `VERDICT: X`. None, or two that differ,
// are a miss, which judges nothing. Its issues are the list items above it.
struct Judgement {
  fact::Verdict verdict = fact::Verdict::needs_fix;
  std::vector<std::string> issues;
  signal::Miss miss{};
};
Judgement judgement_in(std::string_view text);

// The list below the last heading `## Learnings` in an agent's words; empty when there is none.
std::string learnings_in(std::string_view text);

}  // namespace capsule::auto_mode
