#include "ui/run_text.h"

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "engine/run.h"
#include "ui/supply_text.h"
#include "ui/usage_text.h"
#include "ui/view/fold.h"
#include "ui/view/walls.h"
#include "ui/working_text.h"

namespace capsule::ui {
namespace {

using engine::RunState;
using signal::Status;
using view::Attempt;
using view::Run;
using workflow::Standing;

struct Words {
  std::string_view outcome;
  Status tone;
  std::string_view text;
};
// By workflow, for a name may mean different things: phases, then auto mode, then deliveries.
constexpr Words kPhases[] = {
    {"merged", Status::pass, "merged"},
    {"prepared", Status::pass, "prepared; no phase is running"},
    {"on_branch", Status::pass, "done; the work is on its branch"},
    {"finished", Status::pass, "done"},
    {"retries_exhausted", Status::needs_work, "not good enough: retries exhausted"},
    {"converged", Status::needs_work, "stopped early: the reviews repeat themselves"},
    {"merge_needs_work", Status::needs_work, "the merge agent wants work done first"},
    {"merge_refused", Status::needs_work, "not merged"},
    {"paused", Status::needs_work, "paused"},
    {"rejected", Status::needs_work, "not approved by a person"},
    {"writer_needs_work", Status::error, "aborted: a writer could not do its work"},
    {"phase_error", Status::error, "aborted by an error"},
    {"merge_error", Status::error, "the merge failed"},
    {"prep_failed", Status::error, "the worktree could not be prepared"},
    {"interrupted", Status::error, "interrupted"},
    {"aborted", Status::error, "aborted by a person"},
};
constexpr Words kAuto[] = {
    {"complete", Status::pass, "complete"},
    {"max_iterations", Status::error, "failed: a phase did not end with its signal"},
    {"needs_person", Status::needs_work, "stopped: a person has to decide"},
    {"checks_failed", Status::error, "failed: the project's own checks fail"},
    {"not_approved", Status::error, "failed: the reviewers did not approve it"},
    {"merge_refused", Status::needs_work, "not merged"},
    {"error", Status::error, "stopped by an error"},
    {"interrupted", Status::error, "interrupted"},
    {"cancelled", Status::needs_work, "cancelled"},
    {"paused", Status::needs_work, "paused"},
    {"aborted", Status::error, "aborted by a person"},
    {"all_phases_complete", Status::pass, "complete"},
    {"auto_complete_signal", Status::pass, "complete"},
    {"max_iterations_reached", Status::error, "failed: a phase did not end with its signal"},
    {"stale_state", Status::needs_work, "given up: nothing happened for a long time"},
    {"critical_error", Status::error, "stopped by an error"},
    {"user_cancelled", Status::needs_work, "cancelled"},
};
constexpr Words kDelivery[] = {
    {"complete", Status::pass, "complete"},
    {"incomplete", Status::needs_work, "incomplete"},
    {"halted", Status::needs_work, "halted"},
};

std::string_view symbol(const Style& style, RunState state) {
  if (state == RunState::running) return style.unicode ? "▶" : ">";
  return state == RunState::waiting ? "?" : mark(style, Status::needs_work);
}

// The first things that it waits for. Whatever brings itself on is left out while agents work.
std::string waits_of(const Run& run) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> texts;
  for (const view::Wait& wait : run.waits) {
    if (wait.kind == workflow::Waiting::For::slot) continue;
    texts.push_back((wait.task.empty() || is_phases(run) ? "" : printable(wait.task) + ": ") +
                    view::words_of(wait));
  }
  if (texts.empty()) return {};
  std::string text = "waits for ";
  for (std::size_t i = 0; i < std::min(texts.size(), kMost); ++i)
    text += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > kMost) text += "; and " + std::to_string(texts.size() - kMost) + " more";
  return text;
}

// Where an open run is says it already.
std::string tasks_line(const Run& run) {
  if (run.tasks.empty() || run.standing == Standing::open) return {};
  const auto waiting =
      std::count_if(run.tasks.begin(), run.tasks.end(),
                    [](const view::Task& task) { return task.standing == Standing::open; });
  std::string text = std::to_string(run.done) + " of " + std::to_string(run.all) + " complete";
  if (run.failed > 0) text += ", " + std::to_string(run.failed) + " failed";
  if (waiting > 0) text += ", " + std::to_string(waiting) + " waiting";
  return text;
}

std::string short_subject(const Run& run) {
  return run.name.substr(run.name.find_last_of('/') + 1);
}

std::string questions_of(const Run& run, const std::string& task, const RunWords& words) {
  std::string text;
  for (const view::Wait& wait : run.waits) {
    if (wait.question == 0 || (!task.empty() && wait.task != task)) continue;
    text += "\n  ? question " + std::to_string(wait.question) + ": " + printable(wait.text) + "\n";
    if (wait.kind == workflow::Waiting::For::approval) {
      const bool of_task = !is_phases(run) && !wait.task.empty();
      const std::string name = words.name + (of_task ? " " + printable(wait.task) : "");
      for (const std::string_view line : split(trimmed(wait.context), '\n'))
        if (!line.empty()) text += "    " + printable(line) + "\n";
      text += "    capsule approve " + name + words.options + "\n    capsule reject " + name +
              words.options + " --because=TEXT\n";
      continue;
    }
    text += "    capsule answer " + words.name + " " + std::to_string(wait.question) + " TEXT" +
            words.options + "\n";
  }
  return text;
}

// What people told, and who has not worked with it to its end.
std::string messages_of(const Run& run, const std::string& task) {
  std::string text;
  if (state_of(run) == RunState::ended && !run.can_go_on) return text;
  for (const view::Message& message : run.messages) {
    if (message.heard || (!task.empty() && !message.task.empty() && message.task != task)) continue;
    text += "\n  > " + message_words(message.text) + "\n    ";
    if (message.agent == 0)
      text += "nobody has heard it yet: the next agent" +
              (message.task.empty() ? "" : " of " + printable(message.task)) + " does";
    else
      text += "agent " + std::to_string(message.agent) +
              (message.role.empty() ? "" : " (" + printable(message.role) + ")") +
              (message.live ? " has heard it while it works" : " has it in its prompt");
    text += "\n";
  }
  return text;
}

std::string holder_words(const view::Holder& holder) {
  return "pid " + std::to_string(holder.pid) + " on " + printable(holder.host);
}

std::string with_comma(const std::string& text) { return text.empty() ? "" : ", " + text; }

// Each agent of a task on a line, with what it said and what was found.
std::string agents_of(const Run& run, const std::string& task, const Style& style,
                      std::int64_t now_ms) {
  std::string text;
  for (const Attempt& attempt : run.attempts) {
    if (attempt.task != task) continue;
    const std::string who =
        "  " + padded(printable(attempt.role), 18) + padded(std::to_string(attempt.attempt), 4);
    if (attempt.running) {
      text += working_text(run, attempt, now_ms, style);
      continue;
    }
    const Status status = status_of(attempt);
    text += who + toned(style, tone_of(status), std::string(mark(style, status))) + " " +
            said_and_checked(attempt, style) + "  " + duration(attempt.duration_ms) +
            with_comma(agent_use_words(attempt.use)) + "\n";
    if (status != Status::pass && !attempt.said.empty())
      text += excerpt(attempt.sent_back, "        ");
  }
  return text;
}

std::string task_text(const Run& run, const view::Task& task, const Style& style) {
  const std::string evidence = workflow::evidence_words(task.evidence);
  std::string text = "  " + padded(printable(task.id), 14) + padded(printable(task.words), 26) +
                     padded(counted(task.attempts.size(), "run"), 8) +
                     printable(task.detail.empty() ? evidence : task.detail);
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  if (task.standing == Standing::succeeded || task.standing == Standing::stopped) return text;
  // The newest that had something against it, or whose claim was refused.
  for (auto it = task.attempts.rbegin(); it != task.attempts.rend(); ++it) {
    const Attempt& attempt = run.attempts[static_cast<std::size_t>(*it)];
    if (attempt.sent_back.empty()) continue;
    return text + "      " + printable(attempt.role) + " " + std::to_string(attempt.attempt) +
           ": " + said_and_checked(attempt, style) + "\n" +
           (attempt.said.empty() ? "" : excerpt(attempt.sent_back, "        "));
  }
  return text;
}

std::string next_of(const Run& run, const RunWords& words) {
  std::string text = "\nWhat next:\n";
  if (run.holder) {
    text += "  capsule log " + words.name + words.options + " --follow\n";
  } else if (!words.go_on.empty() && run.workflow == engine::kDelivery) {
    text = (run.can_go_on ? "\nGo on with: " : "\nTry what failed again: ") + words.go_on + "\n";
  } else if (!words.go_on.empty()) {
    text += "  " + words.go_on + "\n";
  } else {
    text += "  capsule log " + words.name + words.options + "\n";
  }
  return text + "\nIts snapshots:\n  capsule snapshots " + words.name + words.options + "\n";
}

}  // namespace

engine::RunState state_of(const Run& run) {
  switch (run.life) {
    case view::Life::working:
      return RunState::running;
    case view::Life::waiting:
      return RunState::waiting;
    case view::Life::cut_off:
      return RunState::cut_off;
    case view::Life::paused:
      return run.outcome.empty() ? RunState::paused : RunState::ended;
    case view::Life::ended:
      break;
  }
  return RunState::ended;
}

bool is_phases(const Run& run) {
  engine::RunHead head;
  head.workflow = run.workflow;
  return engine::is_phases(head);
}

OutcomeWords outcome_words(std::string_view workflow, std::string_view outcome, Standing standing) {
  const auto find = [&](const auto& table) -> const Words* {
    for (const Words& words : table)
      if (words.outcome == outcome) return &words;
    return nullptr;
  };
  const Words* words = workflow == engine::kDelivery ? find(kDelivery)
                       : workflow == engine::kAuto || workflow == engine::kAutoSession
                           ? find(kAuto)
                           : find(kPhases);
  if (words != nullptr) return {words->tone, std::string(words->text)};
  return {standing == Standing::succeeded ? Status::pass : Status::error,
          printable(replace_all(outcome, "_", " "))};
}

std::string standing_line(const Run& run, const Style& style) {
  if (!run.unreadable.empty())
    return toned(style, Tone::bad,
                 std::string(mark(style, Status::error)) + " " + printable(run.unreadable));
  const RunState state = state_of(run);
  const std::string now = printable(run.now);
  const std::string waits = waits_of(run);
  std::string text;
  switch (state) {
    case RunState::running:
      text = toned(style, Tone::strong, std::string(symbol(style, state)) + " running: " + now);
      if (run.workflow == engine::kAutoSession) text += ", in a session";
      if (run.holder) text += ", " + holder_words(*run.holder);
      break;
    case RunState::cut_off:
      return toned(style, Tone::warn, std::string(symbol(style, state)) + " cut off in " + now) +
             "; run the same command again to go on";
    case RunState::paused:
      return toned(style, Tone::warn, std::string(symbol(style, state)) + " paused: " + now) +
             "; run the same command again to go on";
    case RunState::waiting:
      return toned(style, Tone::warn,
                   std::string(symbol(style, state)) + " " +
                       (waits.empty() ? "waits for a person" : waits)) +
             (run.holder ? ", " + holder_words(*run.holder) : "");
    case RunState::ended: {
      const OutcomeWords words = outcome_words(run.workflow, run.outcome, run.standing);
      const bool on_main =
          !run.merged_as.empty() && run.standing != Standing::succeeded && is_phases(run);
      return toned(
          style, tone_of(on_main ? Status::error : words.tone),
          std::string(mark(style, on_main ? Status::error : words.tone)) + " " +
              (on_main ? "merged as " + run.merged_as.substr(0, 12) + ", but not cleaned up"
                       : words.text));
    }
  }
  return waits.empty() ? text : text + "; " + waits;
}

std::string run_lines(const std::vector<Run>& runs, const Style& style, std::int64_t now_ms) {
  constexpr std::size_t kTitle = 32, kSubject = 28;
  std::size_t widest = 0;
  for (const Run& run : runs)
    widest = std::max(widest, columns_of(fitted(short_subject(run), kSubject)));
  const auto filled_up = [](std::string text, std::size_t width) {
    const std::size_t used = columns_of(text);
    return std::move(text) + std::string(used < width ? width - used : 0, ' ');
  };
  std::string text;
  for (const Run& run : runs) {
    const std::string tasks = tasks_line(run);
    text += filled_up(fitted(short_subject(run), kSubject), widest + 2) +
            minute_of(run.ended.empty() ? run.started : run.ended) + "  " +
            filled_up(fitted(run.title, kTitle), kTitle + 2) + (tasks.empty() ? "" : tasks + "; ") +
            standing_line(run, style) + with_comma(short_usage(run.usage)) + "\n";
    text += working_agents(run, now_ms, style);
  }
  return text;
}

std::string questions_text(const Run& run, const RunWords& words) {
  return questions_of(run, "", words);
}

std::string run_lines(const Run& run) {
  std::string text;
  if (const std::string used = usage_words(run.usage); !used.empty()) text += "  " + used + "\n";
  if (const std::string walls = view::walls_words(run); !walls.empty())
    text += "  walls: " + walls + "\n";
  return text;
}

std::string run_page(const Run& run, const RunWords& words, const Style& style,
                     std::int64_t now_ms) {
  const std::string tasks = tasks_line(run);
  std::string text =
      toned(style, Tone::strong,
            printable(short_subject(run) + (run.title.empty() ? "" : ": " + run.title))) +
      "\n  " + (tasks.empty() ? "" : tasks + "; ") + standing_line(run, style) + "\n";
  if (!run.detail.empty())
    for (const std::string_view line : split(run.detail, '\n'))
      if (!trimmed(line).empty()) text += "    " + printable(line) + "\n";
  if (!run.merged_as.empty() && run.workflow != engine::kDelivery)
    text += "  merged as " + printable(run.merged_as.substr(0, 12)) + "\n";
  if (!run.on_branch.empty())
    text +=
        "  on the branch " + printable(run.on_branch) + "\n" +
        (words.description.empty() ? "" : "  description: " + printable(words.description) + "\n");
  if (const std::string evidence = workflow::evidence_words(run.evidence); !evidence.empty())
    text += "  " + printable(evidence) + "\n";
  text += "  started " + minute_of(run.started) + " UTC";
  if (!run.ended.empty()) text += ", ended " + minute_of(run.ended) + " UTC";
  text += "\n";
  text += run_lines(run);
  if (!run.unreadable.empty())
    return text + "\nIts snapshots:\n  capsule snapshots " + words.name + words.options + "\n";
  if (!run.tasks.empty()) {
    text += "\n";
    for (const view::Task& task : run.tasks) text += task_text(run, task, style);
  } else if (const auto lines = role_lines(run.attempts); !lines.empty()) {
    text += "\n" + role_table(lines, style);
  }
  if (const std::string works = working_agents(run, now_ms, style); !works.empty())
    text += (run.tasks.empty() && !role_lines(run.attempts).empty() ? "" : "\n") + works;
  for (const view::Remark& remark : run.remarks) text += "  ! " + printable(remark.text) + "\n";
  for (const view::Tree& tree : run.trees)
    if (run.tasks.empty()) text += "  worktree: " + printable(tree.folder) + "\n";
  return text + messages_of(run, "") + questions_of(run, "", words) + next_of(run, words);
}

std::string task_page(const Run& run, const std::string& id, const RunWords& words,
                      const Style& style, std::int64_t now_ms) {
  std::string text;
  for (const view::Task& task : run.tasks) {
    if (task.id != id) continue;
    text += toned(style, Tone::strong, printable(task.id + ": " + task.title)) + "\n  " +
            printable(task.words) + "\n";
    if (!task.detail.empty()) text += "    " + printable(task.detail) + "\n";
    if (!task.commit.empty()) text += "  merged as " + printable(task.commit.substr(0, 12)) + "\n";
    if (const std::string used = usage_words(view::usage_of(run.attempts, task.attempts));
        !used.empty())
      text += "  " + used + "\n";
  }
  if (const std::string agents = agents_of(run, id, style, now_ms); !agents.empty())
    text += "\n" + agents;
  for (const view::Tree& tree : run.trees)
    if (tree.task == id && !tree.folder.empty())
      text += "  worktree: " + printable(tree.folder) + "\n";
  RunWords next = words;
  next.name += " " + id;
  return text + messages_of(run, id) + questions_of(run, id, words) + next_of(run, next);
}

std::string minute_of(std::string_view utc) {
  return replace_all(utc.substr(0, std::string_view("2026-01-31T23:59").size()), "T", " ");
}

std::string baseline_words(event::Baseline baseline) {
  switch (baseline) {
    case event::Baseline::none:
      return "none is configured";
    case event::Baseline::green:
      return "green";
    case event::Baseline::red:
      return "red: some fail already";
    case event::Baseline::cannot_run:
      break;
  }
  return "they cannot be run";
}

}  // namespace capsule::ui
