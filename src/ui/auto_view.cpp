#include "ui/auto_view.h"

#include <nlohmann/json.hpp>

#include "base/print.h"
#include "base/text.h"
#include "ui/view.h"

namespace capsule::ui {
namespace {

using Json = nlohmann::ordered_json;
using auto_mode::Outcome;
using auto_mode::Phase;
using auto_mode::PhaseRecord;
using auto_mode::Run;
using signal::Status;
namespace fact = event::auto_run;

std::string head_of(Phase phase, const Style& style) {
  return "[" + std::to_string(auto_mode::index_of(phase) + 1) + "/9] " +
         std::string(signal::name_of(phase)) + (style.unicode ? " …" : " ...");
}

const char* words_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete:
      return "complete";
    case Outcome::max_iterations:
      return "failed: a phase did not end with its signal";
    case Outcome::needs_person:
      return "stopped: a person has to decide";
    case Outcome::checks_failed:
      return "failed: the project's own checks fail";
    case Outcome::not_approved:
      return "failed: the reviewers did not approve it";
    case Outcome::merge_refused:
      return "not merged";
    case Outcome::interrupted:
      return "interrupted";
    case Outcome::cancelled:
      return "cancelled";
    case Outcome::error:
    case Outcome::none:
      break;
  }
  return "stopped by an error";
}

}  // namespace

std::string phase_line(Phase phase, const PhaseRecord& record, const Style& style) {
  std::string line = head_of(phase, style) + " ";
  if (record.skipped) return line + "skipped";
  line += mark(style, Status::pass);
  if (record.duration_s) line += " (" + std::to_string(*record.duration_s) + "s)";
  return line;
}

void AutoView::line(const std::string& text) {
  print((drawn_ ? "\r\x1b[K" : "") + text + "\n");
  drawn_ = false;
}

void AutoView::phase_ended(const Run& before, const Run& after) {
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
    const PhaseRecord& record = after.file.phases[i];
    if (record.completed_at == before.file.phases[i].completed_at || record.completed_at.empty())
      continue;
    line(phase_line(static_cast<Phase>(i), record, style_));
  }
}

void AutoView::on_fact(const fact::Fact& fact, const Run& before, const Run& after) {
  if (face_ == Face::json) {
    Json json = Json::parse(fact::body_of(fact));
    json["event"] = fact::kind_of(fact);
    json["run"] = run_;
    return print(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  if (const auto* turn = std::get_if<fact::TurnStarted>(&fact); turn != nullptr) {
    if (turn->why == fact::Why::go_on || turn->why == fact::Why::restart)
      line("      " + std::string(signal::name_of(turn->phase)) + ": no signal, iteration " +
           std::to_string(after.file.iteration) + "/" + std::to_string(after.file.max_iterations));
    if (turn->why == fact::Why::retry) line("      once more: " + printable(after.file.last_error));
    if (turn->why == fact::Why::mend)
      line("      " + std::string(signal::name_of(turn->phase)) + ": mending");
  }
  if (const auto* checks = std::get_if<fact::ChecksDone>(&fact))
    line(std::string("      checks: ") + (checks->passed ? "passed" : "failed"));
  if (const auto* reviewed = std::get_if<fact::Reviewed>(&fact)) {
    if (!reviewed->note.empty()) line("      ! " + printable(reviewed->note));
    for (const fact::ReviewVerdict& verdict : reviewed->verdicts)
      line("      " + padded(verdict.type, 11) + std::string(fact::name_of(verdict.verdict)) +
           (verdict.issues.empty() ? ""
                                   : ", " + std::to_string(verdict.issues.size()) +
                                         (verdict.issues.size() == 1 ? " issue" : " issues")));
  }
  phase_ended(before, after);
  if (face_ != Face::live || after.phase == Phase::complete || after.step == auto_mode::Step::ended)
    return;
  print("\r\x1b[K" + head_of(after.phase, style_));
  drawn_ = true;
}

std::string auto_summary(const Run& run, const Style& style) {
  const Status status = run.outcome == Outcome::complete ? Status::pass : Status::error;
  std::string text = "\n" + std::string(mark(style, status)) + " " + words_for(run.outcome);
  if (!run.merged_as.empty() && !run.begun.in_place)
    text += ", merged as " + run.merged_as.substr(0, 12);
  text += "\n";
  if (!run.detail.empty()) {
    for (const std::string_view part : split(trimmed(run.detail), '\n'))
      text += "  " + printable(part) + "\n";
  }
  if (run.outcome == Outcome::complete) return text;
  if (!run.folder.empty()) text += "  the work is in " + printable(run.folder) + "\n";
  if (!run.last.log.empty()) text += "  the last agent's words: " + printable(run.last.log) + "\n";
  return text + "\nWhat next:\n  capsule auto continue\n";
}

}  // namespace capsule::ui
