#include "ui/report.h"

#include "base/text.h"
#include "ui/usage_text.h"
#include "workflow/supply/state.h"

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
  if (around.whole && around.whole->standing == workflow::Standing::waiting) {
    std::vector<std::string> steps;
    for (const workflow::Waiting& wait : around.whole->waits)
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

namespace {

Report report_of(const std::vector<event::PipelineFact>& facts, const supply::State& supplied) {
  Report report;
  for (const event::PipelineFact& fact : facts) {
    phases::apply(report.state, fact);
    if (const auto* checked = std::get_if<event::PhaseChecked>(&fact)) {
      for (const event::Claim& claim : checked->claims)
        if (claim.verdict == event::Verdict::unchecked)
          report.unchecked = claim.what + ": " + claim.detail;
      if (report.state.repeated && report.state.convergence == event::Convergence::warn)
        report.remarks.push_back(checked->phase + " said the same twice about the same files");
    } else if (const auto* archived = std::get_if<event::RunArchived>(&fact)) {
      report.archive = archived->folder;
    }
  }
  workflow::RunSummary summary = phases::summary(report.state);
  supply::complete(summary, supplied);
  report.usage = summary.usage;
  report.phases = role_lines(summary);
  const std::vector<std::string> remarks = remarks_of(summary);
  report.remarks.insert(report.remarks.begin(), remarks.begin(), remarks.end());
  if (report.state.baseline == event::Baseline::red && report.state.red_allowed)
    report.remarks.insert(report.remarks.begin(),
                          "the project's checks failed before anybody worked (verify.baseline: "
                          "red-allowed): what failed then was tolerated");
  return report;
}

}  // namespace

Report report_of(const std::vector<event::PipelineFact>& facts) { return report_of(facts, {}); }

Report report_of(const std::vector<event::Fact>& facts) {
  std::vector<event::PipelineFact> read;
  supply::State supplied;
  for (const event::Fact& fact : facts) {
    if (event::supply::is_supply(fact.kind)) {
      if (const auto one = event::supply::read_fact(fact.kind, fact.body))
        supply::apply(supplied, *one);
    } else if (auto one = event::read_fact(fact.kind, fact.body)) {
      read.push_back(*std::move(one));
    }
  }
  return report_of(read, supplied);
}

std::string summary(const Report& report, const Surroundings& around, const Style& style) {
  const phases::State& s = report.state;
  engine::Run run;
  run.summary = around.whole ? *around.whole : phases::summary(s);
  const bool well = good(s);
  std::string text = "\n" + toned(style, Tone::strong, printable(s.bead + ": " + s.title)) + "\n";
  text += "  " + standing_line(run, style);
  if (s.outcome == event::Outcome::merged && !s.merge_commit.empty())
    text += " into " + around.main_branch + " as " + s.merge_commit.substr(0, 12);
  if (s.outcome == event::Outcome::on_branch) text += " " + printable(s.branch);
  text += "\n";
  if (const std::string evidence = workflow::evidence_words(s.evidence); well && !evidence.empty())
    text += "  " + printable(evidence) + "\n";
  if (!well && !s.detail.empty()) text += indented(trimmed(s.detail));
  if (s.outcome == event::Outcome::phase_error && !around.last_words.empty())
    text += "    the agent's last line: " + fitted(around.last_words, 160) + "\n";
  if (!report.phases.empty()) text += "\n" + role_table(report.phases, style);
  std::int64_t total = 0;
  for (const RoleLine& line : report.phases) total += line.duration_ms;
  if (report.phases.size() > 1)
    text += "  " + padded("in all", 38) + duration(total) +
            (s.checks_ms > 0 ? ", and " + duration(s.checks_ms) + " of checks" : "") + "\n";
  if (const std::string used = usage_words(report.usage); !used.empty()) text += "  " + used + "\n";
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
