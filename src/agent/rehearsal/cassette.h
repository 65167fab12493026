// A cassette: what the rehearsal agent does in each phase, as a YAML file that people write by
// hand. docs/cassettes.md describes it. Values; reading is pure and bounded, nothing is done here.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace capsule::agent::rehearsal {

struct Print {
  std::string text;
  bool to_stderr = false;
};
struct Write {
  std::string path, text;
  bool executable = false;
};
struct Edit {
  std::string path, find, replace;  // `find` has to stand in the file exactly once
};
struct Delete {
  std::string path;
};
struct Run {
  enum class Expect { pass, fail, any, code };
  std::vector<std::string> argv;
  std::string folder;  // beneath the worktree; empty: the worktree
  Expect expect = Expect::pass;
  int code = 0;      // for Expect::code
  std::string save;  // a name for what it printed; empty: it is printed
};
struct Worklog {
  std::string text;
};
struct Signal {
  using Value = std::variant<std::string, std::vector<std::string>>;
  std::vector<std::pair<std::string, Value>> fields;  // in the order in which they are written
};
struct Wait {
  std::chrono::milliseconds time;
};
struct Exit {
  int code;
};
struct PromptHas {
  std::string text;
};

struct Step {
  int line;  // in the cassette, from 1
  std::variant<Print, Write, Edit, Delete, Run, Worklog, Signal, Wait, Exit, PromptHas> what;
};

struct Take {
  int line;
  std::string phase;
  int attempt;  // the first attempt that it is for
  std::vector<Step> steps;
};

struct Cassette {
  std::vector<Take> takes;
};

// Errors: damaged; the message begins with "NAME:LINE: ", the hint says what would be valid.
Result<Cassette> parse_cassette(std::string_view text, std::string_view name);

// The take of `phase` for the highest attempt up to `attempt`: the last one serves all later
// attempts. nullptr when there is none.
const Take* find_take(const Cassette& cassette, std::string_view phase, int attempt);

}  // namespace capsule::agent::rehearsal
