// A run of phases told to people: its stages, and the verdict of each phase.
#include <algorithm>

#include "base/text.h"
#include "event/pipeline.h"
#include "ui/attempt_text.h"
#include "ui/board.h"
#include "ui/narrator.h"
#include "ui/run_text.h"

namespace capsule::ui {
namespace {

std::string first_line(std::string_view text) {
  return printable(text.substr(0, std::min(text.find('\n'), std::size_t{300})));
}

class PhasesNarrator : public Narrator {
 public:
  explicit PhasesNarrator(Style style) : style_(style) {}

  std::string on_fact(const event::NewFact& fact, view::OneRun& shown) override {
    const auto read = event::read_fact(fact.kind, fact.body);
    if (!read) return {};
    lines_.clear();
    shown_ = &shown;
    std::visit([this](const auto& one) { take(one); }, *read);
    return std::exchange(lines_, {});
  }
  std::string on_check(const workflow::CheckProgress& check) override {
    return "  " +
           (check.ended ? toned(style_, tone_of(check), result_words(check))
                        : progress_words(check) + (style_.unicode ? " …" : " ...")) +
           "\n";
  }
  bool lines_above_board() const override { return false; }
  std::string_view indent() const override { return "  "; }

 private:
  const view::Run& run() { return shown_->run(); }
  std::string attempt(const std::string& phase, int number) {
    std::string text = " (attempt " + std::to_string(number);
    for (const view::Phase& one : run().phases)
      if (one.name == phase && one.most > 0) text += "/" + std::to_string(one.most);
    return text + ")";
  }
  std::string task() { return printable(run().subject + ": " + run().title); }
  void line(const std::string& text) { lines_ += text + "\n"; }
  void heading(int number) {
    const std::vector<view::Step>& steps = run().steps;
    if (number == headed_ || number < 1 || number > static_cast<int>(steps.size())) return;
    headed_ = number;
    const view::Step& step = steps[static_cast<std::size_t>(number - 1)];
    std::vector<std::string> names;
    for (const int phase : step.phases)
      names.push_back(run().phases[static_cast<std::size_t>(phase)].name);
    line(toned(style_, Tone::strong,
               step_title(number, static_cast<int>(steps.size()), names, step.together, style_)));
  }

  void take(const event::RunStarted&) {
    line("Capsule: " + task());
    heading(1);
  }
  void take(const event::RunResumed&) { line("Capsule goes on with " + task()); }
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
    heading(run().step);
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
    const auto agent = shown_->attempt(f.number);
    if (agent && (!agent->found.empty() || !f.passed)) {
      line("  " + printable(f.phase) + ": " + said_and_checked(*agent, style_));
      if (!f.passed) lines_ += excerpt(f.feedback, "    ");
    }
    if (run().repeats)
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
    heading(static_cast<int>(run().steps.size()));
    const bool on_main = run().on_branch.empty();
    const std::string words = (on_main ? "merged as " : "committed as ") + f.commit.substr(0, 12) +
                              (on_main ? "" : " on " + run().on_branch);
    const std::string evidence = workflow::evidence_words(f.evidence);
    line("  " + printable(words) + (evidence.empty() ? "" : ": " + evidence));
  }
  void take(const event::MergeRefused& f) {
    heading(static_cast<int>(run().steps.size()));
    line("  " + toned(style_, Tone::warn, "not merged") + ": " + first_line(f.detail));
    if (const std::size_t rest = f.detail.find('\n'); rest != f.detail.npos)
      lines_ += excerpt(std::string_view(f.detail).substr(rest + 1), "    ");
  }
  void take(const event::GroundMoved& f) {
    line("  " + toned(style_, Tone::warn, "! " + ground_words(f, *shown_)));
  }
  void take(const event::BeadClosed&) { line("  closed " + printable(run().subject)); }
  void take(const auto&) {}

  Style style_;
  view::OneRun* shown_ = nullptr;  // while a fact is told
  std::string lines_;
  int headed_ = 0;  // the stage whose heading was told last
};

}  // namespace

std::unique_ptr<Narrator> phases_narrator(Style style) {
  return std::make_unique<PhasesNarrator>(style);
}

}  // namespace capsule::ui
