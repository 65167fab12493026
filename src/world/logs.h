// What agents printed, as files: where they are for each workflow, and in which order. What lies in
// a worktree was written by agents: it is opened beneath its root, and links are not followed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "event/pipeline.h"
#include "world/runs.h"

namespace capsule::world {

struct LogFile {
  std::string root, name;  // to be opened with open_beneath()
  std::string role;        // of the agent, or its phase
  int agent = 0;           // its number; 0: the name does not tell
};

// "<role>-<YYYYMMDD>-<HHMMSS>[-<pid>].log" or "<number>-<role>.log", with .stderr behind it for the
// other stream; anything else is no log of ours.
std::optional<LogFile> read_log_name(std::string_view name);
// The same log has its name in every folder that it comes to.
std::string base_name(const std::string& path);

struct LogFilter {
  std::string role, task;  // empty: all
};
// In the order in which agents were started; stderr behind stdout. Those of a run that works now
// may still grow, and move to the archive when it ends.
std::vector<LogFile> logs_of(const Project& project, const Run& run, const LogFilter& filter);
// The folders in which agents of a run that goes on have their logs; they may not be there yet.
std::vector<std::string> log_folders(const Project& project, const engine::RunHead& run);
// Of a bead without a run: what phases that were run by hand left in its worktree or archive.
std::vector<LogFile> logs_of_bead(const Project& project, const std::string& bead,
                                  const std::string& role);

// Reads logs that may still grow, each from where it was left; also when a run has moved them to
// the archive meanwhile.
class LogFollower {
 public:
  using Sink = std::function<Result<void>(const std::string& name, std::string_view bytes)>;
  // Hands over what has come since the last call. Files that cannot be opened are passed over.
  Result<void> read(const std::vector<LogFile>& files, const Sink& sink);
  bool found_any() const { return !offsets_.empty(); }

 private:
  std::map<std::string, long> offsets_;  // by file name
};

// What the agent of a phase printed last, when it ended without a valid signal: often the reason,
// such as a login that is missing. Empty otherwise.
std::string last_words(const std::string& worktree, event::Fault fault, const std::string& log);

}  // namespace capsule::world
