// Agents and other programs that may start programs of their own: process trees that are always
// ended as a whole, by a guardian (guardian.h), and the loop that waits for all of them at once.
//
// Single-threaded: a Loop and everything it calls belong to one thread. Callbacks run inside turn()
// and may call every function of the Loop except turn() and the functions that use it. The Loop
// does not throw, install signal handlers or look at SIGCHLD. It makes this process the parent of
// orphans below it (see spawn.h), so that not even a killed guardian leaves something behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contain/policy.h"
#include "contain/report.h"
#include "process/contained.h"
#include "process/fd.h"
#include "process/program.h"

namespace capsule::process {

using Clock = std::chrono::steady_clock;

struct TreeSpec {
  std::vector<std::string> argv;          // argv[0] is looked up, see find_program
  std::string cwd = {};                   // empty: the current folder
  std::vector<EnvChange> env = {};        // on top of the inherited environment
  std::optional<std::string> input = {};  // its stdin, of any size; none: /dev/null
  bool more_input = false;                // what write() adds follows, until close_input()
  // Walls around the tree. Its environment is made up then: `env` is set inside, and of what is
  // inherited only what the wish names is handed over. What the wish leaves empty comes from here:
  // folder and start from `cwd`, home and search from the environment. argv[0] is looked up inside.
  std::optional<contain::Wish> walls = {};
};

struct Exit {
  enum class How {
    exited,       // value: the exit code
    signalled,    // value: the signal
    not_started,  // value: the errno of exec
    lost,         // the guardian was killed; the tree was killed too, its status is unknown
    // Its walls could not be put up, or what it is to run is not there inside: see `why`. Nothing
    // of it ran.
    not_contained,
  };
  How how;
  int value = 0;
  int left_behind = 0;  // processes that could not be killed (another user's); normally 0
  // missing_program (it is not there inside), failed (it cannot be executed), refused (what the
  // kernel lacks or forbids, with the remedy), usage (a place that cannot be given), io.
  std::optional<Error> why = {};
  // What its processes had too much of, so that we ended them; of one that has walls.
  std::optional<contain::Excess> excess = {};
};

// What a child has to say, in this order: on_contained once, of one that has walls; on_started
// once, output in any number of pieces of at most 64 KiB, on_exit once; on_refused at most once,
// at the end, of one whose walls have a proxy. Without a start there is only on_exit (not_started,
// not_contained).
class ChildEvents {
 public:
  virtual ~ChildEvents() = default;
  virtual void on_contained(const contain::Report&) {}  // what is really in force
  virtual void on_refused(const contain::Refusals&) {}  // the hosts that it asked for in vain
  virtual void on_started(pid_t) {}  // the agent's own number, also when it has another inside
  virtual void on_stdout(std::string_view) {}
  virtual void on_stderr(std::string_view) {}
  // The whole tree is gone and all its output has been delivered.
  virtual void on_exit(const Exit&) = 0;
};

enum class ChildId : std::uint64_t {};
enum class WatchId : std::uint64_t {};
struct TimerId {
  Clock::time_point at = {};
  std::uint64_t serial = 0;
  auto operator<=>(const TimerId&) const = default;
};

class Loop {
 public:
  struct Options {
    // A program that calls guardian_main; a test gives the built one (CAPSULE_BINARY).
    std::string guardian = "/proc/self/exe";
    // How long after the grace a guardian may take before it counts as stopped and is killed.
    std::chrono::milliseconds patience = std::chrono::seconds(6);
  };
  static Result<std::unique_ptr<Loop>> create(Options options);
  static Result<std::unique_ptr<Loop>> create() { return create(Options{}); }
  // Ends all trees that are still there, without events, and waits until they are gone.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Starts a tree. `events` must live until its on_exit or forget(); nothing is called before the
  // next turn. Errors are those of find_program, not_found for the folder, usage, io.
  Result<ChildId> start(const TreeSpec& spec, ChildEvents& events);

  // TERM to the tree, KILL to what is left after the grace; on_exit follows. May be called again
  // with a shorter grace. Does nothing when the child has ended.
  void end(ChildId child, std::chrono::milliseconds grace);
  void end_all(std::chrono::milliseconds grace);
  // Ends the tree at once, and its events are not called any more: they may be gone when this
  // returns. Does nothing when the child has ended.
  void forget(ChildId child);
  std::size_t running() const { return children_.size(); }

  // More for the stdin of a child that was started with `more_input`. Never waits: what the child
  // does not read yet is kept, in order. False, and nothing is added: it has ended, its stdin is
  // closed, or more than kMaxUnreadBytes are unread.
  bool write(ChildId child, std::string_view bytes);
  // Its stdin ends after what was written. Does nothing when it is closed, or was never open.
  void close_input(ChildId child);
  static constexpr std::size_t kMaxUnreadBytes = std::size_t{1} << 20;

  // Calls back once at that time or soon after.
  TimerId at(Clock::time_point time, std::function<void()> callback);
  TimerId after(std::chrono::milliseconds delay, std::function<void()> callback);
  void cancel(TimerId timer);  // does nothing when it is over

  // Calls back in each turn in which `fd` is readable, for a signalfd or a pipe of the caller's.
  Result<WatchId> watch(int fd, std::function<void()> callback);
  // What the callback is for from now on: a connection that has something to send waits for room.
  // With neither, it is still called when the other end is gone.
  struct Wanted {
    bool readable = true;
    bool writable = false;
  };
  void watch_for(WatchId watch, Wanted wanted);
  void unwatch(WatchId watch);  // before the descriptor is closed

  // Sleeps until something happens or `deadline` is reached, then calls everybody concerned.
  void turn(Clock::time_point deadline = Clock::time_point::max());
  // Turns for as long as `condition` holds before each.
  void run_while(const std::function<bool()>& condition);
  // Turns until no child is left.
  void run();

 private:
  struct Child;
  struct Watch {
    int fd;
    std::function<void()> callback;
  };
  Loop(Options options, File poll, File null);
  Result<void> poll_for(int fd, std::uint64_t key);
  void dispatch(std::uint64_t key);
  void hear_guardian(ChildId id);
  bool read_output(ChildId id, std::size_t stream);
  void feed(ChildId id);
  void finish(ChildId id);
  void run_timers();
  Child* find(ChildId id);

  const Options options_;
  const File poll_;
  const File null_;
  const std::unique_ptr<char[]> buffer_;
  GuardedSettings guarded_;
  std::uint64_t next_ = 1;
  std::map<ChildId, std::unique_ptr<Child>> children_;
  std::map<WatchId, Watch> watches_;
  std::map<TimerId, std::function<void()>> timers_;
};

}  // namespace capsule::process
