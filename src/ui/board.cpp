#include "ui/board.h"

#include <algorithm>

#include "base/fill.h"
#include "base/moment.h"
#include "base/text.h"
#include "engine/run.h"
#include "ui/activity_text.h"
#include "ui/attempt_text.h"

namespace capsule::ui {
namespace {

using view::Attempt;
using Progress = view::Phase::State;

constexpr std::size_t kKeptTail = 4096;
constexpr std::string_view kSpinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::string_view kPlainSpinner[] = {"|", "/", "-", "\\"};

// How long something took, or takes already; empty: not known.
std::string time_of(const std::string& began, const std::string& ended, const Frame& frame) {
  const auto from = milliseconds_of(began);
  if (!from) return {};
  return duration(std::max<std::int64_t>(
      0, (ended.empty() ? frame.epoch_ms : milliseconds_of(ended).value_or(*from)) - *from));
}

std::vector<const Attempt*> running_of(const view::Run& run) {
  std::vector<const Attempt*> running;
  for (const Attempt& attempt : run.attempts)
    if (attempt.running) running.push_back(&attempt);
  return running;
}

// What an agent does now, in one line: by the events of its client, or the newest line it printed.
// Fitted; ends with the tokens that it used so far, where they are known and there is room.
std::string doing_line(const view::Run& run, const Attempt& attempt, const Frame& frame,
                       std::size_t columns, Said said = Said::here) {
  for (const view::Wait& wait : run.waits)
    if (attempt.held && wait.agent == attempt.agent)
      return fitted(view::short_words(wait), columns);
  const auto found = frame.doing.find(attempt.agent);
  if (found == frame.doing.end())
    return fitted(replace_all(dialect::line_words(frame.last_line(attempt.agent)), "\t", "  "),
                  columns);
  constexpr std::size_t kLeast = 30;  // for what it does
  const dialect::Activity& activity = found->second;
  const std::string tokens = tokens_words(activity.use);
  if (tokens.empty() || columns < kLeast + tokens.size() + 2)
    return activity_line(activity, frame.now_ms, columns, said);
  const std::string line = activity_line(activity, frame.now_ms, columns - tokens.size() - 2, said);
  const std::size_t used = columns_of(line) + tokens.size();
  return line + std::string(columns - std::min(columns, used), ' ') + tokens;
}

// `head`, and behind it what the agent does, as far as there is room.
std::string agent_row(const std::string& head, const view::Run& run, const Attempt& attempt,
                      const Frame& frame) {
  const std::size_t used = columns_of(head);
  return (used < frame.columns ? head + doing_line(run, attempt, frame, frame.columns - used)
                               : fitted(head, frame.columns)) +
         "\n";
}

std::string check_words(const RunningCheck& one, const Frame& frame) {
  return progress_words(one.check) + "  " + duration(frame.now_ms - one.began_ms);
}

// ---- A delivery: a row for each agent, and for what is being merged

std::string delivery_board(const view::Run& run, const Frame& frame, const Style& style) {
  if (run.now.empty()) return {};
  const auto questions = std::count_if(run.waits.begin(), run.waits.end(),
                                       [](const view::Wait& wait) { return wait.question > 0; });
  const std::string head = run.title + ": " + run.now +
                           (questions > 0 ? ", " + counted(questions, "open question") : "");
  std::string text = toned(style, Tone::strong, fitted(head, frame.columns)) + "\n";
  const std::vector<const Attempt*> running = running_of(run);
  std::size_t used = 1;
  const auto row_head = [](const std::string& task) {
    return "  " + padded(fitted(task.empty() ? "plan" : task, 16), 16) + " ";
  };
  for (const Attempt* attempt : running) {
    if (used + 1 >= frame.rows && used < running.size()) {
      text +=
          fitted("  and " + std::to_string(running.size() - used + 1) + " more", frame.columns) +
          "\n";
      break;
    }
    text += agent_row(row_head(attempt->task) + padded(attempt->role, 16) + " " +
                          padded(std::to_string(attempt->attempt), 3) + " " +
                          padded(time_of(attempt->began, "", frame), 8) + " ",
                      run, *attempt, frame);
    ++used;
  }
  bool merge_shown = false;
  for (const RunningCheck& one : frame.checks) {
    if (used++ >= frame.rows) break;
    merge_shown |= one.check.what == workflow::CheckFor::merge;
    text += fitted(row_head(one.check.task) + check_words(one, frame), frame.columns) + "\n";
  }
  if (!run.merging.empty() && !merge_shown && used < frame.rows)
    text += fitted(row_head(run.merging) + "merging", frame.columns) + "\n";
  return text;
}

// ---- Auto mode: its phase on a line, and reviewers below it

std::string auto_board(const view::Run& run, const Frame& frame, const Style& style) {
  if (run.now.empty()) return {};
  std::string head = printable(run.now);
  for (const view::Phase& phase : run.phases)
    if (phase.state == Progress::working) head = phase_head(phase.name, phase.stage, style);
  if (!frame.checks.empty())
    return fitted(head + " " + check_words(frame.checks.front(), frame), frame.columns) + "\n";
  const std::vector<const Attempt*> running = running_of(run);
  if (running.size() == 1)
    return agent_row(head + " " + time_of(running.front()->began, "", frame) + "  ", run,
                     *running.front(), frame);
  std::string text = fitted(head, frame.columns) + "\n";
  for (const Attempt* attempt : running)
    text += agent_row("  " + padded(printable(attempt->role), 22), run, *attempt, frame);
  return text;
}

// ---- A run of phases: every step, with what attempts said and what was found

std::string mark_of(Progress state, std::int64_t now_ms, const Style& style) {
  const auto frame = static_cast<std::size_t>(now_ms / 100);
  switch (state) {
    case Progress::to_come:
      return toned(style, Tone::quiet, style.unicode ? "·" : ".");
    case Progress::working:
      return toned(style, Tone::strong,
                   style.unicode ? kSpinner[frame % std::size(kSpinner)]
                                 : kPlainSpinner[frame % std::size(kPlainSpinner)]);
    case Progress::passed:
      return toned(style, Tone::good, mark(style, signal::Status::pass));
    case Progress::sent_back:
    case Progress::failed:
      break;
  }
  return toned(style, Tone::bad, mark(style, signal::Status::error));
}

class PhasesBoard {
 public:
  PhasesBoard(const view::Run& run, const Frame& frame, const Style& style)
      : run_(run), frame_(frame), style_(style), width_(std::max<std::size_t>(frame.columns, 20)) {}

  std::string text() const {
    std::string text =
        toned(style_, Tone::strong, fitted(run_.subject + ": " + run_.title, width_)) + "\n";
    // Notes as far as there is room, those of the newest step first: a picture that is higher than
    // the terminal cannot be drawn anew.
    constexpr std::size_t kMostNotes = 6;
    const std::vector<const Attempt*> running = running_of(run_);
    const std::size_t used = run_.steps.size() + running.size() + frame_.checks.size() + 4;
    std::size_t room = 2 * frame_.rows > used ? 2 * frame_.rows - used : 0;
    std::vector<std::vector<std::string>> notes;
    for (const view::Step& step : run_.steps) notes.push_back(notes_of(step));
    for (std::size_t i = notes.size(); i-- > 0;) {
      const std::size_t shown = std::min({notes[i].size(), kMostNotes, room});
      notes[i].erase(notes[i].begin(), notes[i].end() - static_cast<std::ptrdiff_t>(shown));
      room -= shown;
    }
    for (std::size_t i = 0; i < run_.steps.size(); ++i) {
      text += step_row(i);
      for (const std::string& note : notes[i])
        text += "      " + toned(style_, Tone::quiet, fitted(note, width_ - 7)) + "\n";
    }
    if (!run_.outcome.empty()) return text;
    for (const Attempt* attempt : running) text += agent_rows(*attempt, running.size() > 1, room);
    for (const RunningCheck& one : frame_.checks)
      text += below(check_words(one, frame_), Tone::quiet);
    if (running.empty() && frame_.checks.empty()) text += below("", Tone::quiet);
    return text;
  }

 private:
  const view::Phase& phase(int place) const { return run_.phases[static_cast<std::size_t>(place)]; }
  // The places of all attempts of a step, in their order.
  std::vector<int> attempts_of(const view::Step& step) const {
    std::vector<int> places;
    for (const int one : step.phases)
      places.insert(places.end(), phase(one).attempts.begin(), phase(one).attempts.end());
    std::sort(places.begin(), places.end());
    return places;
  }
  const Attempt& attempt(int place) const { return run_.attempts[static_cast<std::size_t>(place)]; }

  std::vector<std::string> notes_of(const view::Step& step) const {
    std::vector<std::string> notes;
    for (const int place : attempts_of(step)) {
      const Attempt& one = attempt(place);
      const bool bad = status_of(one) != signal::Status::pass;
      if (one.running || (!bad && one.found.empty())) continue;
      notes.push_back(one.role + " " + std::to_string(one.attempt) + ": " +
                      said_and_checked(one, Style{false, style_.unicode}));
      if (const std::string_view why = trimmed(one.sent_back);
          bad && !why.empty() && !one.said.empty())
        notes.push_back("  " + std::string(why.substr(why.rfind('\n') + 1)));
    }
    return notes;
  }

  // "test-review: NEEDS_WORK (attempt 1/3)"
  std::string attempt_words(int place) const {
    const Attempt& one = attempt(place);
    int most = 0;
    for (const view::Phase& phase : run_.phases)
      if (phase.name == one.role) most = phase.most;
    const std::string said = one.said.empty() ? std::string(event::name_of(one.fault)) : one.said;
    return one.role + (one.running ? "" : ": " + said) + " (attempt " +
           std::to_string(one.attempt) + (most > 0 ? "/" + std::to_string(most) : "") + ")";
  }
  // What came of the merge, when that is the newest thing about it.
  std::string merge_words(const std::string& after) const {
    using Kind = view::Mark::Kind;
    for (auto mark = run_.marks.rbegin(); mark != run_.marks.rend(); ++mark) {
      if (mark->when.at < after) break;
      if (mark->kind == Kind::refused) return "not merged: " + mark->text;
      if (mark->kind == Kind::merged)
        return (run_.on_branch.empty() ? "merged as " : "committed as ") +
               mark->text.substr(0, 12) + (run_.on_branch.empty() ? "" : " on " + run_.on_branch);
    }
    return {};
  }
  std::string details_of(const view::Step& step, bool last) const {
    const bool here = step.state == Progress::working;
    const bool approval = std::any_of(
        run_.waits.begin(), run_.waits.end(),
        [](const view::Wait& wait) { return wait.kind == workflow::Waiting::For::approval; });
    if (here && approval) return run_.now;
    std::string details;
    const std::vector<int> places = attempts_of(step);
    if (last) details = merge_words(places.empty() ? step.began : attempt(places.back()).began);
    if (!details.empty() || places.empty()) return details;
    // Only those that run together stand side by side.
    if (!step.together) return attempt_words(places.back());
    for (const int one : step.phases)
      if (!phase(one).attempts.empty())
        details += (details.empty() ? "" : ", ") + attempt_words(phase(one).attempts.back());
    return details;
  }
  std::string step_row(std::size_t i) const {
    const view::Step& step = run_.steps[i];
    std::vector<std::string> names;
    for (const int one : step.phases) names.push_back(phase(one).name);
    std::string one = step_title(static_cast<int>(i) + 1, static_cast<int>(run_.steps.size()),
                                 names, step.together, style_);
    if (const std::string time = time_of(step.began, step.ended, frame_); !time.empty())
      one += "  " + time;
    if (const std::string words = details_of(step, i + 1 == run_.steps.size()); !words.empty())
      one += "  " + words;
    one = fitted(one, width_ - 4);
    return "  " + mark_of(step.state, frame_.now_ms, style_) + " " +
           (step.state == Progress::to_come ? toned(style_, Tone::quiet, one) : one) + "\n";
  }

  std::string below(const std::string& words, Tone tone) const {
    return "    " + toned(style_, Tone::quiet, style_.unicode ? "│ " : "| ") +
           toned(style_, tone, fitted(replace_all(words, "\t", "  "), width_ - 7)) + "\n";
  }
  std::string agent_rows(const Attempt& one, bool several, std::size_t room) const {
    const std::string head = several ? one.role + ": " : "";
    const std::size_t columns = width_ - 7 - std::min(width_ - 8, columns_of(head));
    const auto doing = frame_.doing.find(one.agent);
    const bool told = doing != frame_.doing.end();
    // The newest words of an agent that works alone have a line of their own.
    const bool alone = !several && told && !doing->second.said.empty() && room > 0;
    return (alone ? below(doing->second.said, Tone::quiet) : "") +
           below(
               head + doing_line(run_, one, frame_, columns, alone ? Said::elsewhere : Said::here),
               told ? Tone::plain : Tone::quiet);
  }

  const view::Run& run_;
  const Frame& frame_;
  const Style& style_;
  const std::size_t width_;
};

}  // namespace

std::string board(const view::Run& run, const Frame& frame, const Style& style) {
  if (run.facts == 0) return {};
  if (run.workflow == engine::kDelivery) return delivery_board(run, frame, style);
  if (run.workflow == engine::kAuto) return auto_board(run, frame, style);
  return PhasesBoard(run, frame, style).text();
}

std::string step_title(int step, int steps, const std::vector<std::string>& phases, bool together,
                       const Style& style) {
  std::string title = "[" + std::to_string(step) + "/" + std::to_string(steps) + "] ";
  if (phases.empty()) return title + "Prep";
  if (phases.size() == 1) {
    std::string name = printable(phases.front());
    if (name.front() >= 'a' && name.front() <= 'z') name.front() -= 'a' - 'A';
    return title + name;
  }
  title += together ? "At once: " : phases.size() == 2 ? "Phase pair: " : "Phases: ";
  const std::string between = together ? ", " : " " + std::string(arrow(style)) + " ";
  for (std::size_t i = 0; i < phases.size(); ++i)
    title += (i == 0 ? "" : between) + printable(phases[i]);
  return title;
}

std::string phase_head(std::string_view phase, int number, const Style& style) {
  return "[" + std::to_string(number) + "/9] " + std::string(phase) +
         (style.unicode ? " …" : " ...");
}

void LastLine::feed(std::string_view bytes) {
  // Only the end can be seen: of one large piece the rest is not even copied.
  if (bytes.size() > kKeptTail) bytes = bytes.substr(bytes.size() - kKeptTail);
  partial_ += bytes;
  if (partial_.size() > 2 * kKeptTail) partial_.erase(0, partial_.size() - kKeptTail);
  const std::size_t end = partial_.find_last_of('\n');
  if (end == partial_.npos) {
    if (!trimmed(partial_).empty()) shown_ = trimmed(partial_);
    return;
  }
  const std::string_view complete = trimmed(std::string_view(partial_).substr(0, end));
  if (!complete.empty()) shown_ = complete.substr(complete.find_last_of('\n') + 1);
  partial_.erase(0, end + 1);
}

}  // namespace capsule::ui
