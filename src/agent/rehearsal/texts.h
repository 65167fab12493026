// The texts of a cassette: variables in them, and signals made from them. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/rehearsal/cassette.h"
#include "base/result.h"

namespace capsule::agent::rehearsal {

// The signal as one line of JSON, without line feed.
std::string signal_text(const Signal& signal);

// Letters, digits and underscores, not a digit first, and not one of Capsule's own names.
bool is_variable_name(std::string_view name);

enum class Known { no, unset, set };
struct Lookup {
  Known known = Known::no;
  std::string value = {};
};

// `text` with ${NAME} replaced by its value, and ${NAME:-other} by `other` when the value is empty
// or not set. Values are never read again. A name that `lookup` does not know stays as it is
// written: source code is full of them. $${NAME} stands for ${NAME} where NAME is known.
// Error: refused, when a known name has no value and no other is given.
Result<std::string> expanded(std::string_view text,
                             const std::function<Lookup(std::string_view)>& lookup);

}  // namespace capsule::agent::rehearsal
