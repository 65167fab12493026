// The line dialect once more, written for the reader alone: slow, with copies everywhere, rule by
// rule. It shares no code and no table with src/signal.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace capsule::reference {

struct LineAnswer {
  std::string signal = "unknown";
  std::optional<std::string> task_id;
  std::vector<std::string> more;
  std::vector<std::pair<std::string, std::string>> fields;
};

// An empty role or task: not known.
LineAnswer line(const std::string& text, const std::string& role, const std::string& task);

}  // namespace capsule::reference
