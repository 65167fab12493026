#include "ui/pull_request.h"

#include <algorithm>

#include "base/text.h"
#include "ui/run_text.h"
#include "workflow/approval.h"

namespace capsule::ui {
namespace {

constexpr std::size_t kMostLine = 300, kMostLines = 40;

// One line of somebody else's words: no markup, no link, no control character.
std::string plain(std::string_view text) {
  std::string line;
  for (const char c : printable(text.substr(0, kMostLine))) {
    if (std::string_view("\\`*_[]<>#|!@~").find(c) != std::string_view::npos) line += '\\';
    line += c;
  }
  return line;
}

std::string request_lines(std::string_view text) {
  std::string result;
  std::size_t lines = 0;
  for (const std::string_view line : split(trimmed(text), '\n')) {
    if (++lines > kMostLines) return result + "> …\n";
    result += "> " + plain(line) + "\n";
  }
  return result;
}

// The newest word of each role.
std::string roles_of(const workflow::RunSummary& summary) {
  std::string text;
  for (const RoleLine& line : role_lines(view::attempts_of(summary)))
    text +=
        "- " + plain(line.role) + ": " + plain(line.last) + ", " + counted(line.runs, "run") + "\n";
  return text;
}

}  // namespace

std::string pull_request(const Described& d) {
  const workflow::RunSummary& s = d.summary;
  std::string text =
      "# " + plain(s.title.empty() || s.title == s.subject ? s.subject : s.title) + "\n\n";
  if (s.tasks.empty() && s.title != s.subject) text += "Task " + plain(s.subject) + ".\n\n";
  text += "Branch `" + printable(s.on_branch) + "`";
  if (!d.commit.empty()) text += ", one commit (" + d.commit.substr(0, 12) + ")";
  if (!d.onto.empty()) text += " on main at " + d.onto.substr(0, 12);
  text += ".\n";
  if (!trimmed(d.request).empty()) text += "\n## What was asked for\n\n" + request_lines(d.request);
  text += "\n## What was done\n\n";
  if (s.tasks.empty()) {
    std::string done;
    for (const workflow::AgentSummary& agent : s.agents)
      if (agent.fault == event::Fault::none && !agent.detail.empty())
        done = "> " + plain(agent.role + ": " + agent.detail) + "\n";
    text += done.empty() ? "See the commit.\n" : done;
  }
  for (const workflow::TaskSummary& task : s.tasks)
    text += "- " + plain(task.id + ": " + task.title) + " – " + plain(task.words) +
            (task.commit.empty() ? "" : " (" + printable(task.commit.substr(0, 12)) + ")") + "\n";
  text += "\n## What shows it\n\n";
  for (const std::string& line : workflow::check_lines(d.runs))
    text += "- " + plain(line) + ", on the files as they are on the branch\n";
  for (const workflow::TaskSummary& task : s.tasks)
    if (const std::string words = workflow::evidence_words(task.evidence); !words.empty())
      text += "- " + plain(task.id + ": " + words) + "\n";
  if (d.runs.empty() && s.tasks.empty())
    text +=
        "- The project's checks were not run again: none is set, or these very files passed "
        "before.\n";
  if (d.signed_off) text += "- Signed off, in a clean checkout of the work\n";
  text += roles_of(s);
  const std::vector<view::Remark> remarks = view::remarks_of(s);
  if (!remarks.empty()) text += "\n## To know\n\n";
  for (const view::Remark& remark : remarks) text += "- " + plain(remark.text) + "\n";
  return text;
}

}  // namespace capsule::ui
