#include "ui/report.h"

#include "base/text.h"

namespace capsule::ui {
namespace {

using event::Outcome;
using event::Phase;
using pipeline::Step;

PhaseLine& line_of(std::vector<PhaseLine>& lines, Phase phase) {
  for (PhaseLine& line : lines)
    if (line.phase == phase) return line;
  return lines.emplace_back(PhaseLine{phase});
}

struct Words {
  Outcome outcome;
  signal::Status tone;
  std::string_view text;
};
constexpr Words kWords[] = {
    {Outcome::merged, signal::Status::pass, "merged"},
    {Outcome::prepared, signal::Status::pass, "prepared; no phase is running"},
    {Outcome::retries_exhausted, signal::Status::needs_work, "not good enough: retries exhausted"},
    {Outcome::converged, signal::Status::needs_work,
     "stopped early: the reviews repeat themselves"},
    {Outcome::merge_needs_work, signal::Status::needs_work,
     "the merge agent wants work done first"},
    {Outcome::merge_refused, signal::Status::needs_work, "not merged"},
    {Outcome::paused, signal::Status::needs_work, "paused"},
    {Outcome::writer_needs_work, signal::Status::error, "aborted: a writer could not do its work"},
    {Outcome::phase_error, signal::Status::error, "aborted by an error"},
    {Outcome::merge_error, signal::Status::error, "the merge failed"},
    {Outcome::prep_failed, signal::Status::error, "the worktree could not be prepared"},
    {Outcome::interrupted, signal::Status::error, "interrupted"},
    {Outcome::aborted, signal::Status::error, "aborted by a person"},
};

// Commands that can be pasted, by how the run ended.
std::vector<std::string> next_steps(const Report& report, const Surroundings& around) {
  const pipeline::State& s = report.state;
  const std::string words = s.bead + around.project_option;
  const std::string run = "capsule run " + words + around.provider_option;
  const std::string resume = run + " --resume";
  const bool on_main = !s.merge_commit.empty() && s.outcome != Outcome::merged;
  if (on_main || (around.worktree_gone && s.outcome != Outcome::merged)) return {run};
  switch (s.outcome) {
    case Outcome::merged:
      return {"git log -2 " + around.main_branch};
    case Outcome::prepared:
      return {resume};
    case Outcome::prep_failed:
      return {run};
    case Outcome::merge_refused:
    case Outcome::merge_error:
      if (s.phase != Phase::merge) return {resume};  // it is not signed off yet
      return {"capsule merge " + words + around.provider_option};
    case Outcome::interrupted:
    case Outcome::paused:
    case Outcome::aborted:
      return {resume};
    default:
      return {"capsule log " + words, resume, run + " --clean"};
  }
}

std::string indented(std::string_view text) {
  std::string result;
  for (std::string_view line : split(text, '\n')) result += "    " + printable(line) + "\n";
  return result;
}

}  // namespace

Report report_of(const std::vector<event::PipelineFact>& facts) {
  Report report;
  for (const event::PipelineFact& fact : facts) {
    report.state = pipeline::apply(std::move(report.state), fact);
    if (const auto* f = std::get_if<event::PhaseFinished>(&fact)) {
      PhaseLine& line = line_of(report.phases, f->phase);
      ++line.runs;
      line.duration_ms += f->duration_ms;
      line.last = f->status;
    } else if (const auto* checked = std::get_if<event::PhaseChecked>(&fact)) {
      for (const event::Claim& claim : checked->claims) {
        if (claim.verdict == "unchecked") report.unchecked = claim.what + ": " + claim.detail;
        if (claim.verdict == "false" || claim.verdict == "differs")
          report.remarks.push_back(std::string(name_of(checked->phase)) + ": " + claim.what +
                                   " is " + (claim.verdict == "false" ? "false" : "not exact") +
                                   (claim.detail.empty() ? "" : " (" + claim.detail + ")"));
      }
      if (report.state.repeated && report.state.convergence == "warn")
        report.remarks.push_back(std::string(name_of(checked->phase)) +
                                 " said the same twice about the same files");
    } else if (const auto* merged = std::get_if<event::MergeDone>(&fact)) {
      report.merged_as = merged->commit;
      report.adopted = merged->adopted;
    } else if (const auto* archived = std::get_if<event::RunArchived>(&fact)) {
      report.archive = archived->folder;
    }
  }
  return report;
}

std::string outcome_line(const pipeline::State& state, const Style& style) {
  if (state.outcome == Outcome::none || state.step == Step::start) {
    std::string where = state.step == Step::run_phase && state.open
                            ? std::string(name_of(state.phase)) + " (attempt " +
                                  std::to_string(state.attempt) + "/" +
                                  std::to_string(state.max_retries) + ")"
                            : "stage " + std::to_string(pipeline::stage_of(state)) + " of 5";
    return std::string(style.unicode ? "… " : "... ") + "running: " + where;
  }
  if (state.outcome != Outcome::merged && !state.merge_commit.empty())
    return toned(style, tone_of(signal::Status::error),
                 std::string(mark(style, signal::Status::error)) + " merged as " +
                     state.merge_commit.substr(0, 12) + ", but not cleared up");
  for (const Words& words : kWords)
    if (words.outcome == state.outcome)
      return toned(style, tone_of(words.tone),
                   std::string(mark(style, words.tone)) + " " + std::string(words.text));
  return {};
}

std::string summary(const Report& report, const Surroundings& around, const Style& style) {
  const pipeline::State& s = report.state;
  std::string text = "\n" + toned(style, Tone::strong, printable(s.bead + ": " + s.title)) + "\n";
  text += "  " + outcome_line(s, style);
  if (s.outcome == Outcome::merged && !report.merged_as.empty())
    text += " into " + around.main_branch + " as " + report.merged_as.substr(0, 12);
  text += "\n";
  if (s.outcome != Outcome::merged && !s.detail.empty()) text += indented(trimmed(s.detail));
  if (s.outcome == Outcome::phase_error && !around.last_words.empty())
    text += "    its agent's last line: " + fitted(around.last_words, 160) + "\n";
  if (!report.phases.empty()) text += "\n";
  std::int64_t total = 0;
  for (const PhaseLine& line : report.phases) {
    total += line.duration_ms;
    text +=
        "  " + padded(name_of(line.phase), 16) +
        toned(style, tone_of(line.last),
              std::string(mark(style, line.last)) + " " + padded(signal::name_of(line.last), 11)) +
        padded(std::to_string(line.runs) + (line.runs == 1 ? " run" : " runs"), 9) +
        duration(line.duration_ms) + "\n";
  }
  if (report.phases.size() > 1) text += "  " + padded("in all", 38) + duration(total) + "\n";
  for (const std::string& remark : report.remarks) text += "  ! " + printable(remark) + "\n";
  if (!report.unchecked.empty())
    text += "  ! nobody but the agents has checked " + printable(report.unchecked) + "\n";
  for (const std::string& note : around.notes) text += "  " + printable(note) + "\n";
  for (const std::string& line : around.progress) text += "  " + printable(line) + "\n";
  if (!report.archive.empty()) text += "  archive: " + printable(report.archive) + "\n";
  if (s.outcome != Outcome::merged && s.outcome != Outcome::prep_failed && !s.worktree.empty())
    text += around.worktree_gone ? "  its worktree was removed since\n"
                                 : "  worktree kept: " + printable(s.worktree) + "\n";
  text += "\n" + std::string(s.outcome == Outcome::merged ? "See it:" : "What next:") + "\n";
  for (const std::string& step : next_steps(report, around)) text += "  " + step + "\n";
  return text;
}

}  // namespace capsule::ui
