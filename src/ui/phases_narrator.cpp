#include "ui/phases_narrator.h"

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "ui/attempt_text.h"
#include "ui/run_text.h"
#include "workflow/phases/check.h"

namespace capsule::ui {
namespace {

constexpr std::string_view kSpinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::string_view kPlainSpinner[] = {"|", "/", "-", "\\"};

struct StageRow {
  enum class Progress { waiting, running, passed, failed } progress = Progress::waiting;
  std::map<std::string, std::string> details;  // by phase: "test-review: NEEDS_WORK (attempt 1/3)"
  std::vector<std::string> notes;              // what attempts said, and what was found
  std::int64_t began_ms = 0, took_ms = 0;
};
using Progress = StageRow::Progress;

std::string first_line(std::string_view text) {
  return printable(text.substr(0, std::min(text.find('\n'), std::size_t{300})));
}

std::string mark_of(const StageRow& stage, std::int64_t now_ms, const Style& style) {
  const auto frame = static_cast<std::size_t>(now_ms / 100);
  switch (stage.progress) {
    case Progress::waiting:
      return toned(style, Tone::quiet, style.unicode ? "·" : ".");
    case Progress::running:
      return toned(style, Tone::strong,
                   style.unicode ? kSpinner[frame % std::size(kSpinner)]
                                 : kPlainSpinner[frame % std::size(kPlainSpinner)]);
    case Progress::passed:
      return toned(style, Tone::good, mark(style, signal::Status::pass));
    case Progress::failed:
      break;
  }
  return toned(style, Tone::bad, mark(style, signal::Status::error));
}

class PhasesNarrator : public Narrator {
 public:
  PhasesNarrator(const phases::State& state, Style style) : state_(state), style_(style) {}

  std::string on_fact(const event::NewFact& fact, std::int64_t now_ms) override {
    const auto read = event::read_fact(fact.kind, fact.body);
    if (!read) return {};
    now_ms_ = now_ms;
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
  std::string board(const Frame& frame) override;
  bool lines_above_board() const override { return false; }
  bool asks() const override { return phases::Rules::waits_for_person(state_); }
  workflow::RunSummary summary() const override { return phases::summary(state_); }
  std::string task() const override { return state_.bead; }

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
  // For the picture, which has no lines above it.
  void note(const workflow::AgentSummary& agent) {
    StageRow& stage = enter(std::max(current_, 1));
    stage.notes.push_back(agent.role + " " + std::to_string(agent.attempt) + ": " +
                          said_and_checked(agent, Style{false, style_.unicode}));
    const bool bad = status_of(agent) != signal::Status::pass;
    if (const std::string_view why = trimmed(agent.why); bad && !why.empty() && !agent.said.empty())
      stage.notes.push_back("  " + std::string(why.substr(why.rfind('\n') + 1)));
  }
  // What a stage that is left behind came to: nobody ticks what was refused or never run.
  Progress left_as(int stage) const;
  void heading(int stage) {
    if (stage == headed_) return;
    headed_ = stage;
    line(toned(style_, Tone::strong, stage_title(state_.definition, stage, style_)));
  }
  StageRow& enter(int stage);
  StageRow& last_stage() { return enter(phases::stages(state_.definition)); }

  void take(const event::RunStarted&) {
    line("Capsule: " + printable(state_.bead + ": " + state_.title));
    heading(1);
    begin();
  }
  void take(const event::RunResumed&) {
    line("Capsule goes on with " + printable(state_.bead + ": " + state_.title));
    begin();
  }
  void begin() {
    ended_ = false;
    const int stage = phases::stage_of(state_);
    enter(stage);
    for (int before = 1; before < stage; ++before)
      stages_[static_cast<std::size_t>(before - 1)].progress = left_as(before);
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
    const int stage = phases::stage_of(state_);
    heading(stage);
    line("  " + printable(f.phase) + ": running" + attempt(f.phase, f.attempt));
    StageRow& entered = enter(stage);
    // Only those that run together stand side by side.
    if (running_.empty()) entered.details.clear();
    running_[f.phase] = f.number;
    entered.details[f.phase] = f.phase + attempt(f.phase, f.attempt);
  }
  void take(const event::PhaseFinished& f) {
    line("  " + printable(f.phase) + ": " +
         toned(style_, tone_of(f.status), signal::name_of(f.status)) + attempt(f.phase, f.attempt));
    if (f.miss != signal::Miss::none)
      line("    what it printed does not count: " + signal::sentence({f.miss, ""}));
    if (f.status != signal::Status::pass) lines_ += excerpt(f.feedback, "    ");
    if (const workflow::AgentSummary* agent = agent_of(f.number);
        agent != nullptr && f.status != signal::Status::pass && current_ > 0)
      note(*agent);
    running_.erase(f.phase);
    if (current_ > 0)
      enter(current_).details[f.phase] =
          f.phase + ": " + std::string(signal::name_of(f.status)) + attempt(f.phase, f.attempt);
  }
  void take(const event::PhaseChecked& f) {
    const workflow::AgentSummary* agent = agent_of(f.number);
    if (agent != nullptr && (!agent->found.empty() || !f.passed)) {
      line("  " + printable(f.phase) + ": " + said_and_checked(*agent, style_));
      if (!f.passed) lines_ += excerpt(f.feedback, "    ");
      note(*agent);
    }
    if (state_.repeated && state_.convergence == event::Convergence::warn)
      line("  " + printable(f.phase) + ": " +
           toned(style_, Tone::warn, "said the same twice about the same files"));
  }
  void take(const event::ApprovalAsked& f) {
    const bool merge = f.about == event::Approval::merge;
    line("  ? " + (merge ? std::string("the merge") : printable(f.phase)) +
         ": waits for approval (question " + std::to_string(f.question) + ")");
    if (current_ > 0) enter(current_).details[f.phase] = f.phase + " waits for approval";
  }
  void take(const event::ApprovalGiven& f) {
    line(f.approved ? "  approved (" + printable(f.by) + ")"
                    : "  not approved (" + printable(f.by) + ")" +
                          (f.text.empty() ? "" : ": " + first_line(f.text)));
  }
  void take(const event::MergeDone& f) {
    heading(phases::stages(state_.definition));
    const bool on_main = state_.integrate != event::Integrate::branch;
    const std::string words = (on_main ? "merged as " : "committed as ") + f.commit.substr(0, 12) +
                              (on_main ? "" : " on " + state_.branch);
    const std::string evidence = workflow::evidence_words(f.evidence);
    line("  " + printable(words) + (evidence.empty() ? "" : ": " + evidence));
    last_stage().details = {{"", words}};
  }
  void take(const event::MergeRefused& f) {
    heading(phases::stages(state_.definition));
    line("  " + toned(style_, Tone::warn, "not merged") + ": " + first_line(f.detail));
    if (const std::size_t rest = f.detail.find('\n'); rest != f.detail.npos)
      lines_ += excerpt(std::string_view(f.detail).substr(rest + 1), "    ");
    last_stage().details = {{"", "not merged: " + f.detail}};
  }
  void take(const event::GroundMoved& f) {
    const auto name = [this](int agent) { return workflow::agent_words(state_.agents, agent); };
    line("  " + toned(style_, Tone::warn, "! " + printable(workflow::ground_line(f, name))));
  }
  void take(const event::BeadClosed&) { line("  closed " + printable(state_.bead)); }
  void take(const event::RunEnded& f) {
    running_.clear();
    StageRow& stage = enter(std::max(current_, 1));
    stage.progress = phases::exit_code(f.outcome) == 0 ? Progress::passed : Progress::failed;
    stage.took_ms = std::max<std::int64_t>(1, now_ms_ - stage.began_ms);
    ended_ = true;
  }
  void take(const auto&) {}

  const phases::State& state_;
  Style style_;
  std::string lines_;
  int headed_ = 0;  // the stage whose heading was told last
  std::vector<StageRow> stages_;
  int current_ = 0;
  bool ended_ = false;
  std::map<std::string, int> running_;  // phases, and the numbers of their agents
  std::int64_t now_ms_ = 0;
};

Progress PhasesNarrator::left_as(int stage) const {
  const auto newest = [&](const std::string& phase) {
    const workflow::AgentSummary* found = nullptr;
    for (const workflow::AgentSummary& agent : state_.agents)
      if (agent.role == phase) found = &agent;
    return found;
  };
  bool ran = false, bad = false, one_is_good = false, any = false, empty = true;
  for (const event::PhaseRule& rule : state_.definition.phases) {
    if (std::max(rule.stage, 1) != stage) continue;
    empty = false;
    any |= rule.any;
    const workflow::AgentSummary* agent = newest(rule.name);
    if (agent == nullptr || agent->running) continue;
    ran = true;
    const bool good = status_of(*agent) == signal::Status::pass;
    (good ? one_is_good : bad) = true;
  }
  if (empty) return Progress::passed;
  if (!ran) return Progress::waiting;
  return bad && !(any && one_is_good) ? Progress::failed : Progress::passed;
}

StageRow& PhasesNarrator::enter(int stage) {
  stages_.resize(std::max<std::size_t>(
      stages_.size(), static_cast<std::size_t>(phases::stages(state_.definition))));
  stage = std::clamp(stage, 1, static_cast<int>(stages_.size()));
  if (stage != current_) {
    if (current_ > 0) {
      StageRow& left = stages_[static_cast<std::size_t>(current_ - 1)];
      if (left.progress == Progress::running) {
        left.progress = left_as(current_);
        left.took_ms = std::max<std::int64_t>(1, now_ms_ - left.began_ms);
      }
    }
    current_ = stage;
    StageRow& entered = stages_[static_cast<std::size_t>(stage - 1)];
    entered.progress = Progress::running;
    entered.began_ms = now_ms_;
  }
  return stages_[static_cast<std::size_t>(stage - 1)];
}

std::string PhasesNarrator::board(const Frame& frame) {
  if (current_ == 0) return {};  // nothing is told yet
  const std::size_t width = std::max<std::size_t>(frame.columns, 20);
  std::string text =
      toned(style_, Tone::strong, fitted(state_.bead + ": " + state_.title, width)) + "\n";
  // Notes as far as there is room, those of the newest stage first: a picture that is higher than
  // the terminal cannot be drawn anew.
  constexpr std::size_t kMostNotes = 6;
  const std::size_t used = stages_.size() + running_.size() + frame.checks.size() + 4;
  std::size_t room = 2 * frame.rows > used ? 2 * frame.rows - used : 0;
  std::vector<std::size_t> shown(stages_.size());
  for (std::size_t i = stages_.size(); i-- > 0;) {
    shown[i] = std::min({stages_[i].notes.size(), kMostNotes, room});
    room -= shown[i];
  }
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const StageRow& stage = stages_[i];
    std::string one = stage_title(state_.definition, static_cast<int>(i) + 1, style_);
    if (stage.progress == Progress::running || stage.took_ms > 0)
      one += "  " + duration(stage.progress == Progress::running ? frame.now_ms - stage.began_ms
                                                                 : stage.took_ms);
    std::string details;
    for (const auto& [phase, detail] : stage.details)
      details += (details.empty() ? "  " : ", ") + detail;
    one = fitted(one + details, width - 4);
    text += "  " + mark_of(stage, frame.now_ms, style_) + " " +
            (stage.progress == Progress::waiting ? toned(style_, Tone::quiet, one) : one) + "\n";
    for (std::size_t k = stage.notes.size() - shown[i]; k < stage.notes.size(); ++k)
      text += "      " + toned(style_, Tone::quiet, fitted(stage.notes[k], width - 7)) + "\n";
  }
  if (ended_) return text;
  const std::string bar = style_.unicode ? "│ " : "| ";
  const auto below = [&](const std::string& words, Tone tone) {
    const std::string line = fitted(replace_all(words, "\t", "  "), width - 7);
    text += "    " + toned(style_, Tone::quiet, bar) + toned(style_, tone, line) + "\n";
  };
  for (const auto& [phase, number] : running_) {
    const std::string head = running_.size() > 1 ? phase + ": " : "";
    const std::size_t columns = width - 7 - std::min(width - 8, columns_of(head));
    const dialect::Activity* doing = frame.activity(number);
    // The newest words of an agent that works alone have a line of their own.
    const bool alone = head.empty() && doing != nullptr && !doing->said.empty() && room > 0;
    if (alone) below(doing->said, Tone::quiet);
    below(head + doing_line(frame, number, columns, alone ? Said::elsewhere : Said::here),
          doing == nullptr ? Tone::quiet : Tone::plain);
  }
  for (const RunningCheck& one : frame.checks)
    below(progress_words(one.check) + "  " + duration(frame.now_ms - one.began_ms), Tone::quiet);
  if (running_.empty() && frame.checks.empty()) below("", Tone::quiet);
  return text;
}

}  // namespace

std::string stage_title(const event::Definition& definition, int stage, const Style& style) {
  std::string title =
      "[" + std::to_string(stage) + "/" + std::to_string(phases::stages(definition)) + "] ";
  std::vector<const event::PhaseRule*> inside;
  for (const event::PhaseRule& phase : definition.phases)
    if (std::max(phase.stage, 1) == stage) inside.push_back(&phase);
  if (inside.empty()) return title + "Prep";
  const bool together = inside.size() > 1 && inside.front()->group != 0 &&
                        inside.front()->group == inside.back()->group;
  if (inside.size() == 1) {
    std::string name = printable(inside.front()->name);
    if (name.front() >= 'a' && name.front() <= 'z') name.front() -= 'a' - 'A';
    return title + name;
  }
  title += together ? "At once: " : inside.size() == 2 ? "Phase pair: " : "Phases: ";
  const std::string between = together ? ", " : " " + std::string(arrow(style)) + " ";
  for (std::size_t i = 0; i < inside.size(); ++i)
    title += (i == 0 ? "" : between) + printable(inside[i]->name);
  return title;
}

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
