#include "ui/working_text.h"

#include "base/text.h"
#include "ui/activity_text.h"

namespace capsule::ui {

std::string working_text(const view::Run& run, const view::Attempt& agent, std::int64_t now_ms,
                         const Style& style) {
  const std::string go = style.unicode ? "▶ " : "> ";
  const std::string who =
      (run.tasks.empty() || agent.task.empty() ? "" : printable(agent.task) + " ") +
      printable(agent.role);
  std::string text = "  " + padded(who, 16) + toned(style, Tone::strong, go) + "attempt " +
                     std::to_string(agent.attempt);
  if (!agent.doing) return text + ", works\n";
  const dialect::Activity& doing = *agent.doing;
  const std::string time = elapsed(now_ms - doing.since_ms);
  const std::string tokens = tokens_words(doing.use);
  // Of one that prints text nothing is known but its newest line.
  const bool told = doing.events > 0;
  const std::string words = told           ? fitted(activity_words(doing), 120)
                            : time.empty() ? "works"
                                           : "works, silent for";
  text += ", " + words + (time.empty() ? "" : (told ? "  " : " ") + time) +
          (tokens.empty() ? "" : (style.unicode ? "  · " : "  ") + tokens) + "\n";
  if (!doing.said.empty())
    text += "      " + toned(style, Tone::quiet, fitted(trimmed(doing.said), 160)) + "\n";
  return text;
}

std::string working_agents(const view::Run& run, std::int64_t now_ms, const Style& style) {
  std::string text;
  for (const view::Attempt& agent : run.attempts)
    if (agent.running && run.holder) text += working_text(run, agent, now_ms, style);
  return text;
}

}  // namespace capsule::ui
