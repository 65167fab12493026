// Runs one agent in a folder to its end: prompt in, output to the two log files as it comes, signal
// out. The agent is a process tree that is gone, as a whole, when this returns.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/provider.h"
#include "agent/report.h"
#include "base/result.h"
#include "contain/policy.h"
#include "dialect/reader.h"
#include "process/tree.h"

namespace capsule::agent {

// Where the logs of an agent are that has none in a folder of ours, beneath the folder it works in.
inline constexpr std::string_view kOutputFolder = ".capsule/output";

// Called while the agent works, from inside run_agent, for a live view.
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
  std::vector<std::string> secrets = {};    // as in Task
  std::optional<contain::Wish> walls = {};  // as in Task, and what is told of them
  std::function<void(const contain::Report& report)> on_contained = {};
  std::function<void(const contain::Refusals& refused)> on_refused = {};
  // Of one that has begun: how it ended, what its client told and what that comes to.
  std::function<void(const Ending& ending, const dialect::Reading& reading, const Outcome& outcome)>
      on_ended = {};
  std::chrono::milliseconds timeout{600'000};
  std::string stamp;                                         // YYYYMMDD-HHMMSS
  std::function<bool()> interrupted = [] { return false; };  // a person asked to stop
};

// Turns the loop meanwhile. Errors: missing_program and refused (the agent program), io (logs),
// usage (prompt). Everything that an agent can do is a report.
Result<Report> run_agent(process::Loop& loop, const Provider& provider,
                         const Assignment& assignment, Watch& watch);

}  // namespace capsule::agent
