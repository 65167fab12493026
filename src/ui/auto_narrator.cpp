// Auto mode told to people: its phases, checks and reviews.
#include <map>

#include "base/fill.h"
#include "base/text.h"
#include "event/auto.h"
#include "ui/attempt_text.h"
#include "ui/auto_text.h"
#include "ui/narrator.h"
#include "ui/run_text.h"

namespace capsule::ui {
namespace {

namespace fact = event::auto_run;

class AutoNarrator : public Narrator {
 public:
  explicit AutoNarrator(Style style) : style_(style) {}

  std::string on_fact(const event::NewFact& given, view::OneRun& shown) override {
    const auto read = fact::read_fact(given.kind, given.body);
    if (!read || !shown.run().course) return {};
    lines_.clear();
    shown_ = &shown;
    if (const auto* turn = std::get_if<fact::TurnStarted>(&*read)) take(*turn);
    if (const auto* turn = std::get_if<fact::TurnFinished>(&*read)) take(*turn);
    if (const auto* checks = std::get_if<fact::ChecksDone>(&*read)) take(*checks);
    if (const auto* checked = std::get_if<fact::BaselineChecked>(&*read)) take(*checked);
    if (const auto* reviewed = std::get_if<fact::Reviewed>(&*read)) take(*reviewed);
    if (const auto* merged = std::get_if<fact::MergeDone>(&*read))
      for (const event::Claim& claim : merged->claims)
        line("      ! not exact: " + printable(claim.what) + " (" + printable(claim.detail) + ")");
    if (const auto* moved = std::get_if<fact::GroundMoved>(&*read); moved != nullptr) take(*moved);
    if (const auto* asked = std::get_if<fact::ApprovalAsked>(&*read))
      line("      ? waits for approval (question " + std::to_string(asked->question) + ")");
    if (const auto* answer = std::get_if<fact::ApprovalGiven>(&*read))
      line(std::string("      ") + (answer->approved ? "approved" : "not approved") + " (" +
           printable(answer->by) + ")" +
           (answer->text.empty() ? "" : ": " + fitted(answer->text, 160)));
    if (const auto* taken = std::get_if<fact::AnswerTakenBack>(&*read))
      line("      the answer to question " + std::to_string(taken->question) +
           " is taken back: no agent was told");
    phases_ended();
    return std::exchange(lines_, {});
  }
  std::string on_check(const workflow::CheckProgress& check) override {
    return "      " +
           (check.ended ? toned(style_, tone_of(check), result_words(check))
                        : progress_words(check) + (style_.unicode ? " …" : " ...")) +
           "\n";
  }
  std::string_view indent() const override { return "      "; }

 private:
  void line(const std::string& text) { lines_ += text + "\n"; }
  const view::Course& course() { return *shown_->run().course; }
  void take(const fact::TurnStarted& turn) {
    const std::string phase(signal::name_of(turn.phase));
    const auto before = shown_->attempt(course().agent);
    if (turn.why == fact::Why::restart && before && before->fault != event::Fault::none)
      line("      " + phase + ": called again; that costs no attempt and no iteration");
    else if (turn.why == fact::Why::go_on || turn.why == fact::Why::restart)
      line("      " + phase + ": no signal, iteration " + std::to_string(course().iteration) + "/" +
           std::to_string(course().most));
    if (turn.why == fact::Why::retry) line("      trying again: " + printable(course().error));
    if (turn.why == fact::Why::mend) line("      " + phase + ": fixing");
  }
  void take(const fact::TurnFinished& turn) {
    if (turn.fault != event::Fault::none)
      return line("      " + std::string(signal::name_of(turn.phase)) + ": its agent " +
                  (turn.detail.empty() ? "failed (" + std::string(event::name_of(turn.fault)) + ")"
                                       : printable(turn.detail)));
    if (turn.miss != signal::Miss::none)
      line("      what it printed does not end the phase: " +
           signal::sentence({turn.miss, turn.missed_line}));
  }
  void take(const fact::ChecksDone& checks) {
    const auto agent = shown_->attempt(course().agent);
    line(std::string("      checks: ") + (checks.passed ? "passed" : "failed") +
         (agent ? "; " + said_and_checked(*agent, style_) : ""));
    if (!checks.passed) lines_ += excerpt(checks.feedback, "        ");
  }
  void take(const fact::BaselineChecked& checked) {
    if (checked.state == event::Baseline::none) return;
    std::string text = baseline_words(checked.state);
    for (const event::CheckRun& run : checked.runs)
      if (run.known) text += "; " + result_words(run);  // the others were told when they ended
    line("      checks before anybody works: " + text);
  }
  void take(const fact::GroundMoved& f) {
    line("      ! " + ground_words({f.what, f.agents, "", "", ""}, *shown_));
  }
  void take(const fact::Reviewed& reviewed) {
    if (!reviewed.note.empty()) line("      ! " + printable(reviewed.note));
    for (const fact::ReviewVerdict& verdict : reviewed.verdicts) {
      line("      " + padded(verdict.type, 11) + std::string(fact::name_of(verdict.verdict)) +
           (verdict.issues.empty() ? "" : ", " + counted(verdict.issues.size(), "issue")) +
           (verdict.miss == signal::Miss::none
                ? ""
                : " (" + signal::sentence({verdict.miss, ""}) + ")"));
      lines_ += excerpt(bulleted(verdict.issues), "        ");
    }
  }
  // Those that have ended since the fact before, in their order.
  void phases_ended() {
    std::map<int, const view::Phase*> all;
    for (const view::Phase& phase : shown_->run().phases) all[phase.stage] = &phase;
    for (const view::Phase& phase : course().left_out) all[phase.stage] = &phase;
    for (const auto& [stage, phase] : all) {
      if (phase->ended != ended_[stage] && !phase->ended.empty()) line(phase_line(*phase, style_));
      ended_[stage] = phase->ended;
    }
  }

  Style style_;
  view::OneRun* shown_ = nullptr;     // while a fact is told
  std::map<int, std::string> ended_;  // by stage, as it was told last
  std::string lines_;
};

}  // namespace

std::unique_ptr<Narrator> auto_narrator(Style style) {
  return std::make_unique<AutoNarrator>(style);
}

}  // namespace capsule::ui
