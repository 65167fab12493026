#include "client/hook_stop.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "auto_state/state_file.h"
#include "base/clock.h"
#include "base/print.h"
#include "base/text.h"
#include "client/hook_event.h"
#include "client/hook_words.h"
#include "json/text.h"
#include "workflow/auto/hook.h"
#include "workflow/auto/texts.h"
#include "world/auto_prompt.h"

namespace capsule::client {
namespace {

using auto_mode::Verdict;

void say(const std::string& text) { print_error("capsule: " + text + "\n"); }

auto_mode::Moment now() { return {utc_second(), static_cast<std::int64_t>(std::time(nullptr))}; }

std::string reason_for(const auto_mode::Answer& answer, const std::string& project) {
  const auto_mode::State& state = answer.state;
  const auto phase = *auto_mode::current_phase(state);
  if (answer.verdict == Verdict::go_on)
    return auto_mode::continuation_prompt(
        {phase, state.iteration, state.max_iterations, state.task, state.config.skips()});
  return world::next_phase_prompt(project, state, phase);
}

// What a person should know about a stop that is allowed.
void explain(const auto_mode::Answer& answer) {
  const auto_mode::State& state = answer.state;
  switch (answer.verdict) {
    case Verdict::unknown_phase:
      return say("auto mode: there is no phase '" + printable(state.phase) +
                 "'; the state is left alone and the stop allowed");
    case Verdict::error:
      return say("auto mode: the agent cannot complete " + state.phase + ": " +
                 printable(state.last_error) + "; it stays active, the stop is allowed");
    case Verdict::stale:
      return say(
          "auto mode: the state was forgotten for more than two hours; to go on with it: "
          "capsule auto continue");
    case Verdict::failed:
      return say("auto mode failed: no signal after " + std::to_string(state.max_iterations) +
                 " continuations");
    case Verdict::not_ours:
    case Verdict::finished:
    case Verdict::next_phase:
    case Verdict::go_on:
      return;
  }
}

Result<void> answer_event() {
  const HookEvent event = TRY(read_event(STDIN_FILENO));
  if (!event.is_stop) return {};
  const auto project = find_auto_project(event.cwd);
  if (!project) return {};
  const auto first = TRY(auto_state::load(*project));
  if (!first || !auto_mode::concerns(first->state, event.session)) return {};
  // From here on only one hook at a time looks and writes.
  const auto lock = TRY(auto_state::Lock::take(*project));
  const auto document = TRY(auto_state::load(*project));
  if (!document || !auto_mode::concerns(document->state, event.session)) return {};
  auto_mode::Seen seen;
  if (auto_mode::current_phase(document->state)) {
    std::string complaint;
    seen = auto_mode::seen_in(TRY(read_words(event.transcript, event.last_message, complaint)));
    if (auto_mode::misses_a_phase(document->state, seen))
      seen = auto_mode::seen_in(
          TRY(read_words(event.transcript, event.last_message, complaint, kLongTailBytes)));
    if (!complaint.empty()) say(complaint);
  }
  const auto_mode::Answer answer =
      auto_mode::answer_stop(document->state, seen, event.session, now());
  if (answer.changed)
    TRY_VOID(
        auto_state::save(*project, document->json, answer.state, auto_state::Durability::quick));
  explain(answer);
  if (!auto_mode::blocks(answer.verdict)) return {};
  return write_all(
      STDOUT_FILENO,
      "{\"decision\":\"block\",\"reason\":" + json::quoted(reason_for(answer, *project)) + "}\n",
      "stdout");
}

}  // namespace

int hook_stop() {
  // Capsule itself drives this session.
  if (std::getenv("CAPSULE_RUN") != nullptr) return 0;
  try {
    if (const auto done = answer_event(); !done)
      say(done.error().message + (done.error().hint.empty() ? "" : "; " + done.error().hint) +
          "; the stop is allowed");
  } catch (const std::exception& fault) {
    say(std::string("hook stop: ") + fault.what() + "; the stop is allowed");
  }
  return 0;
}

}  // namespace capsule::client
