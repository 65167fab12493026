#include "world/prompts.h"

#include <algorithm>

#include "base/text.h"
#include "worklog/prompt.h"
#include "worklog/template.h"

namespace capsule::world {
namespace {

constexpr std::string_view kContext = "CONTEXT";
constexpr const char* kEarlier =
    "---\n\n## What you did so far\n\nYou were interrupted, and not by anything you did. Look at "
    "what there is, and go on from there.\n\n";

std::string conflict_text(const std::vector<std::string>& files) {
  if (files.empty()) return {};
  std::string text =
      "These files hold conflict markers (<<<<<<<, =======, >>>>>>>); resolve them:\n";
  for (const std::string& file : files) text += "- " + file + "\n";
  return text;
}

// Two paragraphs, or the one that there is.
std::string joined(std::string_view first, std::string_view second) {
  while (first.ends_with('\n')) first.remove_suffix(1);
  if (first.empty() || second.empty()) return std::string(first.empty() ? second : first);
  return std::string(first) + "\n\n" + std::string(second);
}

}  // namespace

Result<std::string> compose_prompt(std::string_view text, const workflow::Prompt& prompt,
                                   const Surroundings& around) {
  const std::string conflicts = conflict_text(around.conflicts);
  if (prompt.values.empty()) {
    std::string whole = conflicts.empty() ? std::string(text) : joined(text, conflicts);
    if (!around.history.empty()) whole = joined(whole, kEarlier + around.history);
    return worklog::compose_prompt(whole, prompt.feedback) + prompt.appended;
  }
  std::string context = conflicts;
  std::vector<worklog::Variable> values;
  for (const workflow::Variable& value : prompt.values) {
    if (value.name == kContext && !conflicts.empty())
      context = joined(value.text, conflicts);
    else
      values.push_back({value.name, value.text});
  }
  const worklog::Variable known[] = {{kContext, context},
                                     {"VERIFY", around.verify},
                                     {"BASE", around.base},
                                     {"HISTORY", around.history},
                                     {"EXPERTISE", around.expertise},
                                     {"GOES_ON", around.goes_on ? "yes" : ""}};
  for (const worklog::Variable& value : known)
    if (std::none_of(values.begin(), values.end(),
                     [&](const worklog::Variable& other) { return other.name == value.name; }))
      values.push_back(value);
  auto rendered = worklog::render(text, values);
  if (!rendered)
    return fail(rendered.error().reason, prompt.file + ": " + rendered.error().message,
                rendered.error().hint);
  return worklog::compose_prompt(*rendered, prompt.feedback) + prompt.appended;
}

std::string compose_follow_up(std::string_view text, const workflow::Prompt& prompt,
                              const Surroundings& around) {
  std::string told = joined(conflict_text(around.conflicts), prompt.follow_up);
  if (prompt.values.empty() && text.starts_with("# "))
    told = joined(trimmed(text.substr(0, text.find('\n'))), told);
  return worklog::compose_prompt(told, prompt.feedback);
}

}  // namespace capsule::world
