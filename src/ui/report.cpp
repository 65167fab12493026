#include "ui/report.h"

#include "base/text.h"
#include "engine/run.h"
#include "event/supply.h"
#include "ui/usage_text.h"
#include "ui/view/fold.h"

namespace capsule::ui {
namespace {

bool good(const phases::State& s) {
  return s.outcome == event::Outcome::merged || s.outcome == event::Outcome::on_branch ||
         s.outcome == event::Outcome::finished;
}

// Whether it was at the phase that commits the work.
bool commits(const phases::State& s) {
  const event::PhaseRule* rule = phases::find_phase(s.definition, s.phase);
  return rule != nullptr && rule->commits;
}

// Commands that can be pasted, by how the run ended.
std::vector<std::string> next_steps(const Report& report, const Surroundings& around) {
  const phases::State& s = report.state;
  const std::string words = s.bead + around.project_option;
  const std::string run = "capsule run " + words + around.provider_option;
  const std::string resume = run + " --resume";
  const std::string anew = run + start_options(s);
  if (phases::Rules::waits_for_person(s))
    return {"capsule approve " + words, "capsule reject " + words + " --because=TEXT", run};
  if (report.run.standing == workflow::Standing::waiting) {
    std::vector<std::string> steps;
    for (const view::Wait& wait : report.run.waits)
      if (wait.question != 0)
        steps.push_back("capsule answer " + std::to_string(wait.question) + " TEXT" +
                        around.project_option);
    steps.push_back(run);
    return steps;
  }
  // The work is where it belongs, and only what comes after is left to do.
  if (!s.merge_commit.empty() && !good(s)) return {run};
  if (around.worktree_gone && !good(s)) return {anew};
  switch (s.outcome) {
    case event::Outcome::merged:
      return {"git log -2 " + around.main_branch};
    case event::Outcome::on_branch:
      return {"git log -2 " + s.branch};
    case event::Outcome::finished:
      return {"capsule log " + words};
    case event::Outcome::prepared:
      return {resume};
    case event::Outcome::prep_failed:
      return {anew};
    case event::Outcome::merge_refused:
    case event::Outcome::merge_error:
      // Else it is not signed off yet.
      if (!phases::merges_again(s) && !commits(s)) return {resume};
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

std::string start_options(const phases::State& state) {
  if (state.definition.name == phases::kPipeline) return {};
  return " --workflow=" + state.definition.name +
         (state.on_branch.empty() ? "" : " --branch=" + shell_word(state.on_branch));
}

Report report_of(const std::vector<event::Fact>& facts) {
  Report report;
  for (const event::Fact& fact : facts) {
    if (event::supply::is_supply(fact.kind)) continue;
    const auto read = event::read_fact(fact.kind, fact.body);
    if (!read) continue;
    phases::apply(report.state, *read);
    if (const auto* checked = std::get_if<event::PhaseChecked>(&*read)) {
      for (const event::Claim& claim : checked->claims)
        if (claim.verdict == event::Verdict::unchecked)
          report.unchecked = claim.what + ": " + claim.detail;
      if (report.state.repeated && report.state.convergence == event::Convergence::warn)
        report.remarks.push_back(checked->phase + " said the same twice about the same files");
    } else if (const auto* archived = std::get_if<event::RunArchived>(&*read)) {
      report.archive = archived->folder;
    }
  }
  engine::RunHead head;
  head.run = facts.empty() ? "" : facts.front().run;
  head.workflow = phases::kPipeline;
  head.subject = report.state.bead;
  view::Fold fold;
  fold.head(head);
  for (const event::Fact& fact : facts) fold.apply(fact);
  report.run = fold.project().runs.front();
  std::vector<std::string> remarks;
  if (report.state.baseline == event::Baseline::red && report.state.red_allowed)
    remarks.push_back(
        "the project's checks failed before anybody worked (verify.baseline: red-allowed): what "
        "failed then was tolerated");
  for (const view::Remark& remark : report.run.remarks) remarks.push_back(remark.text);
  report.remarks.insert(report.remarks.begin(), remarks.begin(), remarks.end());
  return report;
}

std::string summary(const Report& report, const Surroundings& around, const Style& style) {
  const phases::State& s = report.state;
  const bool well = good(s);
  std::string text = "\n" + toned(style, Tone::strong, printable(s.bead + ": " + s.title)) + "\n";
  text += "  " + standing_line(report.run, style);
  if (s.outcome == event::Outcome::merged && !s.merge_commit.empty())
    text += " into " + around.main_branch + " as " + s.merge_commit.substr(0, 12);
  if (s.outcome == event::Outcome::on_branch) text += " " + printable(s.branch);
  text += "\n";
  if (const std::string evidence = workflow::evidence_words(s.evidence); well && !evidence.empty())
    text += "  " + printable(evidence) + "\n";
  if (!well && !s.detail.empty()) text += indented(trimmed(s.detail));
  if (s.outcome == event::Outcome::phase_error && !around.last_words.empty())
    text += "    the agent's last line: " + fitted(around.last_words, 160) + "\n";
  const std::vector<RoleLine> roles = role_lines(report.run.attempts);
  if (!roles.empty()) text += "\n" + role_table(roles, style);
  if (roles.size() > 1)
    text += "  " + padded("in all", 38) + duration(report.run.usage.duration_ms) +
            (s.checks_ms > 0 ? ", and " + duration(s.checks_ms) + " of checks" : "") + "\n";
  if (const std::string used = usage_words(report.run.usage); !used.empty())
    text += "  " + used + "\n";
  for (const std::string& remark : report.remarks) text += "  ! " + printable(remark) + "\n";
  if (!report.unchecked.empty())
    text += "  ! only the agents have checked " + printable(report.unchecked) + "\n";
  for (const std::string& note : around.notes) text += "  " + printable(note) + "\n";
  for (const std::string& line : around.progress) text += "  " + printable(line) + "\n";
  if (!report.archive.empty()) text += "  archive: " + printable(report.archive) + "\n";
  if (!well && s.outcome != event::Outcome::prep_failed && !s.worktree.empty())
    text += around.worktree_gone ? "  its worktree has been removed\n"
                                 : "  worktree kept: " + printable(s.worktree) + "\n";
  // Scripts look for these words.
  if (well)
    text += "\n" +
            (s.definition.name == phases::kPipeline ? std::string("Pipeline")
                                                    : "Workflow " + printable(s.definition.name)) +
            " complete\n";
  text += "\n" + std::string(well ? "See it:" : "What next:") + "\n";
  for (const std::string& step : next_steps(report, around)) text += "  " + step + "\n";
  return text;
}

}  // namespace capsule::ui
