// The facts of a pipeline run, and their wire form. A fact says what happened, in the past tense;
// it is appended to the journal before anything builds on it, and never edited. Pure values.
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

#include "base/result.h"
#include "signal/contract.h"

namespace capsule::event {

enum class Phase { test_writer, test_review, execute, execute_review, sign_off, merge };
inline constexpr int kPhaseCount = 6;

std::string_view name_of(Phase phase);  // "test-writer", …
std::optional<Phase> phase_named(std::string_view name);

// Why a finished phase has an ERROR that the agent did not write itself.
enum class PhaseFault {
  none,         // the signal is the agent's own
  no_signal,    // the output held no valid signal
  exit_status,  // a signal was printed, but the program ended with a failure
  timed_out,
  not_started,  // the program could not be run
  interrupted,  // a person ended it
  lost,         // its supervisor vanished
};

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
  prepared,  // `capsule prep` made the worktree; no phase was asked for
};
std::string_view name_of(Outcome outcome);

enum class MergeRefusal {
  no_sign_off,
  nothing_to_merge,
  conflict,
  foreign_commits,
  checkout_in_the_way,
  verify_failed,
  work_missing,  // of what was signed off
};

// One thing an agent said, or that must hold, and what Capsule found when it looked.
struct Claim {
  std::string what;     // "tests fail (RED)", "files_changed is true", …
  std::string verdict;  // "true", "false", "unchecked", "differs" (no harm done)
  std::string detail;
  bool operator==(const Claim&) const = default;
};

struct RunStarted {
  std::string bead, title, provider;
  int max_retries = 3;
  std::string convergence = "stop";
};
struct WorktreeIntended {
  std::string worktree, branch, base;
};
struct WorktreeReady {
  std::string worktree, branch, base;
};
struct PhaseStarted {
  Phase phase{};
  int number =
      0;  // counts the phases of the run; a phase that was cut off starts again under its number
  int attempt = 1;  // within its loop
  std::string feedback, provider, model;
  bool by_hand = false;
};
struct PhaseFinished {
  Phase phase{};
  int number = 0;
  int attempt = 1;
  signal::Status status{};
  std::string feedback, summary;
  std::vector<std::string> files_changed;
  std::string signal;  // the agent's own, compact JSON; the synthetic one when there was none
  PhaseFault fault{};
  int exit_code = 0;
  std::string log;
  std::int64_t duration_ms = 0;
};
struct SnapshotTaken {
  Phase phase{};
  int number = 0;
  std::string ref, commit, tree, head;  // head: where the worktree's branch stood
};
struct PhaseChecked {
  Phase phase{};
  int number = 0;
  bool passed = true;
  std::string feedback;  // for the next attempt, when not passed
  std::vector<Claim> claims;
};
struct MergeIntended {
  std::string main_branch, main_before;
};
struct MergeDone {
  std::string commit;
  bool adopted = false;  // found done when the run was taken up again
};
struct MergeRefused {
  MergeRefusal why{};
  std::string detail;
};
struct RunArchived {
  std::string folder;
};
struct WorktreeRemoved {};
struct BeadClosed {};
struct RunEnded {
  Outcome outcome{};
  std::string detail;
};
struct RunResumed {
  int max_retries = 3;
  bool at_merge = false;  // `capsule merge`: goes on with the merge, whatever was left unfinished
};

using PipelineFact =
    std::variant<RunStarted, WorktreeIntended, WorktreeReady, PhaseStarted, PhaseFinished,
                 SnapshotTaken, PhaseChecked, MergeIntended, MergeDone, MergeRefused, RunArchived,
                 WorktreeRemoved, BeadClosed, RunEnded, RunResumed>;

std::string_view kind_of(const PipelineFact& fact);  // "run_started", …
std::string body_of(const PipelineFact& fact);       // compact JSON
Result<PipelineFact> read_fact(std::string_view kind,
                               std::string_view body);  // damaged when it is not one

}  // namespace capsule::event
