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
std::string roles_of(const view::Run& run) {
  std::string text;
  for (const RoleLine& line : role_lines(run.attempts))
    text +=
        "- " + plain(line.role) + ": " + plain(line.last) + ", " + counted(line.runs, "run") + "\n";
  return text;
}

}  // namespace

std::string pull_request(const Described& d) {
  const view::Run& run = d.run;
  std::string text = "# " + plain(run.title.empty() ? run.name : run.title) + "\n\n";
  if (is_phases(run) && run.title != run.subject) text += "Task " + plain(run.subject) + ".\n\n";
  text += "Branch `" + printable(run.on_branch) + "`";
  if (!d.commit.empty()) text += ", one commit (" + d.commit.substr(0, 12) + ")";
  if (!d.onto.empty()) text += " on main at " + d.onto.substr(0, 12);
  text += ".\n";
  if (!trimmed(d.request).empty()) text += "\n## What was asked for\n\n" + request_lines(d.request);
  text += "\n## What was done\n\n";
  if (run.tasks.empty()) {
    std::string done;
    for (const view::Attempt& attempt : run.attempts)
      if (attempt.fault == event::Fault::none && !attempt.detail.empty())
        done = "> " + plain(attempt.role + ": " + attempt.detail) + "\n";
    text += done.empty() ? "See the commit.\n" : done;
  }
  for (const view::Task& task : run.tasks)
    text += "- " + plain(task.id + ": " + task.title) + " – " + plain(task.words) +
            (task.commit.empty() ? "" : " (" + printable(task.commit.substr(0, 12)) + ")") + "\n";
  text += "\n## What shows it\n\n";
  for (const std::string& line : workflow::check_lines(d.runs))
    text += "- " + plain(line) + ", on the files as they are on the branch\n";
  for (const view::Task& task : run.tasks)
    if (const std::string words = workflow::evidence_words(task.evidence); !words.empty())
      text += "- " + plain(task.id + ": " + words) + "\n";
  if (d.runs.empty() && run.tasks.empty())
    text +=
        "- The project's checks were not run again: none is set, or these very files passed "
        "before.\n";
  if (d.signed_off) text += "- Signed off, in a clean checkout of the work\n";
  text += roles_of(run);
  if (!run.remarks.empty()) text += "\n## To know\n\n";
  for (const view::Remark& remark : run.remarks) text += "- " + plain(remark.text) + "\n";
  return text;
}

}  // namespace capsule::ui
