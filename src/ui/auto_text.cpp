#include "ui/auto_text.h"

#include <algorithm>

#include "base/text.h"
#include "event/auto.h"
#include "ui/board.h"
#include "ui/run_text.h"

namespace capsule::ui {
namespace {

using signal::Status;

std::string head_of(const view::Phase& phase, const Style& style) {
  return phase_head(phase.name, phase.stage, style);
}

std::string page_line(const view::Phase& phase, const view::Course& course, const Style& style) {
  if (phase.skipped || phase.state == view::Phase::State::passed) return phase_line(phase, style);
  const std::string head = head_of(phase, style);
  if (phase.state == view::Phase::State::working)
    return head + " iteration " + std::to_string(phase.iteration) + "/" +
           std::to_string(course.most);
  return head.substr(0, head.find(phase.name) + phase.name.size());
}

}  // namespace

std::string phase_line(const view::Phase& phase, const Style& style) {
  if (phase.skipped) return head_of(phase, style) + " skipped";
  return head_of(phase, style) + " " + std::string(mark(style, Status::pass)) +
         (phase.seconds ? " (" + std::to_string(*phase.seconds) + "s)" : "");
}

std::string auto_summary(const view::Run& run, const AutoPlace& place, const Style& style) {
  if (!run.waits.empty() && run.waits.front().question > 0)
    return "\n? " + printable(run.waits.front().text) +
           "\n\nWhat next:\n  capsule approve auto\n  capsule reject auto --because=TEXT\nthen:\n  "
           "capsule auto continue\n";
  const bool complete = run.outcome == event::auto_run::name_of(event::auto_run::Outcome::complete);
  std::string text = "\n" + std::string(mark(style, complete ? Status::pass : Status::error)) +
                     " " + outcome_words(run.workflow, run.outcome, run.standing).text;
  if (!run.on_branch.empty())
    text += ", on the branch " + printable(run.on_branch) +
            "\n  description: " + printable(place.description);
  if (!run.merged_as.empty() && !place.in_place)
    text += ", merged as " + run.merged_as.substr(0, 12);
  text += "\n";
  if (const std::string evidence = workflow::evidence_words(run.evidence);
      complete && !evidence.empty())
    text += "  " + printable(evidence) + "\n";
  text += run_lines(run);
  if (!run.detail.empty()) {
    for (const std::string_view part : split(trimmed(run.detail), '\n'))
      text += "  " + printable(part) + "\n";
  }
  if (complete) return text;
  if (!place.folder.empty()) text += "  the work is in " + printable(place.folder) + "\n";
  std::string log;
  for (const view::Attempt& attempt : run.attempts)
    if (!attempt.log.empty()) log = attempt.log;
  if (!log.empty()) text += "  what the last agent printed: " + printable(log) + "\n";
  return text + "\nWhat next:\n  capsule auto continue\n";
}

std::string auto_page(const view::Run& run, const Style& style) {
  const view::Course& course = *run.course;
  std::string text = printable(course.task) + "\n";
  if (run.standing == workflow::Standing::open)
    text += "active in phase " + printable(course.phase) +
            (course.session.empty() ? ", for the first session that stops"
                                    : ", session " + printable(course.session)) +
            "\n";
  else
    text += "ended: " + printable(course.phase) + ", " + run.outcome + "\n";
  std::vector<view::Phase> phases = run.phases;
  phases.insert(phases.end(), course.left_out.begin(), course.left_out.end());
  std::sort(phases.begin(), phases.end(),
            [](const view::Phase& a, const view::Phase& b) { return a.stage < b.stage; });
  for (const view::Phase& phase : phases) text += "  " + page_line(phase, course, style) + "\n";
  if (!course.error.empty()) text += "last error: " + printable(course.error) + "\n";
  return text;
}

}  // namespace capsule::ui
