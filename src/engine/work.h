// The port to work that another machine may do: agents that a run wants, workers that carry them
// out, and what came of it. Only journals that machines share have one.
//
// An object belongs to one thread. Every call may be repeated: what was done already is done once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capsule::engine {

// An agent that a run wants somebody to carry out.
struct WorkOrder {
  std::string run;
  int agent = 0;
  std::vector<std::string> needs;  // labels, sorted
  std::string what;                // "developer of T-3", for people
  std::string spec;                // what the worker is to do; UTF-8 without NUL, holds no secret
};

struct WorkDone {
  int agent = 0;
  std::string worker;  // its name
  std::string result;  // as it was reported; empty: those who had it were lost, too often
};

// Who could do something with such needs, by those that were heard of lately.
struct Served {
  int workers = 0;
  int free = 0;  // slots that nobody has asked for yet
};

struct WorkClaim {
  std::int64_t token = 0;  // of this claim and no other
  std::string run;
  int agent = 0;
  std::string what, spec;
};

// How a worker stands after it was heard.
struct Attendance {
  int lease_milliseconds = 0;        // so long it may be silent
  std::vector<std::int64_t> tokens;  // of the claims that are still its own
};

// What somebody tells all others, as a hint: a knock may be lost, and means nothing but "look".
struct Knocks {
  bool work = false;   // there is more to do
  bool ended = false;  // somebody is wanted no more
  bool done = false;
};

class Work {
 public:
  virtual ~Work() = default;

  // Sleeps until one of those knocks came, `wake` is readable or the time is over. Returns those
  // that came.
  virtual Knocks wait(Knocks wanted, int wake, int milliseconds) = 0;

  // ---- For who carries a run on, and has claimed its subject.

  // Waits while the database is away. Error conflict: somebody else has the run by now.
  virtual Result<void> put(const WorkOrder& order) = 0;
  // Nobody is to do it any more; whoever is at it is told. 0: all of the run.
  virtual Result<void> drop(std::string_view run, int agent) = 0;
  // What there is of the run, until it is dropped.
  virtual Result<std::vector<WorkDone>> done(std::string_view run) = 0;
  virtual Result<Served> served(const std::vector<std::string>& needs) = 0;

  // ---- For a worker. None of these waits: error io, the database is away.

  // Returns its number, which nobody had before.
  virtual Result<std::int64_t> enlist(const std::string& name,
                                      const std::vector<std::string>& labels, int slots) = 0;
  // It lives; `leaving`: it takes nothing more. Error conflict: it was silent for a lease, and what
  // it had is somebody else's.
  virtual Result<Attendance> attend(std::int64_t worker, bool leaving) = 0;
  // The oldest that it can do, unless its slots are full.
  virtual Result<std::optional<WorkClaim>> take(std::int64_t worker) = 0;
  // False: the claim is over, and this counts for nothing.
  virtual Result<bool> report(std::int64_t worker, std::int64_t token,
                              const std::string& result) = 0;
  // It is not done; somebody else may.
  virtual Result<void> give_back(std::int64_t worker, std::int64_t token) = 0;
  // It is gone, and what it had is ready again.
  virtual Result<void> leave(std::int64_t worker) = 0;
};

enum class WorkerState {
  active,
  draining,  // it ends what it has, and takes nothing more
  gone,      // it left, or was silent for a lease
};
std::string_view name_of(WorkerState state);
std::optional<WorkerState> worker_state_named(std::string_view name);

// For people.
struct WorkerSeen {
  std::int64_t id = 0;
  std::string name;
  WorkerState state{};
  std::vector<std::string> labels;
  int slots = 0, busy = 0;
  int silent_seconds = 0;  // of served time
};
struct QueueSeen {
  std::vector<std::string> needs;
  int waiting = 0, claimed = 0;
  int workers = 0;  // that are active and can serve it
};
// A label may come from a command line, and stands in an array of the database.
bool valid_label(std::string_view label);

}  // namespace capsule::engine
