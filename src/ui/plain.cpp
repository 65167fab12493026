#include "ui/plain.h"

#include "base/text.h"

namespace capsule::ui {
namespace {

using namespace event;

std::string first_line(std::string_view text) {
  return printable(text.substr(0, std::min(text.find('\n'), std::size_t{300})));
}

std::string attempt(const pipeline::State& state, int number) {
  return " (attempt " + std::to_string(number) + "/" + std::to_string(state.max_retries) + ")";
}

}  // namespace

std::string stage_title(int stage, const Style& style) {
  const std::string to = " " + std::string(arrow(style)) + " ";
  switch (stage) {
    case 1:
      return "[1/5] Prep";
    case 2:
      return "[2/5] Phase pair: test-writer" + to + "test-review";
    case 3:
      return "[3/5] Phase pair: execute" + to + "execute-review";
    case 4:
      return "[4/5] Sign-off";
    default:
      return "[5/5] Merge";
  }
}

void PlainView::stage(int number) {
  if (number == shown_stage_) return;
  shown_stage_ = number;
  write_(toned(style_, Tone::strong, stage_title(number, style_)) + "\n");
}

void PlainView::on_fact(const PipelineFact& fact, const pipeline::State& after,
                        const std::string&) {
  if (std::holds_alternative<RunStarted>(fact)) {
    write_("Capsule: " + printable(after.bead + ": " + after.title) + "\n");
    stage(1);
  } else if (std::holds_alternative<RunResumed>(fact)) {
    write_("Capsule goes on with " + printable(after.bead + ": " + after.title) + "\n");
  } else if (const auto* ready = std::get_if<WorktreeReady>(&fact)) {
    write_("  worktree: " + printable(ready->worktree) + "\n  branch: " + printable(ready->branch) +
           "\n");
  } else if (const auto* started = std::get_if<PhaseStarted>(&fact)) {
    stage(pipeline::stage_of(after));
    write_("  " + std::string(name_of(started->phase)) + ": running" +
           attempt(after, started->attempt) + "\n");
  } else if (const auto* finished = std::get_if<PhaseFinished>(&fact)) {
    write_("  " + std::string(name_of(finished->phase)) + ": " +
           toned(style_, tone_of(finished->status), signal::name_of(finished->status)) +
           attempt(after, finished->attempt) + "\n");
    if (finished->status != signal::Status::pass && !finished->feedback.empty())
      write_("    " + first_line(finished->feedback) + "\n");
  } else if (const auto* checked = std::get_if<PhaseChecked>(&fact)) {
    for (const Claim& claim : checked->claims)
      if (claim.verdict == "false")
        write_("  " + std::string(name_of(checked->phase)) + ": " +
               toned(style_, Tone::bad, "not true: " + printable(claim.what)) +
               (claim.detail.empty() ? "" : " (" + first_line(claim.detail) + ")") + "\n");
    if (after.repeated && after.convergence == "warn")
      write_("  " + std::string(name_of(checked->phase)) + ": " +
             toned(style_, Tone::warn, "said the same twice about the same files") + "\n");
  } else if (const auto* merged = std::get_if<MergeDone>(&fact)) {
    stage(5);
    write_("  merged as " + merged->commit.substr(0, 12) + "\n");
  } else if (const auto* refused = std::get_if<MergeRefused>(&fact)) {
    stage(5);
    write_("  " + toned(style_, Tone::warn, "not merged") + ": " + first_line(refused->detail) +
           "\n");
  } else if (std::holds_alternative<BeadClosed>(fact)) {
    write_("  closed " + printable(after.bead) + "\n");
  }
}

std::string json_line(const PipelineFact& fact, const std::string& run, const std::string& at) {
  // Run ids and times need no escapes.
  const std::string head = "{\"event\":\"" + std::string(kind_of(fact)) + "\",\"at\":\"" + at +
                           "\",\"run\":\"" + run + "\"";
  const std::string body = body_of(fact);
  return head + (body.size() > 2 ? "," + body.substr(1) : "}");
}

void JsonView::on_fact(const PipelineFact& fact, const pipeline::State&, const std::string& at) {
  write_(json_line(fact, run_, at) + "\n");
}

}  // namespace capsule::ui
