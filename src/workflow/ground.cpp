#include "workflow/ground.h"

#include <algorithm>

#include "base/text.h"

namespace capsule::workflow {
namespace {

constexpr std::size_t kMostLines = 200;

std::string when(const event::GroundMoved& moved, const AgentNamed& name) {
  if (moved.agents.empty()) return "while none of its agents ran";
  std::vector<std::string> names;
  names.reserve(moved.agents.size());
  for (const int agent : moved.agents) names.push_back(name(agent));
  return "while " + short_list(names) + " ran";
}

std::string short_branch(std::string_view ref) {
  constexpr std::string_view kHeads = "refs/heads/";
  if (ref.starts_with(kHeads)) ref.remove_prefix(kHeads.size());
  return printable(ref);
}

}  // namespace

std::string agent_words(const std::vector<AgentSummary>& agents, int number) {
  const std::string text = "agent " + std::to_string(number);
  const auto found = std::find_if(agents.rbegin(), agents.rend(),
                                  [&](const auto& agent) { return agent.number == number; });
  return found == agents.rend() ? text : found->role + " (" + text + ")";
}

std::string ground_line(const event::GroundMoved& moved, const AgentNamed& name) {
  return when(moved, name) + ": " + joined(moved.what, "; ");
}

std::string main_moved_text(const event::GroundMoved& moved, const AgentNamed& name,
                            std::string_view then) {
  const std::string main = short_branch(moved.main);
  const std::string from = printable(moved.from), to = printable(moved.to);
  std::string text;
  if (moved.to.empty())
    text = main + " was removed " + when(moved, name) + ", and Capsule did not do that\n";
  else
    text = main + " was moved to " + to.substr(0, 12) + " " + when(moved, name) +
           ", and Capsule did not do that\n";
  if (!moved.from.empty() && !moved.to.empty())
    text += "look at it: git log --oneline " + from + ".." + to + "\n";
  if (!moved.from.empty())
    text += "should it not be there, put " + main +
            " back, where it is checked out by: git reset --keep " + from + "\n";
  return text + "then go on: " + std::string(then);
}

void GroundState::apply(const event::GroundMoved& moved, const AgentNamed& name) {
  if (lines.size() < kMostLines) lines.push_back(ground_line(moved, name));
  if (moved.main.empty()) return;
  if (main.empty())
    main.push_back(moved);
  else
    main.front().to = moved.to;
}

}  // namespace capsule::workflow
