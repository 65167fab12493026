// The facts of a run of phases (the pipeline, or a user's own workflow), and their wire form. A
// fact says what happened, in the past tense; it is appended to the journal before anything builds
// on it, and never edited. Pure values.
//
// The wire form is a JSON object a fact; readers ignore members they do not know, so that facts may
// grow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/one_of.h"
#include "base/result.h"
#include "event/common.h"
#include "event/definition.h"
#include "signal/contract.h"

namespace capsule::event {

enum class Outcome {
  none,  // still running
  merged,
  retries_exhausted,  // the last review or sign-off still said NEEDS_WORK
  converged,          // two reviews in a row said the same about the same tree
  writer_needs_work,  // a writer said NEEDS_WORK: only reviews cause retries
  phase_error,        // a phase said ERROR, or failed
  merge_needs_work,   // the merge agent said NEEDS_WORK
  merge_refused,      // no sign-off, conflict, nothing to merge, …
  merge_error,
  prep_failed,
  interrupted,  // Ctrl-C or a terminating signal
  paused,
  aborted,
  prepared,   // `capsule prep` made the worktree; no phase was asked for
  on_branch,  // all phases passed; the work is on its branch
  finished,   // all phases passed; nothing was to be kept
  rejected,   // a person, or those who only look, did not approve
};
inline constexpr int kOutcomes = 17;
std::string_view name_of(Outcome outcome);

struct RunStarted {
  std::string bead, title, provider;
  int max_retries = 3;
  Convergence convergence{};
  Definition definition;     // without phases: the pipeline, as it is built in
  std::string branch;        // the one that it looks at, when the definition says so
  std::string request = {};  // the words of the task: what it asks for
  bool red_allowed = false;  // the project's checks may fail before anybody works
  Integrate integrate{};     // unsaid, in earlier versions: as the definition says
  bool operator==(const RunStarted&) const = default;
};
struct WorktreeIntended {
  std::string worktree, branch, base;
  bool operator==(const WorktreeIntended&) const = default;
};
struct WorktreeReady {
  std::string worktree, branch, base;
  bool operator==(const WorktreeReady&) const = default;
};
// What the project's own commands say before the first agent works.
struct BaselineChecked {
  Baseline state{};
  std::string commit;  // that they looked at
  std::string detail;  // for people: what is wrong, with the words of the command
  std::vector<CheckRun> runs;
  bool operator==(const BaselineChecked&) const = default;
};
struct PhaseStarted {
  std::string phase;
  int number =
      0;  // counts the phases of the run; a phase that was cut off starts again under its number
  int attempt = 1;  // within its loop
  std::string feedback, provider, model;
  bool by_hand = false;
  int session = 0;  // the start whose session it works in, counted over the run; 0: in none
  bool operator==(const PhaseStarted&) const = default;
};
// What follows when a phase with a route for ERROR failed by itself: its program, or an answer
// without a signal. That is no attempt.
enum class AfterFault {
  unsaid,  // it did not, or has no such route; in journals before version 5 the route is taken
  again,   // the phase, as the same attempt
  end,     // that was too often: the run ends
};
inline constexpr int kAfterFaults = 3;

struct PhaseFinished {
  std::string phase;
  int number = 0;
  int attempt = 1;
  signal::Status status{};
  std::string feedback, summary;
  std::vector<std::string> files_changed;
  std::string signal;  // the agent's own, compact JSON; the synthetic one when there was none
  Fault fault{};
  int exit_code = 0;
  std::string log;
  std::int64_t duration_ms = 0;
  std::vector<std::string> took_back;  // what it changed although it may only look
  signal::Miss miss{};                 // of no_signal: why what it printed does not count
  AfterFault after_fault{};
  bool operator==(const PhaseFinished&) const = default;
};
struct SnapshotTaken {
  std::string phase;
  int number = 0;
  std::string ref, commit, tree, head;  // head: where the worktree's branch stood
  bool operator==(const SnapshotTaken&) const = default;
};
struct PhaseChecked {
  std::string phase;
  int number = 0;
  bool passed = true;
  std::string feedback;  // for the next attempt, when not passed
  std::vector<Claim> claims;
  std::vector<CheckRun> runs = {};        // the commands behind them
  std::vector<std::string> guarded = {};  // files that say what checks do, changed unasked
  bool operator==(const PhaseChecked&) const = default;
};
struct MergeIntended {
  std::string main_branch, main_before;
  bool operator==(const MergeIntended&) const = default;
};
struct MergeDone {
  std::string commit;
  bool adopted = false;             // found done when the run was taken up again
  std::string onto = {};            // the main that it was tested on
  std::vector<CheckRun> runs = {};  // what the merged files were checked by
  TestEvidence evidence = {};       // of these
  bool operator==(const MergeDone&) const = default;
};
struct MergeRefused {
  MergeRefusal why{};
  std::string detail;
  std::string main = {};  // main_red: the commit that main was at
  bool operator==(const MergeRefused&) const = default;
};
// The work was merged and tested as a trial: main is where it was, and a person is asked.
struct MergeTried {
  std::string onto;                // the main that it was tried on
  std::vector<std::string> files;  // that it changes, the first of them
  int changed = 0;                 // how many these are in all
  std::vector<CheckRun> runs;      // what the merged files were checked by
  bool operator==(const MergeTried&) const = default;
};
// A person wants another end of the run than it began with.
struct IntegrationChosen {
  Integrate integrate{};
  bool operator==(const IntegrationChosen&) const = default;
};
// A person is asked whether what a phase left is as it should be.
struct ApprovalAsked {
  std::string phase;
  int number = 0;    // of the phase
  int question = 0;  // counts from 1
  Approval about{};
  std::vector<std::string> files = {};  // guard: that were changed
  std::string detail = {};              // guard: by how many lines
  bool operator==(const ApprovalAsked&) const = default;
};
struct ApprovalGiven {
  int question = 0;
  bool approved = false;
  std::string text, by;  // not approved: what to do otherwise; empty: nothing, it ends
  bool operator==(const ApprovalGiven&) const = default;
};
// Nobody was told what they said: they are asked again.
struct AnswerTakenBack {
  int question = 0;
  bool operator==(const AnswerTakenBack&) const = default;
};
struct RunArchived {
  std::string folder;
  bool operator==(const RunArchived&) const = default;
};
struct WorktreeRemoved {
  bool operator==(const WorktreeRemoved&) const = default;
};
struct BeadClosing {  // intended: whoever takes the run up closes it again, which changes nothing
  bool operator==(const BeadClosing&) const = default;
};
struct BeadClosed {
  bool operator==(const BeadClosed&) const = default;
};
struct RunEnded {
  Outcome outcome{};
  std::string detail;
  bool operator==(const RunEnded&) const = default;
};
struct RunResumed {
  int max_retries = 3;
  bool at_merge = false;  // `capsule merge`: goes on with the merge, whatever was left unfinished
  bool operator==(const RunResumed&) const = default;
};

struct PipelineFact
    : std::variant<RunStarted, WorktreeIntended, WorktreeReady, PhaseStarted, PhaseFinished,
                   SnapshotTaken, PhaseChecked, MergeIntended, MergeDone, MergeRefused, RunArchived,
                   WorktreeRemoved, BeadClosed, RunEnded, RunResumed, ApprovalAsked, ApprovalGiven,
                   BaselineChecked, GroundMoved, MergeTried, IntegrationChosen, AnswerTakenBack,
                   BeadClosing> {
  CAPSULE_COMPILED_ONCE(PipelineFact);
};

std::string_view kind_of(const PipelineFact& fact);  // "run_started", …
std::string body_of(const PipelineFact& fact);       // compact JSON
Result<PipelineFact> read_fact(std::string_view kind,
                               std::string_view body);  // damaged when it is not one

}  // namespace capsule::event
