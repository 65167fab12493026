// Changes of one bead, as edits of its line in issues.jsonl: the members that change are set or
// removed, every other byte stays. Pure. Requires, of every `object`: one valid JSON object.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace capsule::task {

// What people may change of a bead that is there. nullopt: stays as it is.
struct BeadChange {
  std::optional<std::string> title = {};
  std::optional<std::string> type = {};
  std::optional<int> priority = {};
  std::optional<std::string> status = {};  // "closed" closes, any other opens again
  std::optional<std::string> description = {};
  std::optional<std::string> acceptance = {};
  std::optional<std::string> design = {};
  std::optional<std::string> notes = {};

  bool empty() const;
};

// Whether these texts can stand in a bead: UTF-8, and the title one line that is not too long.
// The only reason is usage.
Result<void> check_title(std::string_view title);
Result<void> check_text(std::string_view text);
Result<void> check_change(const BeadChange& change);

std::string closed(std::string_view object, std::string_view reason, std::string_view now);
// Open, and without a trace of the closing, as bd leaves it.
std::string reopened(std::string_view object, std::string_view now);
// A text that is set to nothing is removed, as bd leaves it out.
std::string changed(std::string_view object, const BeadChange& change, std::string_view now);
// `comment` is an object of JSON.
std::string commented(std::string_view object, std::string_view comment, std::string_view now);

}  // namespace capsule::task
