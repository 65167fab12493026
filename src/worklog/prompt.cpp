#include "worklog/prompt.h"

namespace capsule::worklog {

std::string compose_prompt(std::string_view text, std::string_view feedback) {
  if (feedback.empty()) return std::string(text);
  // A blank line has to part the text from the rule, or Markdown would read a heading.
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  constexpr std::string_view kSection =
      "\n\n---\n\n"
      "## Previous Feedback\n\n"
      "The previous review returned NEEDS_WORK with the following feedback. Address these issues:"
      "\n\n";
  std::string prompt;
  prompt.reserve(text.size() + kSection.size() + feedback.size());
  prompt += text;
  prompt += kSection;
  prompt += feedback;
  return prompt;
}

}  // namespace capsule::worklog
