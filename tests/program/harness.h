// Runs the built binary (or any program) as a user would, and sees to it that nothing survives.
// Output goes to files without a name, so a program can neither block on us nor hold us up.
// Not thread-safe: one thread starts and waits.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace capsule::test {

using Json = nlohmann::ordered_json;

struct Call {
  std::vector<std::string> args = {};  // without the program's name
  std::string input = {};              // what stands on stdin, through a pipe
  std::string input_file = {};         // when not empty: stdin is this file
  std::map<std::string, std::optional<std::string>> env = {};  // on top of ours; nullopt removes
  std::string cwd = {};                                        // empty: ours
  std::string program = CAPSULE_BINARY;  // a path, or a name to be found in PATH
  std::chrono::seconds limit{300};       // then the process group is killed and the test fails
};

struct Outcome {
  int exit_code = -1;  // 128 + n when signal n ended it, as in a shell
  std::string out;
  std::string err;
};

// A started program. The destructor kills and reaps it if nobody waited.
class Running {
 public:
  explicit Running(const Call& call);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  pid_t pid() const { return pid_; }
  void send(int signal_number) const;  // to the process alone
  std::string out_so_far() const;
  std::string err_so_far() const;
  Outcome wait();  // once

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::chrono::seconds limit_;
  std::thread writer_;  // feeds stdin
};

Outcome run(const Call& call);

// The variables that the call's program sees, "NAME=value".
std::vector<std::string> environment(const Call& call);

// Waits until `ready` holds, up to a minute, so that only what never comes fails. Says whether it
// ever did.
bool eventually(const std::function<bool()>& ready);

std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view text);  // makes the folders above it

// What walls around runs of a project have left behind: its private repositories, layers and clean
// checkouts, homes of its trees, and mounts of its files in whatever process's namespace.
std::vector<std::string> left_of_walls(const std::string& project);
// Whether all of that goes by itself: what is killed takes a moment to be gone.
::testing::AssertionResult nothing_left_of_walls(const std::string& project);

// A fixture with a folder of its own. Everything started by capsule() and start() inherits a mark;
// TearDown fails the test when a process with that mark, or any other descendant, is still there
// two seconds after the test, and ends it.
class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  const std::string& dir() const { return dir_; }
  std::string path(std::string_view name) const { return dir_ + "/" + std::string(name); }

  // What the scripted agents of a test leave outside, for it to read, no contained one could. So
  // nobody here is contained, unless a test calls this: then all have the walls of the preset
  // worktree, but for `writes`, folders below dir() that they may change. HOME is path("home")
  // then.
  void inside_walls(const std::vector<std::string>& writes);

  // The call as this fixture runs it: marked, and in dir() unless it says otherwise.
  Call prepared(Call call) const;
  Outcome capsule(std::vector<std::string> args, std::string input = {}) const;
  Outcome call(Call wanted) const { return run(prepared(std::move(wanted))); }

 private:
  std::string dir_;
  std::string mark_;
  bool walls_ = false;
};

}  // namespace capsule::test
