#include "ui/auto_narrator.h"

#include "base/fill.h"
#include "base/text.h"
#include "ui/attempt_text.h"
#include "ui/board.h"
#include "ui/run_text.h"
#include "ui/usage_text.h"
#include "ui/view/session.h"

namespace capsule::ui {
namespace {

using auto_mode::Phase;
using auto_mode::PhaseRecord;
using signal::Status;
namespace fact = event::auto_run;

std::string head_of(Phase phase, const Style& style) {
  return phase_head(signal::name_of(phase), static_cast<int>(auto_mode::index_of(phase)) + 1,
                    style);
}

// " ✓ (12s)"
std::string passed_words(const std::optional<std::int64_t>& seconds, const Style& style) {
  return " " + std::string(mark(style, Status::pass)) +
         (seconds ? " (" + std::to_string(*seconds) + "s)" : "");
}

class AutoNarrator : public Narrator {
 public:
  AutoNarrator(const auto_mode::Run& run, Style style)
      : run_(run), style_(style), phases_(run.file.phases) {}

  std::string on_fact(const event::NewFact& given) override {
    const auto read = fact::read_fact(given.kind, given.body);
    if (!read) return {};
    lines_.clear();
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
           (check.ended ? toned(style_, tone_of(check.run), result_words(check))
                        : progress_words(check) + (style_.unicode ? " …" : " ...")) +
           "\n";
  }
  std::string_view indent() const override { return "      "; }

 private:
  void line(const std::string& text) { lines_ += text + "\n"; }
  void take(const fact::TurnStarted& turn) {
    const std::string phase(signal::name_of(turn.phase));
    if (turn.why == fact::Why::restart && run_.failed > 0)
      line("      " + phase + ": its agent has failed (" +
           std::string(event::name_of(run_.last.fault)) + ") and is called anew");
    else if (turn.why == fact::Why::go_on || turn.why == fact::Why::restart)
      line("      " + phase + ": no signal, iteration " + std::to_string(run_.file.iteration) +
           "/" + std::to_string(run_.file.max_iterations));
    if (turn.why == fact::Why::retry)
      line("      trying again: " + printable(run_.file.last_error));
    if (turn.why == fact::Why::mend) line("      " + phase + ": fixing");
  }
  const workflow::AgentSummary* agent_of(int number) const {
    for (const workflow::AgentSummary& agent : run_.agents)
      if (agent.number == number) return &agent;
    return nullptr;
  }
  void take(const fact::TurnFinished& turn) {
    if (turn.miss != signal::Miss::none)
      line("      what it printed does not end the phase: " +
           signal::sentence({turn.miss, turn.missed_line}));
  }
  void take(const fact::ChecksDone& checks) {
    const workflow::AgentSummary* agent = agent_of(run_.last.number);
    line(std::string("      checks: ") + (checks.passed ? "passed" : "failed") +
         (agent == nullptr ? "" : "; " + said_and_checked(view::attempt_of(*agent), style_)));
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
    const auto name = [this](int agent) { return workflow::agent_words(run_.agents, agent); };
    line("      ! " + printable(workflow::ground_line({f.what, f.agents, "", "", ""}, name)));
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
  void phases_ended() {
    for (std::size_t i = 0; i < auto_mode::kPhases; ++i) {
      const PhaseRecord& record = run_.file.phases[i];
      if (record.completed_at != phases_[i].completed_at && !record.completed_at.empty())
        line(phase_line(static_cast<Phase>(i), record, style_));
    }
    phases_ = run_.file.phases;
  }

  const auto_mode::Run& run_;
  Style style_;
  std::array<PhaseRecord, auto_mode::kPhases> phases_;  // as they were told last
  std::string lines_;
};

}  // namespace

std::unique_ptr<Narrator> auto_narrator(const auto_mode::Run& run, Style style) {
  return std::make_unique<AutoNarrator>(run, style);
}

std::string phase_line(Phase phase, const PhaseRecord& record, const Style& style) {
  return head_of(phase, style) +
         (record.skipped ? " skipped" : passed_words(record.duration_s, style));
}

std::string auto_summary(const view::Run& run, const AutoPlace& place, const Style& style) {
  if (!run.waits.empty() && run.waits.front().question > 0)
    return "\n? " + printable(run.waits.front().text) +
           "\n\nWhat next:\n  capsule approve auto\n  capsule reject auto --because=TEXT\nthen:\n  "
           "capsule auto continue\n";
  const bool complete = run.outcome == event::auto_run::name_of(auto_mode::Outcome::complete);
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
  if (const std::string used = usage_words(run.usage); !used.empty()) text += "  " + used + "\n";
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

namespace {

// A phase that the session leaves out is not among those of the view.
std::string page_line(const view::Run& run, const auto_mode::State& state, Phase which,
                      const Style& style) {
  const std::string head = "  " + head_of(which, style);
  for (const view::Phase& phase : run.phases) {
    if (phase.name != signal::name_of(which)) continue;
    if (phase.state == view::Phase::State::passed)
      return head + passed_words(phase.seconds, style) + "\n";
    if (phase.state == view::Phase::State::working)
      return head + " iteration " + std::to_string(phase.iteration) + "/" +
             std::to_string(state.max_iterations) + "\n";
    return head.substr(0, head.find(phase.name) + phase.name.size()) + "\n";
  }
  return head + " skipped\n";
}

}  // namespace

std::string auto_page(const auto_mode::State& state, const Style& style) {
  const view::Run run = view::session_of(state);
  std::string text = printable(state.task) + "\n";
  if (state.active)
    text += "active in phase " + printable(state.phase) +
            (state.session.empty() ? ", for the first session that stops"
                                   : ", session " + printable(state.session)) +
            "\n";
  else
    text += "ended: " + printable(state.phase) + ", " +
            std::string(auto_mode::name_of(state.exit_reason)) + "\n";
  for (std::size_t i = 0; i < auto_mode::kPhases; ++i)
    text += page_line(run, state, static_cast<Phase>(i), style);
  if (!state.last_error.empty()) text += "last error: " + printable(state.last_error) + "\n";
  return text;
}

}  // namespace capsule::ui
