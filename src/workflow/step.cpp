#include "workflow/step.h"

#include <charconv>
#include <iterator>
#include <utility>

#include "base/hash.h"

namespace capsule::workflow {

CAPSULE_COMPILE(Command)
CAPSULE_COMPILE(Observation)

std::string_view name_of(const Command& command) {
  constexpr std::string_view kNames[] = {
      "start_agent", "end_agent", "plan_tree",   "open_tree",  "keep", "take_back", "check",
      "merge",       "archive",   "remove_tree", "close_task", "ask",  "set_timer", "supply_order"};
  static_assert(std::size(kNames) == std::variant_size_v<Command::variant>);
  return kNames[command.index()];
}

std::string_view name_of(const Observation& observation) {
  constexpr std::string_view kNames[] = {
      "agent_finished", "agent_waits",    "agent_idle",     "tree_planned", "tree_opened",
      "kept",           "taken_back",     "checked",        "merged",       "merge_refused",
      "main_moved",     "tree_archived",  "tree_removed",   "task_closed",  "answered",
      "timer_fired",    "command_failed", "stop_asked",     "taken_up",     "ground_moved",
      "merge_tried",    "supply_news",    "take_back_asked"};
  static_assert(std::size(kNames) == std::variant_size_v<Observation::variant>);
  return kNames[observation.index()];
}

CommandFailed failed(Command command, const Error& error) {
  return {std::move(command), error.reason,
          error.message + (error.hint.empty() ? "" : "\n" + error.hint)};
}

std::string in_words(const AgentFinished& finished) {
  const std::string& last = finished.facts.words;
  const bool failed =
      finished.fault != event::Fault::none && finished.fault != event::Fault::no_signal;
  if (!failed || last.empty() || finished.detail.find(last) != std::string::npos)
    return finished.detail;
  return finished.detail + (finished.detail.empty() ? "" : ": ") + last;
}

std::string session_id(std::string_view run, int agent) {
  constexpr char kHex[] = "0123456789abcdef";
  const std::string whose = std::string(run) + "/" + std::to_string(agent) + "/";
  std::string id;
  id.reserve(36);
  std::uint64_t hash = kHashStart;
  for (int i = 0; i < 32; ++i) {
    char number[2];
    const char* const end = std::to_chars(number, std::end(number), i).ptr;
    hash = hash_of({number, end}, hash_of(whose, hash));
    if (i == 8 || i == 12 || i == 16 || i == 20) id += '-';
    const auto digit = static_cast<unsigned>((hash >> 29) & 15);
    id += i == 12 ? '4' : i == 16 ? kHex[8 | (digit & 3)] : kHex[digit];
  }
  return id;
}

}  // namespace capsule::workflow
