// A command whose words we can see: a list, or a text that a shell would do nothing with but part
// it at its blanks; perhaps the last of several that are joined by &&. Words may be added to such a
// command; any other text is the user's own and stays as it is. Pure values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/verify.h"

namespace capsule::gate {

struct PlainCommand {
  std::vector<std::string> words = {};
  std::size_t at = 0;                              // of the program, behind what only starts it
  bool shell = false;                              // it is a text
  std::vector<PlainCommand> commands_before = {};  // in the text, joined by &&

  // Its name without a folder; of `python -m x` it is x. Empty: there is none.
  std::string_view program() const;
  std::string_view argument(std::size_t i) const;  // words[at + 1 + i]; empty: there is none
  bool has(std::string_view word) const;
  bool has_option(std::string_view start) const;  // a word that begins so
  // With words before the one at `place`, or at the end.
  Command with(std::vector<std::string> added, std::size_t place = std::string::npos) const;
};

std::optional<PlainCommand> plain_command(const Command& command);

// Whether `phrase` stands in a text as words of their own.
bool mentions(std::string_view text, std::string_view phrase);

}  // namespace capsule::gate
