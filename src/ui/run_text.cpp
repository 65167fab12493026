#include "ui/run_text.h"

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "ui/supply_text.h"
#include "ui/usage_text.h"
#include "ui/working_text.h"

namespace capsule::ui {
namespace {

using engine::RunState;
using signal::Status;
using workflow::AgentSummary;
using workflow::RunSummary;
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

// "file a.txt, held by T-1"
std::string wait_words(const workflow::Waiting& wait) {
  using enum workflow::Waiting::For;
  switch (wait.what) {
    case answer:
      return wait.question > 0 ? "an answer to question " + std::to_string(wait.question)
                               : "a person";
    case approval:
      return "approval (question " + std::to_string(wait.question) + ")";
    case file:
      return "the file " + printable(wait.on) +
             (wait.by.empty() ? "" : ", held by " + printable(wait.by));
    case dependency:
      return "the task " + printable(wait.on);
    case expert:
      return wait.on.empty() ? "an expert" : "the expert " + printable(wait.on);
    case remediation:
      return "remediation";
    case provider:
      return "the provider " + printable(wait.on) +
             (wait.until > 0 ? " until " + time_words(wait.until) : "") + ": " +
             std::string(service_words(wait.fault));
    case budget:
      return "a larger budget (question " + std::to_string(wait.question) + ")";
    case slot:
      break;
  }
  return "a free agent";
}

// The first things that it waits for. Whatever brings itself on is left out while agents work.
std::string waits_of(const engine::Run& run) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> texts;
  for (const workflow::Waiting& wait : run.summary.waits) {
    if (wait.what == workflow::Waiting::For::slot) continue;
    texts.push_back(
        (wait.task.empty() || engine::is_phases(run.head) ? "" : printable(wait.task) + ": ") +
        wait_words(wait));
  }
  if (texts.empty()) return {};
  std::string text = "waits for ";
  for (std::size_t i = 0; i < std::min(texts.size(), kMost); ++i)
    text += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > kMost) text += "; and " + std::to_string(texts.size() - kMost) + " more";
  return text;
}

// Where an open run is says it already.
std::string tasks_line(const engine::Run& run) {
  const RunSummary& summary = run.summary;
  if (summary.tasks.empty() || summary.standing == Standing::open) return {};
  std::size_t complete = 0, failed = 0, waiting = 0;
  for (const workflow::TaskSummary& task : summary.tasks) {
    complete += task.standing == Standing::succeeded ? 1 : 0;
    failed += task.standing == Standing::failed ? 1 : 0;
    waiting += task.standing == Standing::open ? 1 : 0;
  }
  std::string text =
      std::to_string(complete) + " of " + std::to_string(summary.tasks.size()) + " complete";
  if (failed > 0) text += ", " + std::to_string(failed) + " failed";
  if (waiting > 0) text += ", " + std::to_string(waiting) + " waiting";
  return text;
}

std::string short_subject(const engine::Run& run) {
  const std::string& subject = run.head.subject;
  if (subject == engine::kAutoSubject) return std::string(engine::kAuto);
  if (subject.starts_with(engine::kDeliveredBead))
    return subject.substr(engine::kDeliveredBead.size());
  return subject.substr(subject.find_last_of('/') + 1);
}

std::string questions_of(const engine::Run& run, const std::string& task, const RunWords& words) {
  std::string text;
  for (const workflow::Waiting& wait : run.summary.waits) {
    if (wait.question == 0 || (!task.empty() && wait.task != task)) continue;
    text += "\n  ? question " + std::to_string(wait.question) + ": " + printable(wait.text) + "\n";
    if (wait.what == workflow::Waiting::For::approval) {
      const bool of_task = !engine::is_phases(run.head) && !wait.task.empty();
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
std::string messages_of(const engine::Run& run, const std::string& task) {
  std::string text;
  if (engine::state_of(run) == RunState::ended && !run.summary.can_go_on) return text;
  for (const workflow::MessageSummary& message : run.summary.messages) {
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

std::string with_comma(const std::string& text) { return text.empty() ? "" : ", " + text; }

// Each agent of a task on a line, with what it said and what was found.
std::string agents_of(const engine::Run& run, const std::string& task, const Style& style,
                      const world::Activities& now) {
  std::string text;
  for (const AgentSummary& agent : run.summary.agents) {
    if (agent.task != task) continue;
    const std::string who =
        "  " + padded(printable(agent.role), 18) + padded(std::to_string(agent.attempt), 4);
    if (agent.running) {
      text += working_text(run, agent, now, style);
      continue;
    }
    const Status status = status_of(agent);
    text += who + toned(style, tone_of(status), std::string(mark(style, status))) + " " +
            said_and_checked(agent, style) + "  " + duration(agent.duration_ms) +
            with_comma(agent_use_words(agent.use)) + "\n";
    if (status != Status::pass && !agent.said.empty()) text += excerpt(agent.why, "        ");
  }
  return text;
}

// The newest agent of a task that had something against it, or whose claim was refused.
const AgentSummary* newest_reason(const RunSummary& summary, const std::string& task) {
  const AgentSummary* newest = nullptr;
  for (const AgentSummary& agent : summary.agents)
    if (agent.task == task && !agent.why.empty()) newest = &agent;
  return newest;
}

std::string task_text(const RunSummary& summary, const workflow::TaskSummary& task,
                      const Style& style) {
  const std::string evidence = workflow::evidence_words(task.evidence);
  std::string text = "  " + padded(printable(task.id), 14) + padded(printable(task.words), 26) +
                     padded(counted(task.agent_runs, "run"), 8) +
                     printable(task.detail.empty() ? evidence : task.detail);
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  if (task.standing == Standing::succeeded || task.standing == Standing::stopped) return text;
  if (const AgentSummary* agent = newest_reason(summary, task.id))
    text += "      " + printable(agent->role) + " " + std::to_string(agent->attempt) + ": " +
            said_and_checked(*agent, style) + "\n" +
            (agent->said.empty() ? "" : excerpt(agent->why, "        "));
  return text;
}

std::string next_of(const engine::Run& run, const RunWords& words) {
  std::string text = "\nWhat next:\n";
  if (run.live()) {
    text += "  capsule log " + words.name + words.options + " --follow\n";
  } else if (!words.go_on.empty() && run.head.workflow == engine::kDelivery) {
    text = (run.summary.can_go_on ? "\nGo on with: " : "\nTry what failed again: ") + words.go_on +
           "\n";
  } else if (!words.go_on.empty()) {
    text += "  " + words.go_on + "\n";
  } else {
    text += "  capsule log " + words.name + words.options + "\n";
  }
  return text + "\nIts snapshots:\n  capsule snapshots " + words.name + words.options + "\n";
}

}  // namespace

std::vector<std::string> remarks_of(const RunSummary& summary) {
  std::vector<std::string> remarks;
  for (const workflow::ClaimSummary& one : summary.claims) {
    if (one.claim.verdict != event::Verdict::broken && one.claim.verdict != event::Verdict::differs)
      continue;
    const bool several = !summary.tasks.empty() && !one.task.empty();
    remarks.push_back(
        (several ? one.task + ": " : "") + one.role +
        (one.claim.verdict == event::Verdict::broken ? ": not true: " : ": not exact: ") +
        one.claim.what + (one.claim.detail.empty() ? "" : " (" + one.claim.detail + ")"));
  }
  for (const AgentSummary& agent : summary.agents)
    if (agent.redacted > 0)
      remarks.push_back((summary.tasks.empty() || agent.task.empty() ? "" : agent.task + ": ") +
                        agent.role + " " + std::to_string(agent.attempt) + ": " +
                        redacted_words(agent));
  for (const std::string& line : summary.ground) remarks.push_back(line);
  return remarks;
}

OutcomeWords outcome_words(const RunSummary& summary) {
  const auto find = [&](const auto& table) -> const Words* {
    for (const Words& words : table)
      if (words.outcome == summary.outcome) return &words;
    return nullptr;
  };
  const Words* words =
      summary.workflow == engine::kDelivery ? find(kDelivery)
      : summary.workflow == engine::kAuto || summary.workflow == engine::kAutoSession
          ? find(kAuto)
          : find(kPhases);
  if (words != nullptr) return {words->tone, std::string(words->text)};
  return {summary.standing == Standing::succeeded ? Status::pass : Status::error,
          printable(replace_all(summary.outcome, "_", " "))};
}

std::string standing_line(const engine::Run& run, const Style& style) {
  if (!run.unreadable.empty())
    return toned(style, Tone::bad,
                 std::string(mark(style, Status::error)) + " " + printable(run.unreadable));
  const RunState state = engine::state_of(run);
  const std::string now = printable(run.summary.now);
  const std::string waits = waits_of(run);
  std::string text;
  switch (state) {
    case RunState::running:
      text = toned(style, Tone::strong, std::string(symbol(style, state)) + " running: " + now);
      if (run.head.workflow == engine::kAutoSession) text += ", in a session";
      if (run.holder) text += ", " + words_of(*run.holder);
      break;
    case RunState::cut_off:
      return toned(style, Tone::warn, std::string(symbol(style, state)) + " cut off in " + now) +
             "; run the same command again to go on";
    case RunState::waiting:
      return toned(style, Tone::warn,
                   std::string(symbol(style, state)) + " " +
                       (waits.empty() ? "waits for a person" : waits)) +
             (run.holder ? ", " + words_of(*run.holder) : "");
    case RunState::ended: {
      const OutcomeWords words = outcome_words(run.summary);
      const bool on_main = !run.summary.merged_as.empty() &&
                           run.summary.standing != Standing::succeeded &&
                           engine::is_phases(run.head);
      return toned(
          style, tone_of(on_main ? Status::error : words.tone),
          std::string(mark(style, on_main ? Status::error : words.tone)) + " " +
              (on_main ? "merged as " + run.summary.merged_as.substr(0, 12) + ", but not cleaned up"
                       : words.text));
    }
  }
  return waits.empty() ? text : text + "; " + waits;
}

std::string run_lines(const std::vector<engine::Run>& runs, const Style& style) {
  constexpr std::size_t kTitle = 32, kSubject = 28;
  std::size_t widest = 0;
  for (const engine::Run& run : runs)
    widest = std::max(widest, columns_of(fitted(short_subject(run), kSubject)));
  const auto filled_up = [](std::string text, std::size_t width) {
    const std::size_t used = columns_of(text);
    return std::move(text) + std::string(used < width ? width - used : 0, ' ');
  };
  std::string text;
  for (const engine::Run& run : runs) {
    const std::string& ended = run.head.ended_at;
    const std::string tasks = tasks_line(run);
    text += filled_up(fitted(short_subject(run), kSubject), widest + 2) +
            minute_of(ended.empty() ? run.head.started_at : ended) + "  " +
            filled_up(fitted(run.summary.title, kTitle), kTitle + 2) +
            (tasks.empty() ? "" : tasks + "; ") + standing_line(run, style) +
            with_comma(short_usage(run.summary.usage)) + "\n";
  }
  return text;
}

std::string run_page(const engine::Run& run, const RunWords& words, const Style& style,
                     const world::Activities& now) {
  const RunSummary& summary = run.summary;
  const std::string tasks = tasks_line(run);
  std::string text =
      toned(style, Tone::strong,
            printable(short_subject(run) + (summary.title.empty() ? "" : ": " + summary.title))) +
      "\n  " + (tasks.empty() ? "" : tasks + "; ") + standing_line(run, style) + "\n";
  if (!summary.detail.empty())
    for (const std::string_view line : split(summary.detail, '\n'))
      if (!trimmed(line).empty()) text += "    " + printable(line) + "\n";
  if (!summary.merged_as.empty() && run.head.workflow != engine::kDelivery)
    text += "  merged as " + printable(summary.merged_as.substr(0, 12)) + "\n";
  if (!summary.on_branch.empty())
    text +=
        "  on the branch " + printable(summary.on_branch) + "\n" +
        (words.description.empty() ? "" : "  description: " + printable(words.description) + "\n");
  if (const std::string evidence = workflow::evidence_words(summary.evidence); !evidence.empty())
    text += "  " + printable(evidence) + "\n";
  text += "  started " + minute_of(run.head.started_at) + " UTC";
  if (!run.head.ended_at.empty()) text += ", ended " + minute_of(run.head.ended_at) + " UTC";
  text += "\n";
  if (const std::string used = usage_words(summary.usage); !used.empty())
    text += "  " + used + "\n";
  if (!run.unreadable.empty())
    return text + "\nIts snapshots:\n  capsule snapshots " + words.name + words.options + "\n";
  if (!summary.tasks.empty()) {
    text += "\n";
    for (const workflow::TaskSummary& task : summary.tasks) text += task_text(summary, task, style);
  } else if (const auto lines = role_lines(summary); !lines.empty()) {
    text += "\n" + role_table(lines, style);
  }
  if (const std::string works = working_agents(run, now, style); !works.empty())
    text += (summary.tasks.empty() && !role_lines(summary).empty() ? "" : "\n") + works;
  for (const std::string& remark : remarks_of(summary)) text += "  ! " + printable(remark) + "\n";
  for (const workflow::TreeSummary& tree : summary.trees)
    if (summary.tasks.empty()) text += "  worktree: " + printable(tree.folder) + "\n";
  return text + messages_of(run, "") + questions_of(run, "", words) + next_of(run, words);
}

std::string task_page(const engine::Run& run, const std::string& id, const RunWords& words,
                      const Style& style, const world::Activities& now) {
  std::string text;
  for (const workflow::TaskSummary& task : run.summary.tasks) {
    if (task.id != id) continue;
    text += toned(style, Tone::strong, printable(task.id + ": " + task.title)) + "\n  " +
            printable(task.words) + "\n";
    if (!task.detail.empty()) text += "    " + printable(task.detail) + "\n";
    if (!task.commit.empty()) text += "  merged as " + printable(task.commit.substr(0, 12)) + "\n";
    if (const std::string used = usage_words(usage_of_task(run.summary, id)); !used.empty())
      text += "  " + used + "\n";
  }
  if (const std::string agents = agents_of(run, id, style, now); !agents.empty())
    text += "\n" + agents;
  for (const workflow::TreeSummary& tree : run.summary.trees)
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
