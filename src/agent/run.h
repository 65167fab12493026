// Runs one agent in a folder to its end: prompt in, output to the two log files as it comes, signal
// out. The agent is a process tree that is gone, as a whole, when this returns.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/provider.h"
#include "base/result.h"
#include "engine/ports.h"
#include "process/tree.h"
#include "signal/contract.h"

namespace capsule::agent {

// Told while the agent works, for a live view. Calls come from inside run_agent.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void on_log(const std::string& /*path*/) {}
  virtual void on_output(std::string_view /*bytes*/) {}
};

struct Assignment {
  std::string phase;   // names the log files; a valid id
  std::string folder;  // where the agent works; logs go to .capsule/output in it
  std::string prompt;
  std::vector<process::EnvChange> env;
  std::chrono::seconds timeout{600};
  std::string stamp;                                         // YYYYMMDD-HHMMSS
  std::function<bool()> interrupted = [] { return false; };  // a person asked to stop
};

// Errors: missing_program and refused (the agent program), io (logs), usage (prompt). Everything
// that an agent can do is a report.
Result<engine::PhaseReport> run_agent(process::Loop& loop, const Provider& provider,
                                      const Assignment& assignment, Watch& watch);

}  // namespace capsule::agent
