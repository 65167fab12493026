// Many agents at once: each a process tree with its own log files, time limit and pulse. Nothing
// here waits; whoever turns the loop is called back when an agent has ended and its tree is gone.
//
// Single-threaded, on the thread of the Loop, which must outlive the Crew. The destructor ends who
// is still working and forgets all callbacks: declared after what its callbacks touch, a Crew never
// calls into something that is gone. It must not be destroyed from a callback of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/ending.h"
#include "agent/provider.h"
#include "agent/stream_log.h"
#include "base/result.h"
#include "contain/policy.h"
#include "contain/report.h"
#include "process/tree.h"

namespace capsule::agent {

struct Task {
  Provider provider;
  std::string folder;  // where the agent works
  std::string prompt;
  std::vector<process::EnvChange> env;
  std::chrono::milliseconds timeout{600'000};
  std::vector<std::string> secrets = {};  // replaced in all that it prints, before anybody sees it
  std::optional<contain::Wish> walls = {};  // see process::TreeSpec

  // Where what it prints is kept; made when it is missing, once the agent has started.
  std::string log_folder;    // ours, or, with `log_beneath`, one that the agent can write to
  std::string log_beneath;   // a folder beneath it, reached without following links
  std::string log_name;      // a valid id; ".log" and ".log.stderr" are added, never overwriting
  bool log_has_pid = false;  // "-<pid of the agent>" is added to the name

  // What is really in force around it, before it starts.
  std::function<void(const contain::Report& report)> on_contained = {};
  // The hosts that it asked for in vain, when it has ended.
  std::function<void(const contain::Refusals& refused)> on_refused = {};
  // The path of its log, as soon as there is one.
  std::function<void(const std::string& path)> on_log = {};
  // All of its stdout as it comes, whatever the log leaves out. What may be the beginning of a
  // secret comes when that is known.
  std::function<void(std::string_view bytes)> on_output = {};
  // Its limit is reached. It is ended when this returns, as one that took too long, unless this
  // has ended it as something else.
  std::function<void()> on_limit = {};
};

// A sign of life.
struct Pulse {
  pid_t pid = 0;  // 0: not started yet
  std::uint64_t bytes = 0;
  process::Clock::time_point last_output;  // its start, as long as it said nothing
};

enum class MemberId : std::uint64_t {};

class Crew {
 public:
  using Done = std::function<void(MemberId, const Ending&)>;

  // `interrupted`: whether a person asked to stop; agents that end from then on were interrupted.
  explicit Crew(process::Loop& loop, std::function<bool()> interrupted = {});
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // `done` is called from a later turn of the loop, exactly once. Errors: missing_program and
  // refused (the agent program), usage (prompt), io; then nothing runs, none of the callbacks is
  // ever called, and they are gone when this returns.
  Result<MemberId> start(const Task& task, Done done);
  // TERM, then KILL; `done` follows with `how`, unless it was over already.
  void end(MemberId member, Ending::How how = Ending::How::ended);
  // More for one whose provider is steered; see process::Loop::write.
  bool write(MemberId member, std::string_view bytes);
  void close_input(MemberId member);
  // nullptr when it has ended.
  const Pulse* pulse(MemberId member) const;
  std::size_t running() const { return members_.size(); }

 private:
  class Member;
  void finish(MemberId id);

  process::Loop& loop_;
  const std::function<bool()> interrupted_;
  std::uint64_t next_ = 1;
  std::map<MemberId, std::unique_ptr<Member>> members_;
};

}  // namespace capsule::agent
