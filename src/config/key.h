// The table of configuration keys: every key with its kind, default, help and variable, as plain
// rows. Reading files, `capsule config show`, the fresh file that `init` writes and the check of
// docs/configuration.md are all made from these rows, so they cannot drift.
// Pure; rows are static data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace capsule::config {

enum class Kind {
  name,       // an id, as providers and phases have them
  text,       // one line
  folder,     // a relative path that stays inside
  branch,     // a branch name that git accepts
  choice,     // one of `choices`
  count,      // a whole number from 1
  tokens,     // the same, and as large as budgets of tokens are
  duration,   // seconds: 600, 600s, 10m, 1h30m
  amount,     // of money, in a currency of the user's: 0.35
  limit,      // the same, and not nothing
  patterns,   // a list of file patterns
  agents,     // a list of providers, each with a model after a colon where it is not its own
  argv,       // a list: a program and its arguments
  words,      // a list of arguments
  variables,  // a list of NAME=value
  choices,    // a list of some of `choices`
  hours,      // of the day: 22:00-07:00
  command,    // argv, or a text for /bin/sh -c
  report,     // auto, gotest, tap, none, or junit: and a relative path that stays inside
  places,     // a list of absolute paths, or paths in the home that begin with ~/
  hosts,      // a list of hosts, each with a port after a colon where it is not 443
  ports,      // a list of TCP ports
  names,      // a list of names of variables
  size,       // in bytes: 500MB, 4GB
};

// What the project's own file may say, where that is not everything: whoever runs a project that is
// not his own is not to be harmed by its file.
enum class Tighter {
  any,      // everything
  choice,   // no choice that stands before the one that holds without the file
  subset,   // nothing that is not in the list that holds without it
  at_most,  // no larger number
};

struct Key {
  std::string_view path;  // words parted by dots; `*` stands for a name that the user chooses
  Kind kind;
  std::string_view help;          // one sentence, no full stop
  std::string_view initial = {};  // the default as one would write it (patterns parted by blanks)
  std::string_view choices = {};  // "a|b|c"
  std::string_view variable = {};
  std::string_view example = {};  // for rows without a default, as one would write it
  Tighter tighter = Tighter::any;
};

std::span<const Key> keys();
const Key& key(std::string_view path);  // Requires: `path` is in the table.

// What a value must be, for messages and `config keys`: "one of auto, native, bd".
std::string describe(const Key& key);

// A checked value. Durations are whole seconds.
using Value = std::variant<std::monostate, std::int64_t, std::string, std::vector<std::string>>;

// What is wrong with a value, for a person; the hint may be empty.
struct Complaint {
  std::string message;
  std::string hint = {};
};

// A value from one text (a scalar, a variable, a flag), or from a list of texts. `path` is the key
// as the user wrote it, for the complaint.
tl::expected<Value, Complaint> value_of(const Key& key, std::string_view path,
                                        std::string_view text);
tl::expected<Value, Complaint> value_of(const Key& key, std::string_view path,
                                        std::vector<std::string> items);

// The default; monostate where the row has none.
Value default_of(const Key& key);

// A value as one would write it in the file, on one line: 600s, "a b", [go, test].
std::string written(const Key& key, const Value& value);
std::string yaml_scalar(std::string_view text);

// The known name that is nearest to `word`, or empty when none is near.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

std::span<const std::string_view> pipeline_phases();
// The phases of auto mode that an agent works in, and the roles of a delivery. `signal` has the
// same names; a test holds the two together.
std::span<const std::string_view> auto_phases();
std::span<const std::string_view> roles();

}  // namespace capsule::config
