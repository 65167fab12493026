// What the runner of auto mode needs from the outside world, as small interfaces. The runner is
// single-threaded: it calls one port at a time and keeps references, so ports must outlive it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/ports.h"
#include "event/auto.h"
#include "workflow/auto/run.h"

namespace capsule::engine {

namespace auto_fact = event::auto_run;

// The facts of one run.
class AutoLog {
 public:
  virtual ~AutoLog() = default;
  // Ensures: when it returns, the fact survives a power loss.
  virtual Result<void> append(const auto_fact::Fact& fact) = 0;
  virtual Result<std::vector<auto_fact::Fact>> read() = 0;
};

struct TurnRequest {
  std::string run, folder;
  auto_fact::TurnStarted turn;
  bool with_prompt = true;  // the phase's own prompt; false: the session knows it
  const auto_mode::Run* state = nullptr;
};

struct TurnReport {
  std::vector<std::string> signals;
  std::string error;
  bool recoverable = false;
  auto_fact::Fault fault{};
  int exit_code = 0;
  std::string log;
  std::string learnings;  // of reflect
};

class AutoAgents {
 public:
  virtual ~AutoAgents() = default;
  virtual Result<void> preflight() = 0;
  // An id for a new session of the agent's client; empty when it has none.
  virtual std::string new_session() = 0;
  virtual Result<TurnReport> turn(const TurnRequest& request) = 0;
  // The three reviewers, at once unless the run says otherwise. Fault interrupted: a person stopped
  // them.
  struct Reviews {
    std::vector<auto_fact::ReviewVerdict> verdicts;
    bool interrupted = false;
  };
  virtual Result<Reviews> review(const TurnRequest& request) = 0;
};

// The project's own commands. Empty text: all is well.
class AutoChecks {
 public:
  virtual ~AutoChecks() = default;
  virtual Result<std::string> run(const std::string& folder) = 0;
};

struct AutoMergeRefused {
  std::string detail;
};
using AutoMergeAnswer = std::variant<auto_fact::MergeDone, AutoMergeRefused>;

// Where the agents work. Every call is safe to repeat.
class AutoPlace {
 public:
  virtual ~AutoPlace() = default;
  virtual Result<std::string> prepare() = 0;
  // The state that counts from now on.
  virtual Result<void> keep(const std::string& label) = 0;
  // What differs from the state that counts is kept aside and taken back. Returns the paths.
  virtual Result<std::vector<std::string>> take_back(const std::string& label) = 0;
  virtual Result<AutoMergeAnswer> merge(const std::string& title) = 0;
  virtual Result<void> remove() = 0;
};

// The files in .caw/ that are written from the journal. Every call is safe to repeat.
class AutoFiles {
 public:
  virtual ~AutoFiles() = default;
  virtual Result<void> write_state(const auto_mode::Run& run) = 0;
  virtual Result<void> write_rounds(const std::vector<auto_fact::Reviewed>& rounds) = 0;
  virtual Result<void> add_learnings(const auto_mode::Run& run, const std::string& learnings) = 0;
};

class AutoListener {
 public:
  virtual ~AutoListener() = default;
  virtual void on_fact(const auto_fact::Fact& fact, const auto_mode::Run& before,
                       const auto_mode::Run& after) = 0;
};

class AutoStops {
 public:
  virtual ~AutoStops() = default;
  virtual bool requested() = 0;
};

struct AutoPorts {
  Clock& clock;
  AutoLog& log;
  AutoAgents& agents;
  AutoChecks& checks;
  AutoPlace& place;
  AutoFiles& files;
  AutoListener& listener;
  AutoStops& stops;
  Probe* probe = nullptr;
};

}  // namespace capsule::engine
