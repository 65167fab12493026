#include "ui/report.h"

#include "base/text.h"
#include "event/pipeline.h"
#include "ui/run_text.h"
#include "workflow/phases/phases.h"

namespace capsule::ui {
namespace {

event::Outcome outcome_of(const view::Run& run) {
  for (int i = 0; i < event::kOutcomes; ++i)
    if (const auto one = static_cast<event::Outcome>(i); run.outcome == event::name_of(one))
      return one;
  return event::Outcome::none;
}

bool good(const view::Run& run) {
  const event::Outcome outcome = outcome_of(run);
  return outcome == event::Outcome::merged || outcome == event::Outcome::on_branch ||
         outcome == event::Outcome::finished;
}

// Commands that can be pasted, by how the run ended.
std::vector<std::string> next_steps(const view::Run& view, const Surroundings& around) {
  const std::string words = view.subject + around.project_option;
  const std::string run = "capsule run " + words + around.provider_option;
  const std::string resume = run + " --resume";
  const std::string anew = run + start_options(view.workflow, view.looks_at);
  if (view.standing == workflow::Standing::waiting) {
    std::vector<std::string> steps;
    for (const view::Wait& wait : view.waits) {
      if (wait.kind == workflow::Waiting::For::approval)
        return {"capsule approve " + words, "capsule reject " + words + " --because=TEXT", run};
      if (wait.question != 0)
        steps.push_back("capsule answer " + std::to_string(wait.question) + " TEXT" +
                        around.project_option);
    }
    steps.push_back(run);
    return steps;
  }
  // The work is where it belongs, and only what comes after is left to do.
  const bool there = !view.merged_as.empty() || !view.on_branch.empty();
  if (there && !good(view)) return {run};
  if (around.worktree_gone && !good(view)) return {anew};
  switch (outcome_of(view)) {
    case event::Outcome::merged:
      return {"git log -2 " + around.main_branch};
    case event::Outcome::on_branch:
      return {"git log -2 " + view.on_branch};
    case event::Outcome::finished:
      return {"capsule log " + words};
    case event::Outcome::prepared:
      return {resume};
    case event::Outcome::prep_failed:
      return {anew};
    case event::Outcome::merge_refused:
    case event::Outcome::merge_error:
      // Else it is not signed off yet.
      if (!view.can_merge) return {resume};
      return {"capsule merge " + words + around.provider_option};
    case event::Outcome::interrupted:
    case event::Outcome::paused:
    case event::Outcome::aborted:
    case event::Outcome::rejected:
      return {resume};
    default:
      return {"capsule log " + words, resume, anew + " --clean"};
  }
}

std::string indented(std::string_view text) {
  std::string result;
  for (std::string_view line : split(text, '\n')) result += "    " + printable(line) + "\n";
  return result;
}

}  // namespace

std::string start_options(const std::string& workflow, const std::string& looks_at) {
  if (workflow == phases::kPipeline) return {};
  return " --workflow=" + workflow + (looks_at.empty() ? "" : " --branch=" + shell_word(looks_at));
}

std::string summary(const view::Run& run, const Surroundings& around, const Style& style) {
  const bool well = good(run);
  const event::Outcome outcome = outcome_of(run);
  std::string text =
      "\n" + toned(style, Tone::strong, printable(run.subject + ": " + run.title)) + "\n";
  text += "  " + standing_line(run, style);
  if (outcome == event::Outcome::merged && !run.merged_as.empty())
    text += " into " + around.main_branch + " as " + run.merged_as.substr(0, 12);
  if (outcome == event::Outcome::on_branch) text += " " + printable(run.on_branch);
  text += "\n";
  if (const std::string evidence = workflow::evidence_words(run.evidence);
      well && !evidence.empty())
    text += "  " + printable(evidence) + "\n";
  if (!well && !run.detail.empty()) text += indented(trimmed(run.detail));
  if (outcome == event::Outcome::phase_error && !around.last_words.empty())
    text += "    the agent's last line: " + fitted(around.last_words, 160) + "\n";
  const std::vector<RoleLine> roles = role_lines(run.attempts);
  if (!roles.empty()) text += "\n" + role_table(roles, style);
  const std::int64_t checks_ms = run.usage.checks_ms;
  if (roles.size() > 1)
    text += "  " + padded("in all", 38) + duration(run.usage.duration_ms) +
            (checks_ms > 0 ? ", and " + duration(checks_ms) + " of checks" : "") + "\n";
  text += run_lines(run);
  for (const view::Remark& remark : run.remarks) text += "  ! " + printable(remark.text) + "\n";
  if (!run.unchecked.empty())
    text += "  ! only the agents have checked " + printable(run.unchecked) + "\n";
  for (const std::string& note : around.notes) text += "  " + printable(note) + "\n";
  for (const std::string& line : around.progress) text += "  " + printable(line) + "\n";
  if (!run.archive.empty()) text += "  archive: " + printable(run.archive) + "\n";
  if (!well && outcome != event::Outcome::prep_failed && !run.trees.empty())
    text += around.worktree_gone ? "  its worktree has been removed\n"
                                 : "  worktree kept: " + printable(run.trees.front().folder) + "\n";
  // Scripts look for these words.
  if (well)
    text += "\n" +
            (run.workflow == phases::kPipeline ? std::string("Pipeline")
                                               : "Workflow " + printable(run.workflow)) +
            " complete\n";
  text += "\n" + std::string(well ? "See it:" : "What next:") + "\n";
  for (const std::string& step : next_steps(run, around)) text += "  " + step + "\n";
  return text;
}

}  // namespace capsule::ui
