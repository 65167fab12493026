// What machines tell one another about an agent that one of them carries out for the other, in the
// wire form of facts. Pure. It holds no secret: programs, keys and variables are the worker's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/common.h"
#include "signal/contract.h"
#include "signal/miss.h"
#include "signal/vocabulary.h"

namespace capsule::event::work {

struct Pair {
  std::string name, text;
};

// The walls that a run has chosen for an agent: its worker puts up no looser ones.
struct Walls {
  std::string preset, network;  // as Contained has them; empty: none
  bool weaker = false;          // where the worker's kernel lacks something it goes without
  bool broker = false;          // the model's key stays outside
  bool operator==(const Walls&) const = default;
};

// What a worker is to do.
struct Order {
  std::string role, configured;
  bool by_phase = false;        // which set of the configuration names its time limits
  std::string provider, model;  // by the names that the worker's configuration has for them
  int timeout_seconds = 0;
  std::string task;
  int attempt = 1;
  bool judges = false, short_limit = false;
  int dialect = 0;  // as workflow::Dialect
  std::vector<Pair> env;
  std::string prompt;  // all of it
  std::string tree;    // its key, for people
  std::string ref;     // where its files are, as a snapshot on the shared remote
  Walls walls;
};

// What came of it.
struct Report {
  Fault fault{};
  std::string detail;
  int exit_code = 0;
  int dialect = 0;
  // The words, as far as the dialect has them: contract, line, block, verdict.
  signal::Status status = signal::Status::error;
  std::string feedback, summary, json;
  std::vector<std::string> files_changed;
  signal::Signal signal = signal::Signal::unknown;
  std::string argument;
  std::vector<std::string> more;
  std::vector<Pair> fields;
  std::vector<std::string> signals;
  std::string error;
  bool recoverable = false;
  std::string text;
  signal::Miss miss{};
  std::string missed_line;

  std::string preview, began_at, ended_at;
  std::int64_t duration_ms = 0, cost_micros = 0;
  std::string provider, client, asked_model, model;
  TokenUse use;
  std::string service_words;
  std::int64_t reset_at = 0;
  int redacted = 0;
  std::string log;  // the end of it
  std::string ref;  // the files as it left them; empty: as it found them
  // The walls that it really had, and what it was refused.
  std::vector<Contained> contained;
  std::vector<HostsRefused> refused;
};

// The end of a log that is told has at most so many bytes.
inline constexpr std::size_t kMaxLogBytes = std::size_t{64} << 10;

std::string written(const Order& order);
std::string written(const Report& report);
// Error damaged.
Result<Order> read_order(std::string_view text);
Result<Report> read_report(std::string_view text);

}  // namespace capsule::event::work
