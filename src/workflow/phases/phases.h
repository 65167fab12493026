// A run of phases, the pipeline or a user's own, as pure functions of what has happened: no clock,
// disk, process, environment or randomness. `apply` folds one fact into the state; `advance` turns
// observations into facts, and says what has to be done next. The same facts always give the same
// state, so a run can be replayed, simulated and taken up again.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "event/pipeline.h"
#include "workflow/ground.h"
#include "workflow/step.h"
#include "workflow/summary.h"

namespace capsule::phases {

using event::Definition;
using event::Outcome;
using event::PhaseRule;
using event::PipelineFact;
using signal::Status;

inline constexpr std::string_view kPipeline = "pipeline";

// The six phases of the pipeline; workflows/pipeline.yaml says the same.
const Definition& pipeline();

// What has to be done now.
enum class Step {
  start,            // nothing is recorded yet
  prepare,          // worktree and worklog
  run_phase,        // `phase` and those that run with it, `attempt`, with `feedback`
  snapshot,         // of what it left
  check,            // its claims
  approve,          // a person looks at it, or at what would be merged
  integrate,        // bring the work to main, or to its branch
  archive,          // worklog and logs
  remove_worktree,  // and its branch
  close_bead,
  end,    // record `outcome`
  ended,  // nothing
};

// Who runs a phase, for the record.
struct Agent {
  std::string provider, model;
  event::Session session{};  // as configured
};

// What is not recorded: what this process was told, and what it waits for.
struct Present {
  std::map<std::string, Agent> agents;  // by phase
  bool only_prepare = false;            // `capsule prep`: ends when the worktree is there
  bool bring_back = false;              // the worktree is gone: made anew before anything else
  bool taken_up = false;                // an earlier process may have left things half done
  std::set<int> held, unbegun;          // agents that waited then; see step.h
  bool waiting = false;                 // a command is being carried out
  bool attended = false;                // a person is there to be asked
  bool passed_gate = false;             // what the phase needs before it starts holds
  int merge_tries = 0;
  std::optional<workflow::Stop> stop;      // a person wants it to end
  bool cut = false;                        // it ended an agent: what that left is kept first
  bool undo = false;                       // an agent failed by our fault: what it left is put back
  std::optional<event::RunEnded> failure;  // ends the run once its agents have ended
  std::map<int, std::string> running;      // agents by number: their phase; empty: it is ended
                                           // before it began, and its end says nothing
};

struct State {
  std::string run;  // its id, from whoever makes the state: no fact holds it
  std::string at;   // of the facts that are folded now
  Step step = Step::start;
  Step after = Step::start;         // when ended: where a resumed run goes on
  std::string phase;                // the first of those that run together
  int attempt = 1;                  // within the loop that `phase` belongs to
  int max_retries = 3;              // attempts in all
  int number = 0;                   // of the newest phase
  std::map<std::string, int> open;  // phases that were started, and neither their end nor the run's
                                    // is recorded; with their number
  std::map<std::string, event::PhaseFinished> results;  // of the phases that run together
  int starts = 0;                        // of agents so far: each can begin a session of its own
  std::map<std::string, int> sessions;   // by phase: the start whose session it works in
  std::set<std::string> cut_short;       // phases whose newest agent failed by itself
  std::map<std::string, int> sent_back;  // how often a phase sent a writer back, since a person
                                         // last took the run up: what bounds loops within loops
  int faults = 0;                        // that a phase was repeated for, since the same
  std::string then;             // where `phase` leads when it passes, in place of what follows it
  bool signed_off = false;      // the newest sign-off passed
  bool asked_sign_off = false;  // a sign-off phase has ended at all
  std::string feedback;         // for the next writer
  Outcome outcome = Outcome::none;
  std::string detail;  // of the outcome, for people

  Definition definition;  // never without phases
  std::string bead, title, provider;
  event::Convergence convergence{};
  std::string on_branch;  // that it looks at
  std::string request;    // what the task asks for
  bool red_allowed = false;
  std::string worktree, branch, base;
  bool baselined = false;         // `baseline` is known, and allows to go on
  event::Baseline baseline{};     // what the checks say about `base`
  std::string baseline_detail;    // for people
  event::PhaseFinished last;      // the newest finished phase
  std::set<std::string> claimed;  // what writers say they changed
  std::string tests_commit;   // the snapshot of the newest tests: what nobody may touch afterwards
  std::string signed_commit;  // the snapshot that the newest sign-off passed on
  std::string previous_commit;    // the snapshot before the newest one
  std::string accepted_commit;    // the newest snapshot whose phase passed, and was believed
  bool by_hand = false;           // phases were run by hand: nobody kept what they left
  event::SnapshotTaken snapshot;  // the newest one
  bool merge_open = false;        // intended, and neither done nor refused
  bool closing = false;           // the bead is to be closed, or is
  bool merge_again = false;       // a person has a merge tried again that was refused
  std::string merge_commit;
  event::Integrate integrate = event::Integrate::merge;  // never unsaid
  event::MergeTried tried;                               // the newest trial
  bool approved = false;                                 // a person has approved the merge
  int questions = 0;                                     // asked so far
  int question = 0;                                      // open; 0: none
  std::string asked_at;                                  // UTC: when that was put
  event::Approval about{};                               // what Step::approve is about
  event::ApprovalAsked guard;                            // the newest question about guarded files
  std::vector<std::string> allowed;                      // guarded files that a person let pass
  bool guard_refused = false;                            // they did not, of this phase
  std::string guard_words;                               // what they said
  // As it was when a person answered last, until the run ends: what is gone back to when they take
  // that back.
  std::shared_ptr<const State> before_answer;
  // Where the run was when `capsule merge` was asked for, and goes on when there is no sign-off.
  struct BeforeMerge {
    Step step{};
    std::string phase;
    int attempt = 1;
    std::string then, feedback;
  };
  std::optional<BeforeMerge> before_merge;
  // The newest NEEDS_WORK of a review: who said it, its words, and the tree that it read.
  std::string reviewed_by, reviewed_feedback, reviewed_tree;
  bool repeated = false;  // it said the same about the same tree as the one before

  std::vector<workflow::AgentSummary> agents;  // all that were started
  std::vector<workflow::ClaimSummary> claims;
  // What the newest check found, for the worklog: an agent that comes later reads it there.
  std::optional<workflow::WorklogEntry> newest_check;
  event::TestEvidence evidence;  // the newest that tells of tests that pass
  std::int64_t checks_ms = 0;    // that the project's commands took
  workflow::GroundState ground;
  Present present;
};

// Ensures: a fact that does not fit the state leaves a state from which the run can still end.
void apply(State& state, const PipelineFact& fact);

struct Turn {
  std::vector<PipelineFact> facts;
  std::vector<workflow::Command> commands;
};
// `given`: what a person decided (a start, an adopted worktree, a resumption, an end). The
// simulation gives a broken `apply`, to show that it notices.
using Apply = void (*)(State&, const PipelineFact&);
Turn advance(State& state, std::vector<PipelineFact> given,
             const std::vector<workflow::Observation>& observations, const std::string& at,
             Apply apply = phases::apply);

workflow::RunSummary summary(const State& state);
// Whether a question was answered, and no agent was called since. `unbegun`: agents that were asked
// for, and never called.
bool is_unseen(const State& state, int question, const std::set<int>& unbegun);
// What a person is asked now. Requires: Step::approve.
workflow::Waiting waiting_of(const State& state);

// ---- What people and programs ask

const PhaseRule* find_phase(const Definition& definition, std::string_view name);
// A phase with those that run at the same time, itself among them.
std::vector<const PhaseRule*> group_of(const Definition& definition, std::string_view phase);
// Whether its NEEDS_WORK sends another phase back to work.
bool judges(const PhaseRule& phase);
// Whether the project's commands have a say in it, so that it matters what they say at the start.
bool needs_baseline(const Definition& definition);
// Where a run goes on by itself when its command is repeated: at its merge, with the work that is
// there.
bool merges_again(const State& state);
// How many attempts the loop has that a phase is in: by its own route, or that of the first judge
// that sends work back to it.
int attempts_of(const Definition& definition, std::string_view phase, int max_retries);
// The stages that people see: their number, and the one that the run is in, from 1.
int stages(const Definition& definition);
int stage_of(const State& state);

// 0 merged, or all phases passed · 1 the work is not good enough, or may not be merged · 2
// something failed.
int exit_code(Outcome outcome);

// For engine::WorkflowOf.
struct Rules {
  using State = phases::State;
  using Fact = PipelineFact;
  using Turn = phases::Turn;
  static void apply(State& state, const Fact& fact) { phases::apply(state, fact); }
  static Turn advance(State& state, std::vector<Fact> given,
                      const std::vector<workflow::Observation>& observations,
                      const std::string& at) {
    return phases::advance(state, std::move(given), observations, at);
  }
  static workflow::RunSummary summary(const State& state) { return phases::summary(state); }
  static std::string outcome(const State& state) {
    return state.step == Step::ended ? std::string(name_of(state.outcome)) : std::string();
  }
  static bool waits_for_person(const State& state) {
    return state.step == Step::approve && state.question != 0;
  }
  // A stop is recorded as an end; only one that nobody answered leaves it open.
  static bool stopped(const State& state) {
    return state.step == Step::approve && state.present.stop.has_value();
  }
  static std::string_view kind_of(const Fact& fact) { return event::kind_of(fact); }
  static std::string body_of(const Fact& fact) { return event::body_of(fact); }
  static Result<Fact> read_fact(std::string_view kind, std::string_view body) {
    return event::read_fact(kind, body);
  }
};

}  // namespace capsule::phases
