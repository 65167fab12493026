// What the pipeline runner needs from the outside world, as small interfaces. Adapters (git, agent,
// store, task) implement them; the simulator implements them too. The runner is single-threaded: it
// calls one port at a time and keeps references, so ports must outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "event/pipeline.h"
#include "workflow/pipeline/pipeline.h"

namespace capsule::engine {

using event::PipelineFact;
using pipeline::State;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::string utc_now() = 0;        // ISO 8601 with milliseconds and Z
  virtual std::int64_t monotonic_ms() = 0;  // for durations
};

// The journal as the runner sees it: the facts of one run.
class FactLog {
 public:
  virtual ~FactLog() = default;
  // Ensures: when it returns, the facts survive a power loss, all or none of them.
  virtual Result<void> append(const std::vector<PipelineFact>& facts) = 0;
  virtual Result<std::vector<PipelineFact>> read() = 0;
};

struct PhaseRequest {
  std::string run, bead;
  event::Phase phase{};
  int number = 0, attempt = 1;
  std::string worktree, feedback;
  std::string commit_message;  // for the merge phase
};

struct PhaseReport {
  signal::ContractSignal signal;  // the synthetic ERROR when there was none
  event::PhaseFault fault{};
  int exit_code = 0;
  std::string log;
};

// Runs one agent, in the worktree, to its end.
class PhaseRunner {
 public:
  virtual ~PhaseRunner() = default;
  // What a run with this runner would lack: the agent program, a prompt. Asked before anything is
  // made.
  virtual Result<void> preflight() = 0;
  virtual std::string provider_of(event::Phase phase) = 0;
  virtual std::string model_of(event::Phase phase) = 0;
  virtual Result<PhaseReport> run(const PhaseRequest& request) = 0;
};

struct MergePlan {
  std::string main_branch, main_before, commit;  // commit: made already, not yet on main
};
struct MainMoved {};  // by somebody else: plan again
using PublishAnswer = std::variant<event::MergeDone, event::MergeRefused, MainMoved>;
using MergeAnswer = std::variant<MergePlan, event::MergeDone, event::MergeRefused>;

// The worktree of one run and its way to main. Every call is safe to repeat: a run that was cut off
// between an effect and its record does the effect again.
class Workspace {
 public:
  virtual ~Workspace() = default;
  // Where the worktree will be and where it starts from. Refuses when one is there already.
  virtual Result<event::WorktreeIntended> plan_worktree(const State& state) = 0;
  virtual Result<void> make_worktree(const event::WorktreeIntended& intent) = 0;
  // Called before an agent starts, so that what it adds to the worklog can be told apart.
  virtual Result<void> before_phase(const State& state) = 0;
  // Gives a phase that left no entry in the worklog one that is made from its signal.
  virtual Result<void> note_in_worklog(const State& state) = 0;
  virtual Result<event::SnapshotTaken> snapshot(const std::string& run, const State& state) = 0;
  // Keeps what a phase that did not finish has left, as a snapshot of its own.
  virtual Result<void> keep_unfinished(const std::string& run, const State& state) = 0;
  // Before a cut-off phase starts again: keeps what it left, then puts the worktree back.
  virtual Result<void> rewind(const std::string& run, const State& state) = 0;
  // Why the work may not be merged, by what sign-off said in its signal and in the worklog.
  virtual Result<std::optional<event::MergeRefused>> sign_off_gate(const State& state) = 0;
  // The merge, made but not published; or that it is done; or why it may not be.
  virtual Result<MergeAnswer> plan_merge(const std::string& run, const State& state) = 0;
  // Moves main by compare-and-swap, or says why not; nothing is half done.
  virtual Result<PublishAnswer> publish_merge(const MergePlan& plan) = 0;
  virtual Result<std::string> archive(const std::string& run, const State& state) = 0;
  virtual Result<void> remove_worktree(const State& state) = 0;
};

// Looks at what a phase claimed. Called after its snapshot.
class Checks {
 public:
  virtual ~Checks() = default;
  virtual Result<event::PhaseChecked> check(const std::string& run, const State& state) = 0;
};

class BeadCloser {
 public:
  virtual ~BeadCloser() = default;
  virtual Result<void> close(const std::string& bead) = 0;
};

// Told of every fact once it is recorded. Draws; decides nothing.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_fact(const PipelineFact& fact, const State& after, const std::string& at) = 0;
};

// Asked at every border between two steps.
class StopRequests {
 public:
  virtual ~StopRequests() = default;
  virtual std::optional<event::Outcome> requested() = 0;  // interrupted, paused or aborted
};

// Told of every point between two effects, by name: a crash at any of them must do no harm, and
// tests kill the process there to show it.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void reached(std::string_view point) = 0;
};

struct Ports {
  Clock& clock;
  FactLog& log;
  PhaseRunner& phases;
  Workspace& workspace;
  Checks& checks;
  BeadCloser& beads;
  Listener& listener;
  StopRequests& stops;
  Probe* probe = nullptr;
};

}  // namespace capsule::engine
