#include "ui/live.h"

#include <algorithm>

#include "base/text.h"
#include "ui/plain.h"

namespace capsule::ui {
namespace {

using namespace event;
using Look = LiveStage::Look;

constexpr std::size_t kKeptTail = 4096;
constexpr std::string_view kSpinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::string_view kPlainSpinner[] = {"|", "/", "-", "\\"};

std::string mark_of(const LiveStage& stage, std::int64_t now_ms, const Style& style) {
  const auto frame = static_cast<std::size_t>(now_ms / 100);
  switch (stage.look) {
    case Look::waiting:
      return toned(style, Tone::quiet, style.unicode ? "·" : ".");
    case Look::running:
      return toned(style, Tone::strong,
                   style.unicode ? kSpinner[frame % std::size(kSpinner)]
                                 : kPlainSpinner[frame % std::size(kPlainSpinner)]);
    case Look::passed:
      return toned(style, Tone::good, mark(style, signal::Status::pass));
    case Look::failed:
      break;
  }
  return toned(style, Tone::bad, mark(style, signal::Status::error));
}

std::string attempt(int number, int of) {
  return " (attempt " + std::to_string(number) + "/" + std::to_string(of) + ")";
}

}  // namespace

std::string picture(const LiveModel& model, std::size_t columns, std::int64_t now_ms,
                    const Style& style) {
  const std::size_t width = std::max<std::size_t>(columns, 20);
  std::string text = toned(style, Tone::strong, fitted(model.title, width)) + "\n";
  for (std::size_t i = 0; i < model.stages.size(); ++i) {
    const LiveStage& stage = model.stages[i];
    std::string line = stage_title(static_cast<int>(i) + 1, style);
    if (stage.look == Look::running || stage.took_ms > 0)
      line +=
          "  " + duration(stage.look == Look::running ? now_ms - stage.began_ms : stage.took_ms);
    if (!stage.detail.empty()) line += "  " + stage.detail;
    line = fitted(line, width - 4);
    text += "  " + mark_of(stage, now_ms, style) + " " +
            (stage.look == Look::waiting ? toned(style, Tone::quiet, line) : line) + "\n";
  }
  if (!model.ended)
    text += "    " +
            toned(style, Tone::quiet,
                  std::string(style.unicode ? "│ " : "| ") + fitted(model.last_line, width - 7)) +
            "\n";
  return text;
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

LiveStage& LiveView::enter(int stage) {
  const std::int64_t now = terminal_.now_ms();
  if (stage != current_) {
    if (current_ > 0) {
      LiveStage& left = model_.stages[static_cast<std::size_t>(current_ - 1)];
      if (left.look == Look::running) {
        left.look = Look::passed;
        left.took_ms = std::max<std::int64_t>(1, now - left.began_ms);
      }
    }
    current_ = stage;
    LiveStage& entered = model_.stages[static_cast<std::size_t>(stage - 1)];
    entered.look = Look::running;
    entered.began_ms = now;
  }
  return model_.stages[static_cast<std::size_t>(stage - 1)];
}

void LiveView::on_fact(const PipelineFact& fact, const pipeline::State& after, const std::string&) {
  if (std::holds_alternative<RunStarted>(fact) || std::holds_alternative<RunResumed>(fact)) {
    model_.title = after.bead + ": " + after.title;
    for (int stage = 1; stage < pipeline::stage_of(after); ++stage)
      model_.stages[static_cast<std::size_t>(stage - 1)].look = Look::passed;
    enter(pipeline::stage_of(after));
  } else if (const auto* started = std::get_if<PhaseStarted>(&fact)) {
    line_ = {};  // another agent speaks
    enter(pipeline::stage_of(after)).detail =
        std::string(name_of(started->phase)) + attempt(started->attempt, after.max_retries);
  } else if (const auto* finished = std::get_if<PhaseFinished>(&fact)) {
    enter(current_).detail = std::string(name_of(finished->phase)) + ": " +
                             std::string(signal::name_of(finished->status)) +
                             attempt(finished->attempt, after.max_retries);
  } else if (const auto* refused = std::get_if<MergeRefused>(&fact)) {
    enter(5).detail = "not merged: " + refused->detail;
  } else if (const auto* merged = std::get_if<MergeDone>(&fact)) {
    enter(5).detail = "merged as " + merged->commit.substr(0, 12);
  } else if (const auto* end = std::get_if<RunEnded>(&fact)) {
    LiveStage& stage = enter(std::max(current_, 1));
    const bool good = pipeline::exit_code(end->outcome) == 0;
    stage.look = good ? Look::passed : Look::failed;
    stage.took_ms = std::max<std::int64_t>(1, terminal_.now_ms() - stage.began_ms);
    model_.ended = true;
  }
  draw();
}

void LiveView::draw() {
  model_.last_line = line_.take();
  std::string text = picture(model_, terminal_.columns(), terminal_.now_ms(), style_);
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  if (drawn_lines_ > 0) text = "\x1b[" + std::to_string(drawn_lines_) + "A\r\x1b[J" + text;
  terminal_.write(text);
  drawn_lines_ = lines;
}

void LiveView::close() {
  if (drawn_lines_ > 0 && !model_.ended) {
    model_.ended = true;
    draw();
  }
  drawn_lines_ = 0;
}

}  // namespace capsule::ui
