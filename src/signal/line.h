// The line dialect: a signal stands at column 0 of a line of its own. Pure functions over text;
// linear for every input; results own their bytes. Rules: docs/contracts/signals.md.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signal/miss.h"
#include "signal/vocabulary.h"

namespace capsule::signal {

// Who printed the text, as far as that is known. What is not known is not checked.
struct LineOptions {
  std::optional<Role> role = std::nullopt;
  std::optional<std::string_view> task = std::nullopt;
};

enum class WhyUnknown {
  recognised,     // it is not unknown
  no_signal,      // no line is a signal
  contradiction,  // different signals of the class that decides
  several_ids,    // one signal with different ids
  wrong_role,     // a signal that this role may not send
  wrong_task,     // a signal about another task
};

struct Field {
  std::string_view label;  // one of labels_of(row)
  std::string text;        // trimmed, lines end in a line feed; may be empty
};
using Fields = std::vector<Field>;

// One more expert, or one more file, of a signal that may stand several times.
struct Extra {
  std::string id;
  Fields fields;
};

struct LineResult {
  Signal signal = Signal::unknown;
  std::optional<std::string> task_id;  // the argument, whatever it names; see Row::names_task
  std::vector<Extra> more;
  Fields fields;  // in the order of the text
  std::vector<std::string> warnings;
  WhyUnknown why_unknown = WhyUnknown::no_signal;
  std::size_t offset = 0;  // of the signal's line

  std::string_view handler() const { return row(signal).handler; }
  // The text of a label, or nullptr.
  const std::string* field(std::string_view label) const;
};

// Ensures: signal != unknown exactly when why_unknown == recognised.
LineResult parse_line(std::string_view text, const LineOptions& options = {});

// A line that is a signal or was perhaps meant as one.
struct LineCandidate {
  std::size_t offset;
  std::string_view text;  // of the line, without trailing blanks; a view of the parsed text
  bool taken;
  std::string reason;
  Miss miss{};  // none: taken, or only outranked
};

// Tells every candidate in the order of the text. Slower than parsing, and linear too.
void explain_line(std::string_view text, const LineOptions& options,
                  const std::function<void(const LineCandidate&)>& tell);

// Why a text has no signal that counts; of several candidates the one nearest to the end says it.
// Requires: parse_line() finds none.
Missed missed_line(std::string_view text, const LineOptions& options);

// Limits, so that hostile output cannot fill the memory. What goes beyond them is left out, with a
// warning.
inline constexpr std::size_t kMaxExtras = 1000;
inline constexpr std::size_t kMaxArgumentBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxFieldBytes = std::size_t{1} << 20;   // of one field
inline constexpr std::size_t kMaxFieldsBytes = std::size_t{4} << 20;  // of all together

}  // namespace capsule::signal
