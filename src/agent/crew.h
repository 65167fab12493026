// Many agents at once: each a process tree with its own log files, time limit and pulse. Nothing
// here waits; whoever turns the loop is called back when an agent has ended and its tree is gone.
//
// Single-threaded, on the thread of the Loop, which must outlive the Crew. The destructor of the
// Loop ends what is still running; callbacks do not come any more then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/provider.h"
#include "base/result.h"
#include "process/tree.h"

namespace capsule::agent {

struct Task {
  Provider provider;
  std::string folder;  // where the agent works
  std::string prompt;
  std::vector<process::EnvChange> env;
  std::chrono::milliseconds timeout{600'000};
  std::string log_folder;  // ours, not the agent's; made when it is missing
  std::string log_name;    // a valid id; ".log" and ".log.stderr" are added, never overwriting
};

struct Ending {
  enum class How {
    exited,       // exit_code: the status, or 128 + the signal that ended it
    timed_out,    // our limit
    lost,         // its guardian was killed; so was the tree
    not_started,  // error: why
    ended,        // by end()
  };
  How how = How::exited;
  int exit_code = 0;
  std::string log;         // path of what it printed
  std::string error = {};  // of a start or a log that failed
};

// A sign of life.
struct Pulse {
  pid_t pid = 0;  // 0: not started yet
  std::uint64_t bytes = 0;
  process::Clock::time_point last_output;  // its start, as long as it said nothing
  std::string last_line;                   // the newest complete line, at most kLastLineBytes
};
inline constexpr std::size_t kLastLineBytes = 400;

// A log holds this much from the beginning; of what follows, the end is kept.
inline constexpr std::size_t kLogHeadBytes = std::size_t{32} << 20;
inline constexpr std::size_t kLogTailBytes = std::size_t{1} << 20;

enum class MemberId : std::uint64_t {};

class Crew {
 public:
  using Done = std::function<void(MemberId, const Ending&)>;

  explicit Crew(process::Loop& loop);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Errors: missing_program and refused (the agent program), usage (prompt), io (logs, process).
  // `done` is called from a later turn of the loop, exactly once.
  Result<MemberId> start(const Task& task, Done done);
  // TERM, then KILL; `done` follows with How::ended, unless it was over already.
  void end(MemberId member);
  // nullptr when it has ended.
  const Pulse* pulse(MemberId member) const;
  std::size_t running() const { return members_.size(); }

 private:
  class Member;
  void finish(MemberId id);

  process::Loop& loop_;
  std::uint64_t next_ = 1;
  std::map<MemberId, std::unique_ptr<Member>> members_;
};

}  // namespace capsule::agent
