// The port to the journal, the one truth about runs, and the port to claims, which keep two
// Capsules off the same subject. Implementations belong to one thread; several processes may use
// the same journal at once.
//
// What every implementation keeps, and nobody may count on more: a run's facts have numbers that
// grow within the run, not without gaps and not over all runs; the texts of facts and heads are
// UTF-8 without NUL, which is all that src/event writes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/work.h"
#include "event/fact.h"

namespace capsule::engine {

struct NewRun {
  std::string run;       // valid_id() holds; never used before
  std::string workflow;  // "pipeline", …
  std::string subject;   // what it works on: a bead's id, a plan's path
  std::string started_at;
};

// What the journal knows of a run without reading its facts.
struct RunHead {
  std::string run;
  std::string workflow;
  std::string subject;
  std::string started_at;
  std::string ended_at;        // empty: not ended
  std::string outcome;         // empty: not ended; kPaused (run.h) without a time: nor then
  std::uint64_t facts = 0;     // how many
  std::uint64_t last_seq = 0;  // of its newest fact; 0: none
  std::string home = {};       // the machine and folder that have its worktrees; empty: these

  bool operator==(const RunHead&) const = default;
};

// A change of the head that is recorded together with facts.
struct Ending {
  std::string at;  // both empty: the run goes on after it had ended, or was paused
  std::string outcome;
};

class Journal {
 public:
  virtual ~Journal() = default;

  // Both record everything in one commit, all or nothing, and return the seq of the newest fact.
  // Ensures: when they return a value, it survives a power loss.
  // Error io leaves it open whether the facts are recorded: read before you append again.
  // Error blocked: another process held the journal for too long; nothing was recorded.

  // Error exists: there is a run of this name.
  virtual Result<std::uint64_t> begin(const NewRun& run, std::span<const event::NewFact> facts) = 0;

  // `after` is the seq of the run's newest fact as the caller knows it. Error conflict: somebody
  // else has appended to the run. Error not_found: no such run.
  virtual Result<std::uint64_t> append(std::string_view run, std::uint64_t after,
                                       std::span<const event::NewFact> facts,
                                       const std::optional<Ending>& ending = std::nullopt) = 0;

  // The facts of a run in their order, those after `after`. Never returns a fact that differs from
  // what was appended, nor leaves one out: error damaged instead.
  virtual Result<std::vector<event::Fact>> read(std::string_view run, std::uint64_t after = 0) = 0;

  virtual Result<RunHead> head(std::string_view run) = 0;  // not_found
  // All runs, oldest first; or those of one subject.
  virtual Result<std::vector<RunHead>> runs() = 0;
  virtual Result<std::vector<RunHead>> runs_of(std::string_view subject) = 0;
};

// Which process, so that no other one with the same pid is taken for it.
struct ProcessIdentity {
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  // as the kernel counts it, since boot
  std::string boot_id;
  std::string machine;  // as the system numbers it; may be empty
  std::string host;     // its name

  bool operator==(const ProcessIdentity&) const = default;
};

struct Holder {
  std::string subject;
  std::string run;
  ProcessIdentity process;
  std::string since;
};

// Held as long as the object lives; the end of the process, however it comes, gives it up too.
class Claim {
 public:
  virtual ~Claim() = default;
};

class Claims {
 public:
  virtual ~Claims() = default;

  // Error blocked: a living process has it; the message names its pid and host. A claim whose
  // process is dead is taken over, once whatever that process left running is gone too.
  virtual Result<std::unique_ptr<Claim>> claim(std::string_view subject, std::string_view run,
                                               std::string_view now) = 0;

  // Who holds it now; nullopt when nobody does or its process is dead. For showing: only claim()
  // decides.
  virtual Result<std::optional<Holder>> holder(std::string_view subject) = 0;
};

// Both of them, of one project.
class Records : public Journal, public Claims {
 public:
  // Whether what is recorded here is still what others read, and the claims are still ours. Asked
  // by begin() and append() themselves; ask it before what cannot be taken back. An error stays:
  // nothing can be recorded here any more.
  virtual Result<void> intact() = 0;

  // For the remote that the clones of a shared journal share: the epoch by which `run` may move
  // `branch` there, higher than any before. Given only to who has the newest claim on the run, so
  // that a process that was overtaken gets none, and whatever it had got before is too low.
  // Error refused: the journal is not shared, or the claim is somebody else's.
  virtual Result<std::int64_t> take_branch(std::string_view run, std::string_view branch) {
    (void)run, (void)branch;
    return fail(Reason::refused, "the journal is in this folder alone");
  }

  // Makes this the home of a run that nobody works on any more where it was: what it was held by
  // records nothing more in it. Waits, like claim(), for the end of a holder that is silent. Error
  // blocked: somebody does work on it; refused: the journal is not shared.
  virtual Result<void> bring_here(std::string_view run) {
    (void)run;
    return fail(Reason::refused, "the journal is in this folder alone");
  }

  // Reads and checks everything there is.
  virtual Result<void> verify() = 0;

  // Work that other machines may do, by a connection of its own, for any one thread; it fences by
  // the claims of these records, which must outlive it. Null: only this machine has the journal.
  virtual std::unique_ptr<Work> work() { return nullptr; }

  // The project whose journal it is, as an absolute path.
  virtual const std::string& project() const = 0;
};

}  // namespace capsule::engine
