// The configuration of one call: defaults ‹ the user's file ‹ the project's file ‹ CAPSULE_*
// variables ‹ flags. A later layer replaces single values; lists are replaced whole. Some values
// the project's file can only tighten. Every value remembers where it came from. Nothing here looks
// at the process's own environment or directory: both are given, so that a test can give others.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/key.h"
#include "event/common.h"
#include "event/definition.h"

namespace capsule::config {

enum class Tracker { automatic, native, bd };
using event::Convergence;
enum class MainMoved { ask, tell };
enum class Integrate { merge, ask, branch };
enum class Access { write, read_only };
enum class Stdin { automatic, prompt, none };  // automatic: the prompt, unless {prompt} is in argv

// Either a list that is run as it is, or one text for /bin/sh -c.
struct Command {
  std::vector<std::string> argv;
  std::string shell;
};

struct Provider {
  std::vector<std::string> command;  // empty: not set here (a built-in provider has its own)
  Stdin input = Stdin::automatic;
  std::string model;     // empty: not set
  std::string cassette;  // empty: not set; a relative path is relative to the project
  std::string output;    // a name of dialect/output.h; empty: not set
  std::vector<std::string> args;
  std::vector<std::string> env;  // NAME=value
  bool steer = false;            // it can be told more while it works
  std::optional<std::chrono::seconds> answer_timeout;
};

// Who takes over for another.
struct Fallback {
  std::string provider;
  std::string model;  // empty: the provider's own
};

// Walls around agents and checks; docs/containment.md explains them.
enum class ContainPreset { off, worktree, strict };
enum class ContainNet { open, proxy, off };

ContainNet net_of(ContainPreset preset);  // where nobody says

struct Contain {
  ContainPreset preset{};
  bool weaker = false;  // where the kernel lacks something: go without, and say so
  std::vector<std::string> read, scratch, write;  // as the user wrote them: /… or ~/…
  std::optional<ContainNet> net;
  std::vector<std::string> allow;  // in small letters, each with its port
  std::vector<int> forward;
  std::vector<std::string> env;
  std::int64_t memory = 0;  // bytes; 0: not set
  int processes = 0;
  int cpu = 0;  // percent of one processor; 0: not set
  bool broker = false;
};
// What a phase, a role or the checks have of their own.
struct OwnWalls {
  std::optional<ContainPreset> preset;
  std::optional<ContainNet> net;
};
// What holds in the end.
struct Walls {
  ContainPreset preset{};
  ContainNet net{};
  bool operator==(const Walls&) const = default;
};

struct Phase {
  std::string provider;  // empty: not set
  std::string model;     // empty: not set
  std::optional<std::chrono::seconds> timeout;
  std::optional<std::vector<Fallback>> fallbacks;
  event::Session session{};
  Access access = Access::write;
  OwnWalls contain;
  std::vector<std::string> needs;  // labels of the machines that can do it
};

// In millionths of the user's currency; 0: not set.
struct Budget {
  std::int64_t run = 0, task = 0, day = 0, tokens = 0;
  bool hard = false;
};
struct Price {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_written = 0;  // for a million tokens
};

// How a person is told that something waits.
enum class Body { json, text, slack, discord, teams };
struct Hours {
  int from = 0, to = 0;  // minutes of the day; from behind to: over midnight
};
struct Notify {
  std::vector<std::string> on;  // names of view::Attention, and "complete"; empty: not set
  bool desktop = false, terminal = false;
  std::vector<std::string> command;  // empty: none
  Body body = Body::json;
  bool text = false;  // words may be told, not only what waits where
  std::optional<Hours> quiet;
};

struct Verify {
  std::optional<Command> test;
  std::optional<Command> lint;
  std::optional<Command> build;
  std::string dir;                 // relative, without ".."
  bool red_allowed = false;        // they may fail before anybody has worked
  std::vector<std::string> guard;  // patterns; empty: the usual ones
  std::chrono::seconds timeout{};
  std::string test_report;  // auto, junit:PATH, gotest, tap, none
  bool recheck = false;     // of this call alone: what is known is run again all the same
  OwnWalls contain;
};

struct Worktree {
  std::optional<Command> setup;
  std::vector<std::string> setup_inputs;  // patterns; empty: the usual lock files
  std::chrono::seconds setup_timeout{};
  OwnWalls contain;  // of the set-up
};

struct Slots {
  int developers = 0;
  int critics = 0;
  int auditors = 0;
};

// How often, or how long, each loop of a delivery may go on.
struct Limits {
  int task_failures = 0;
  int unknown_redispatches = 0;
  int signal_requests = 0;
  int expert_requests = 0;
  int questions = 0;
  int merge_rework = 0;
  int restarts = 0;
  int critic_timeouts = 0;
  int file_waits = 0;
  std::chrono::seconds file_wait{};
  int remediation_attempts = 0;
  std::chrono::seconds delegation_timeout{};
};

struct Role {
  std::string provider;  // empty: not set
  std::string model;     // empty: not set
  std::optional<std::chrono::seconds> timeout;
  double price = 0;  // of one run
  Access access = Access::write;
  std::optional<std::vector<Fallback>> fallbacks;
  OwnWalls contain;
  std::vector<std::string> needs;
};

enum class Layer { defaults, user, project, environment, flag };
std::string_view name_of(Layer layer);

struct Origin {
  Layer layer = Layer::defaults;
  std::string where;  // "FILE:LINE", a variable's name, a flag as it is spelled, or "default"
};

// One value of the result: `path` is the row's path with names instead of `*`.
struct Entry {
  const Key* key;
  std::string path;
  Value value;  // monostate: not set
  Origin origin;
};

struct Config {
  std::string provider;
  int max_retries = 0;
  std::chrono::seconds phase_timeout{};
  Tracker tracker = Tracker::automatic;
  std::string main_branch;  // empty: main, else master
  std::string remote;       // whose main counts when a journal is shared; empty: origin
  std::vector<std::string> exclude;
  Convergence convergence = Convergence::stop;
  MainMoved on_main_moved = MainMoved::ask;
  event::Integrate integrate = event::Integrate::merge;
  std::vector<Fallback> fallbacks;
  bool trailers = true;
  Budget budget;
  std::map<std::string, Price, std::less<>> prices;   // by model or provider
  std::map<std::string, Notify, std::less<>> notify;  // by a name, or the place in a list
  Contain contain;
  std::int64_t disk_reserve = 0;        // bytes that are to stay free
  std::vector<std::string> test_files;  // empty: the usual names of each language
  Verify verify;
  Worktree worktree;
  std::map<std::string, Provider, std::less<>> providers;
  std::map<std::string, Phase, std::less<>> phases;
  Slots slots;
  std::chrono::seconds checkpoint_interval{};
  Limits limits;
  std::map<std::string, Role, std::less<>> roles;

  std::vector<Entry> entries;  // in the order of the table, then of the names

  // What holds for one phase: its own value, else the general one.
  const std::string& provider_of(std::string_view phase) const;
  std::chrono::seconds timeout_of(std::string_view phase) const;
  std::string model_of(std::string_view phase) const;  // else its provider's; empty: not set

  const std::vector<Fallback>& fallbacks_of(std::string_view phase) const;
  Access access_of(std::string_view phase) const;

  // The same for a role of a delivery.
  const std::string& provider_of_role(std::string_view role) const;
  std::chrono::seconds timeout_of_role(std::string_view role) const;
  std::string model_of_role(std::string_view role) const;
  const std::vector<Fallback>& fallbacks_of_role(std::string_view role) const;
  Access access_of_role(std::string_view role) const;

  Walls walls_of(std::string_view phase) const;
  Walls walls_of_role(std::string_view role) const;
  // Not set: as tight as the tightest that an agent has, and without a network.
  Walls walls_of_checks() const;
  // Of what readies a tree: no looser than those of anybody who works there, unless it has its own.
  Walls walls_of_setup() const;

  // Where a value came from. Requires: `path` is the path of an entry.
  const Origin& origin(std::string_view path) const;
};

struct Flag {
  std::string_view key;      // a path of the table without `*`
  std::string_view value;    // as the user wrote it
  std::string_view spelled;  // "--max-retries"
};

// The phases that a project's workflows and prompts bring, besides those of the pipeline and of
// auto mode; nullopt: they cannot be told.
using ProjectPhases = std::function<std::optional<std::vector<std::string>>()>;

struct Sources {
  std::string project_dir;  // holds .capsule/config.yaml; empty: no project
  std::function<const char*(const char*)> variable;  // as getenv; empty: no variables
  std::span<const Flag> flags = {};
  // Asked only when the project's file names a phase that is not one of ours. Without it, and in
  // the user's own file, which is for many projects, only misspellings of the pipeline's phases are
  // problems.
  ProjectPhases phases = {};
};

struct Problem {
  Reason reason;      // usage: a flag or variable; damaged: a file's contents; io
  std::string where;  // as in Origin; empty when the message names the file
  std::string message;
  std::string hint = {};
};

// "FILE:LINE: message".
std::string sentence_of(const Problem& problem);

// The files that would be read, whether they exist or not. Empty when there is none to look for.
std::string user_file(const Sources& sources);
std::string project_file(std::string_view project_dir);

// Reads all layers. Every problem that can be found is in `problems`; the config holds what was
// valid.
struct Loaded {
  Config config;
  std::vector<Problem> problems;
};
Loaded load_all(const Sources& sources);

// The same, for callers that need a valid configuration: the error tells all problems (or the first
// ten) and has the reason of the first.
Result<Config> load(const Sources& sources);

// Only the defaults.
Config defaults();

}  // namespace capsule::config
