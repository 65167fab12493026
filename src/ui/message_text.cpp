#include "ui/message_text.h"

#include "base/text.h"
#include "json/value.h"

namespace capsule::ui {

std::string message_text(const world::LeftMessage& left, const world::Found& found,
                         const std::string& go_on, bool for_next) {
  const workflow::MessageSummary& message = left.state;
  const std::string who = "agent " + std::to_string(message.agent) +
                          (message.role.empty() ? "" : " (" + printable(message.role) + ")");
  if (message.agent != 0 && message.live) return "Told: " + who + " has heard it.\n";
  if (message.agent != 0) return "Told: " + who + " has it in its prompt.\n";
  if (!found.run.live())
    return "Nobody works on " + world::word_for(found.run) +
           " now: the first agent has it in its prompt once it goes on: " + go_on + "\n";
  if (!message.recorded) return "Left for the run, which has not taken it up yet.\n";
  const std::string next = "the next agent" +
                           (found.task.empty() ? "" : " of " + printable(found.task)) +
                           " has it in its prompt.";
  if (for_next) return "Noted: " + next + "\n";
  if (left.heard_at_once)
    return "Noted: who works hears it at its next step, or else " + next + "\n";
  return "Noted: " + next +
         " (Claude hears it while it works with providers.claude.steer: true.)\n";
}

std::string message_json(const world::LeftMessage& left, const world::Found& found) {
  const workflow::MessageSummary& message = left.state;
  const json::Value told{{"message", left.id},
                         {"run", found.run.head.run},
                         {"task", found.task.empty() ? json::Value() : json::Value(found.task)},
                         {"recorded", message.recorded},
                         {"delivered", message.agent == 0 ? "no"
                                       : message.live     ? "live"
                                                          : "prompt"},
                         {"agent", message.agent > 0 ? json::Value(message.agent) : json::Value()}};
  return told.compact() + "\n";
}

}  // namespace capsule::ui
