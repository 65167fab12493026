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
#include "client/hook_install.h"
#include "client/hook_words.h"
#include "json/text.h"
#include "workflow/auto/hook.h"
#include "workflow/auto/texts.h"
#include "world/auto_prompt.h"

namespace capsule::client {
namespace {

using auto_mode::Verdict;

// Nanoseconds since the machine was started: what two processes can compare.
std::int64_t ticks() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

auto_mode::Moment now() { return {utc_second(), static_cast<std::int64_t>(std::time(nullptr))}; }

std::string reason_for(const auto_mode::Answer& answer, const std::string& project) {
  const auto_mode::State& state = answer.state;
  const auto phase = *auto_mode::current_phase(state);
  if (answer.verdict == Verdict::go_on)
    return auto_mode::continuation_prompt(
        {phase, state.iteration, state.max_iterations, state.task, state.config.skips()});
  return world::next_phase_prompt(project, state, phase);
}

constexpr std::size_t kMaxToldBytes = 500;  // of words that are not ours, in a message

std::string foreign(std::string_view words) { return printable(cut(words, kMaxToldBytes)); }

std::string place_of(const auto_mode::State& state) {
  const auto phase = auto_mode::current_phase(state);
  if (!phase) return "auto mode";
  return "[" + std::to_string(auto_mode::index_of(*phase) + 1) + "/" +
         std::to_string(auto_mode::kPhases) + "] " + state.phase;
}

// What a person should know about a stop; empty: nothing. `before` is the state as it was found.
std::string message_of(const auto_mode::Answer& answer, const auto_mode::State& before,
                       std::size_t background) {
  const auto_mode::State& state = answer.state;
  switch (answer.verdict) {
    case Verdict::unknown_phase:
      return "auto mode: there is no phase '" + foreign(state.phase) +
             "'; the state is left alone and the stop allowed";
    case Verdict::error:
      return place_of(state) + ": the agent cannot complete it: " + foreign(state.last_error) +
             "; the stop is allowed and auto mode stays active, answer here to go on";
    case Verdict::stale:
      return "auto mode: the state was forgotten for more than two hours; to go on with it: "
             "capsule auto continue";
    case Verdict::failed:
      return place_of(before) + ": auto mode failed: no signal after " +
             std::to_string(state.max_iterations) +
             " continuations; to try again: capsule auto continue";
    case Verdict::finished:
      return state.exit_reason == auto_mode::ExitReason::auto_complete_signal
                 ? "auto mode is complete: the agent said AUTO_COMPLETE"
                 : "auto mode is complete: all phases are done";
    case Verdict::waiting:
      return place_of(state) + ": waiting for " + counted(background, "background task");
    case Verdict::next_phase:
      return place_of(state);
    case Verdict::not_ours:
    case Verdict::answered:
    case Verdict::go_on:
      return "";
  }
  return "";
}

// The client shows a person `systemMessage`, never stderr, which is for its log.
std::string answer_text(const std::optional<std::string>& reason, const std::string& message) {
  std::string text;
  if (reason) text = "\"decision\":\"block\",\"reason\":" + json::quoted(*reason);
  if (!message.empty())
    text += (text.empty() ? "" : ",") + ("\"systemMessage\":" + json::quoted(message));
  return text.empty() ? "" : "{" + text + "}\n";
}

void report_fault(const std::string& fault) {
  const std::string text = "capsule: " + fault + "; the stop is allowed";
  print_error(text + "\n");
  print(answer_text(std::nullopt, text));
}

Result<void> answer_event(std::string_view program) {
  const std::int64_t began = ticks();
  const HookEvent event = TRY(read_event(STDIN_FILENO));
  if (!event.is_stop) return {};
  const auto project = find_auto_project(event.cwd);
  if (!project) return {};
  const auto first = TRY(auto_state::load(*project));
  if (!first || !auto_mode::concerns(first->state, event.session)) return {};
  const std::vector<std::string> programs = hook_programs(claude_folders(*project));
  if (another_answers(programs, program)) return {};
  // From here on only one hook at a time looks and writes.
  const auto lock = TRY(auto_state::Lock::take(*project));
  const auto document = TRY(auto_state::load(*project));
  if (!document || !auto_mode::concerns(document->state, event.session)) return {};
  auto_mode::SessionStop stop{{}, event.session, event.background};
  stop.began = began;
  stop.doubled = programs.size() > 1;
  std::string complaint;
  if (auto_mode::current_phase(document->state)) {
    LastWords words = TRY(read_words(event.transcript, event.last_message, stop.doubled));
    stop.seen = auto_mode::seen_in(words.signals);
    stop.id = words.stop;
    if (auto_mode::misses_a_phase(document->state, stop.seen)) {
      words = TRY(read_words(event.transcript, event.last_message, false, kLongTailBytes));
      stop.seen = auto_mode::seen_in(words.signals);
    }
    complaint = words.complaint;
  }
  stop.answered = ticks();
  const auto_mode::Answer answer = auto_mode::answer_stop(document->state, stop, now());
  if (answer.changed)
    TRY_VOID(
        auto_state::save(*project, document->json, answer.state, auto_state::Durability::quick));
  const std::string message = message_of(answer, document->state, event.background);
  if (!complaint.empty()) print_error("capsule: " + complaint + "\n");
  if (answer.verdict != Verdict::next_phase && !message.empty())
    print_error("capsule: " + message + "\n");
  std::optional<std::string> reason;
  if (auto_mode::blocks(answer.verdict)) reason = reason_for(answer, *project);
  const std::string text = answer_text(reason, message);
  return text.empty() ? Result<void>() : write_all(STDOUT_FILENO, text, "stdout");
}

}  // namespace

int hook_stop(std::string_view program) {
  // Capsule itself drives this session.
  if (std::getenv("CAPSULE_RUN") != nullptr) return 0;
  try {
    if (const auto done = answer_event(program); !done)
      report_fault(done.error().message +
                   (done.error().hint.empty() ? "" : "; " + done.error().hint));
  } catch (const std::exception& fault) {
    report_fault(std::string("hook stop: ") + fault.what());
  }
  return 0;
}

}  // namespace capsule::client
