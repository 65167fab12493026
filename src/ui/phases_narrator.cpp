#include "ui/phases_narrator.h"

#include <algorithm>
#include <set>

#include "base/fill.h"
#include "base/text.h"
#include "ui/attempt_text.h"
#include "ui/board.h"
#include "ui/run_text.h"
#include "workflow/phases/check.h"

namespace capsule::ui {
namespace {

std::string first_line(std::string_view text) {
  return printable(text.substr(0, std::min(text.find('\n'), std::size_t{300})));
}

class PhasesNarrator : public Narrator {
 public:
  PhasesNarrator(const phases::State& state, Style style) : state_(state), style_(style) {}

  std::string on_fact(const event::NewFact& fact) override {
    const auto read = event::read_fact(fact.kind, fact.body);
    if (!read) return {};
    lines_.clear();
    std::visit([this](const auto& one) { take(one); }, *read);
    return std::exchange(lines_, {});
  }
  std::string on_check(const workflow::CheckProgress& check) override {
    return "  " +
           (check.ended ? toned(style_, tone_of(check.run), result_words(check))
                        : progress_words(check) + (style_.unicode ? " …" : " ...")) +
           "\n";
  }
  bool lines_above_board() const override { return false; }
  std::string_view indent() const override { return "  "; }

 private:
  std::string attempt(const std::string& phase, int number) const {
    const int most = phases::attempts_of(state_.definition, phase, state_.max_retries);
    return " (attempt " + std::to_string(number) + "/" + std::to_string(most) + ")";
  }
  void line(const std::string& text) { lines_ += text + "\n"; }
  const workflow::AgentSummary* agent_of(int number) const {
    for (const workflow::AgentSummary& agent : state_.agents)
      if (agent.number == number) return &agent;
    return nullptr;
  }
  void heading(int stage) {
    if (stage == headed_) return;
    headed_ = stage;
    std::vector<std::string> names;
    std::set<int> groups;
    for (const event::PhaseRule& phase : state_.definition.phases) {
      if (std::max(phase.stage, 1) != stage) continue;
      names.push_back(phase.name);
      groups.insert(phase.group);
    }
    const bool together = groups.size() == 1 && *groups.begin() != 0;
    line(toned(style_, Tone::strong,
               step_title(stage, phases::stages(state_.definition), names, together, style_)));
  }

  void take(const event::RunStarted&) {
    line("Capsule: " + printable(state_.bead + ": " + state_.title));
    heading(1);
  }
  void take(const event::RunResumed&) {
    line("Capsule goes on with " + printable(state_.bead + ": " + state_.title));
  }
  void take(const event::WorktreeReady& f) {
    line("  worktree: " + printable(f.worktree));
    line("  branch: " + printable(f.branch));
  }
  void take(const event::BaselineChecked& f) {
    if (f.state == event::Baseline::none) return;
    std::string text = baseline_words(f.state);
    for (const event::CheckRun& run : f.runs)
      if (run.known) text += "; " + result_words(run);  // the others were told when they ended
    line("  checks before anybody works: " +
         toned(style_, f.state == event::Baseline::green ? Tone::good : Tone::warn, text));
  }
  void take(const event::PhaseStarted& f) {
    if (f.by_hand) return;
    heading(phases::stage_of(state_));
    line("  " + printable(f.phase) + ": running" + attempt(f.phase, f.attempt));
  }
  void take(const event::PhaseFinished& f) {
    line("  " + printable(f.phase) + ": " +
         toned(style_, tone_of(f.status), signal::name_of(f.status)) + attempt(f.phase, f.attempt));
    if (f.miss != signal::Miss::none)
      line("    what it printed does not count: " + signal::sentence({f.miss, ""}));
    if (f.status != signal::Status::pass) lines_ += excerpt(f.feedback, "    ");
  }
  void take(const event::PhaseChecked& f) {
    const workflow::AgentSummary* agent = agent_of(f.number);
    if (agent != nullptr && (!agent->found.empty() || !f.passed)) {
      line("  " + printable(f.phase) + ": " + said_and_checked(view::attempt_of(*agent), style_));
      if (!f.passed) lines_ += excerpt(f.feedback, "    ");
    }
    if (state_.repeated && state_.convergence == event::Convergence::warn)
      line("  " + printable(f.phase) + ": " +
           toned(style_, Tone::warn, "said the same twice about the same files"));
  }
  void take(const event::ApprovalAsked& f) {
    const bool merge = f.about == event::Approval::merge;
    line("  ? " + (merge ? std::string("the merge") : printable(f.phase)) +
         ": waits for approval (question " + std::to_string(f.question) + ")");
  }
  void take(const event::ApprovalGiven& f) {
    line(f.approved ? "  approved (" + printable(f.by) + ")"
                    : "  not approved (" + printable(f.by) + ")" +
                          (f.text.empty() ? "" : ": " + first_line(f.text)));
  }
  void take(const event::AnswerTakenBack& f) {
    line("  the answer to question " + std::to_string(f.question) +
         " is taken back: no agent was told");
  }
  void take(const event::MergeDone& f) {
    heading(phases::stages(state_.definition));
    const bool on_main = state_.integrate != event::Integrate::branch;
    const std::string words = (on_main ? "merged as " : "committed as ") + f.commit.substr(0, 12) +
                              (on_main ? "" : " on " + state_.branch);
    const std::string evidence = workflow::evidence_words(f.evidence);
    line("  " + printable(words) + (evidence.empty() ? "" : ": " + evidence));
  }
  void take(const event::MergeRefused& f) {
    heading(phases::stages(state_.definition));
    line("  " + toned(style_, Tone::warn, "not merged") + ": " + first_line(f.detail));
    if (const std::size_t rest = f.detail.find('\n'); rest != f.detail.npos)
      lines_ += excerpt(std::string_view(f.detail).substr(rest + 1), "    ");
  }
  void take(const event::GroundMoved& f) {
    const auto name = [this](int agent) { return workflow::agent_words(state_.agents, agent); };
    line("  " + toned(style_, Tone::warn, "! " + printable(workflow::ground_line(f, name))));
  }
  void take(const event::BeadClosed&) { line("  closed " + printable(state_.bead)); }
  void take(const auto&) {}

  const phases::State& state_;
  Style style_;
  std::string lines_;
  int headed_ = 0;  // the stage whose heading was told last
};

}  // namespace

std::unique_ptr<Narrator> phases_narrator(const phases::State& state, Style style) {
  return std::make_unique<PhasesNarrator>(state, style);
}

std::string workflow_page(const event::Definition& definition, int max_retries) {
  const int most = phases::most_runs(definition, max_retries);
  return (definition.summary.empty() ? "" : printable(definition.summary) + "\n\n") +
         phases::picture(definition, max_retries) +
         (most > 0 ? "\nAt most " + counted(most, "agent run") +
                         " with max_retries: " + std::to_string(max_retries) + ".\n"
                   : std::string("\nIt can go in more ways than can be counted.\n"));
}

}  // namespace capsule::ui
