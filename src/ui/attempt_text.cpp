#include "ui/attempt_text.h"

#include <algorithm>

#include "base/fill.h"
#include "base/text.h"
#include "ui/usage_text.h"

namespace capsule::ui {
namespace {

using signal::Status;
using view::Attempt;
using workflow::CheckFor;
using workflow::Finding;

std::string fault_words(event::Fault fault) { return replace_all(event::name_of(fault), "_", " "); }

// One attempt, and nothing against it.
bool told_by_its_line(const RoleLine& line) {
  return line.attempts.size() == 1 && line.attempts.front().checked != Finding::refused &&
         line.attempts.front().sent_back.empty();
}

std::string attempt_text(const Attempt& agent, const Style& style) {
  constexpr std::string_view kIndent = "         ";
  const Status status = status_of(agent);
  std::string text = "    " + padded(std::to_string(agent.attempt), 3) +
                     toned(style, tone_of(status), std::string(mark(style, status))) + " " +
                     said_and_checked(agent, style) + "\n";
  const bool said_already = agent.said.empty() && agent.checked != Finding::refused;
  if (status != Status::pass && !said_already) text += excerpt(agent.sent_back, kIndent);
  return text;
}

// How the commands that people know are called.
struct CheckName {
  std::string_view name, plural, running;
};
constexpr CheckName kCheckNames[] = {
    {"test", "tests", "running the tests"},
    {"build", "build", "building"},
    {"lint", "lint", "running the linter"},
    {"setup", "set-up", "setting the files up"},
};
const CheckName* known_check(std::string_view name) {
  for (const CheckName& one : kCheckNames)
    if (one.name == name) return &one;
  return nullptr;
}

std::string_view where_words(CheckFor what) {
  switch (what) {
    case CheckFor::baseline:
      return " on main, before anybody works";
    case CheckFor::merge:
      return " on the merged files";
    case CheckFor::health:
      return " on main";
    case CheckFor::before:
      return " on the files of before";
    case CheckFor::without:
      return " without the new code";
    case CheckFor::work:
    case CheckFor::tree:
      break;
  }
  return "";
}

}  // namespace

Status status_of(const Attempt& agent) {
  if (agent.fault != event::Fault::none || agent.checked == Finding::refused) return Status::error;
  for (const std::string_view bad : {"ERROR", "PHASE_ERROR", "REJECTED"})
    if (agent.said == bad) return Status::error;
  // Whoever is content gives no reason.
  return agent.said.empty() || !agent.sent_back.empty() ? Status::needs_work : Status::pass;
}

std::string said_and_checked(const Attempt& agent, const Style& style) {
  const bool faulty = agent.fault != event::Fault::none && agent.fault != event::Fault::refuted;
  std::string text;
  if (faulty && agent.fault != event::Fault::no_signal)
    text =
        fault_words(agent.fault) + (agent.detail.empty() ? "" : ": " + fitted(agent.detail, 160));
  else if (faulty || agent.said.empty())
    text = "said nothing that counts" +
           (agent.sent_back.empty() ? "" : ": " + fitted(agent.sent_back, 200));
  else
    text = "said " + printable(agent.said);
  if (agent.found.empty() && agent.checked != Finding::refused) return text;
  text += (style.unicode ? " · checked: " : ", checked: ") +
          (agent.found.empty() ? std::string("it is not so") : fitted(agent.found, 300));
  if (agent.checked == Finding::refused)
    text += " " + std::string(arrow(style)) + " " + toned(style, Tone::bad, "refused");
  return text;
}

std::string excerpt(std::string_view text, std::string_view indent) {
  constexpr std::size_t kFirst = 3, kLast = 6, kColumns = 100, kMostColumns = 600;
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!trimmed(line).empty())
      lines.push_back(
          fitted(replace_all(line.substr(0, 4 * kMostColumns), "\t", "    "), kMostColumns));
  std::string shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool left_out = i >= kFirst && i + kLast < lines.size();
    if (left_out && i > kFirst) continue;
    // A long sentence goes on below; what is no sentence stays as it is.
    const bool is_long = columns_of(lines[i]) > kColumns;
    shown += std::string(indent) +
             (left_out  ? "…"
              : is_long ? filled(lines[i], kColumns + indent.size(), indent.size(), indent.size())
                        : lines[i]) +
             "\n";
  }
  return shown;
}

std::vector<RoleLine> role_lines(const std::vector<Attempt>& attempts) {
  std::vector<RoleLine> lines;
  for (const Attempt& agent : attempts) {
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const RoleLine& one) { return one.role == agent.role; });
    if (agent.running) continue;
    if (line == lines.end()) line = lines.insert(lines.end(), RoleLine{agent.role});
    ++line->runs;
    line->duration_ms += agent.duration_ms;
    line->good = agent.fault == event::Fault::none && agent.checked != Finding::refused;
    line->last = agent.said.empty() ? std::string(event::name_of(agent.fault)) : agent.said;
    line->attempts.push_back(agent);
  }
  return lines;
}

std::string role_table(const std::vector<RoleLine>& lines, const Style& style) {
  const auto said = [](const RoleLine& line) {
    const bool refused = !line.attempts.empty() && line.attempts.back().checked == Finding::refused;
    return printable(line.last) + (refused ? ", refused" : "");
  };
  std::size_t role = 15, last = 10;
  for (const RoleLine& line : lines) {
    role = std::max(role, printable(line.role).size());
    last = std::max(last, said(line).size());
  }
  std::string text;
  for (const RoleLine& line : lines) {
    const Status status = line.attempts.empty() ? (line.good ? Status::pass : Status::error)
                                                : status_of(line.attempts.back());
    text += "  " + padded(printable(line.role), role + 1) +
            toned(style, tone_of(status),
                  std::string(mark(style, status)) + " " + padded(said(line), last + 1)) +
            padded(counted(line.runs, "run"), 9) + duration(line.duration_ms);
    view::Spending used;
    for (const Attempt& agent : line.attempts) view::add_usage(used, agent);
    if (const std::string words = short_usage(used); !words.empty()) text += ", " + words;
    const bool held = told_by_its_line(line) && !line.attempts.front().found.empty();
    text += (held ? "  checked: " + fitted(line.attempts.front().found, 300) : "") + "\n";
    if (told_by_its_line(line)) continue;
    for (const Attempt& agent : line.attempts) text += attempt_text(agent, style);
  }
  return text;
}

std::string findings_text(const view::Run& run, const Agents& of, const Style& style) {
  std::string text;
  for (const Attempt& agent : run.attempts) {
    if (agent.running || (!of.role.empty() && agent.role != of.role) ||
        (!of.task.empty() && agent.task != of.task) || (of.number > 0 && agent.agent != of.number))
      continue;
    if (agent.found.empty() && agent.sent_back.empty() && agent.checked != Finding::refused &&
        agent.redacted == 0)
      continue;
    const bool several = !run.tasks.empty() && !agent.task.empty();
    text += (several ? printable(agent.task) + " " : "") + printable(agent.role) + "\n" +
            attempt_text(agent, style);
    if (agent.redacted > 0) text += "       " + view::redacted_words(agent.redacted) + "\n";
  }
  for (const view::Wait& wait : run.waits) {
    const bool for_person = wait.kind == workflow::Waiting::For::approval ||
                            wait.kind == workflow::Waiting::For::answer;
    if (!for_person || !of.role.empty() || of.number > 0 ||
        (!of.task.empty() && wait.task != of.task))
      continue;
    text += "waits for " + std::string(workflow::name_of(wait.kind)) + ", question " +
            std::to_string(wait.question) + ": " + printable(wait.text) + "\n";
  }
  return text;
}

std::string progress_words(const workflow::CheckProgress& check) {
  const CheckName* known = known_check(check.name);
  return (known != nullptr ? std::string(known->running) : "running " + printable(check.name)) +
         std::string(where_words(check.what));
}

std::string result_words(const event::CheckRun& run) {
  const CheckName* known = known_check(run.name);
  std::string text = (known != nullptr ? std::string(known->plural) : printable(run.name)) + ": ";
  if (run.by_name && run.ending != event::CheckEnding::timed_out) {
    if (run.failed > 0) text += std::to_string(run.failed) + " fail, ";
    text += std::to_string(run.passed) + " pass";
    if (run.skipped > 0) text += ", " + std::to_string(run.skipped) + " skipped";
    if (run.failed == 0 && run.ending != event::CheckEnding::passed)
      text += ", but exit status " + std::to_string(run.exit_code);
  } else {
    switch (run.ending) {
      case event::CheckEnding::passed:
        text += "pass";
        break;
      case event::CheckEnding::failed:
        text += "fail, exit status " + std::to_string(run.exit_code);
        break;
      case event::CheckEnding::not_run:
        text += "cannot be run";
        break;
      case event::CheckEnding::ended_badly:
        text += "ended by a signal";
        break;
      case event::CheckEnding::timed_out:
        text += "took too long";
        break;
    }
  }
  return text + (run.known ? ", known from before" : ", " + duration(run.duration_ms));
}

std::string result_words(const workflow::CheckProgress& check) {
  return result_words(check.run) + std::string(where_words(check.what));
}

Tone tone_of(const workflow::CheckProgress& check) {
  const auto wanted =
      check.what == CheckFor::without ? event::CheckEnding::failed : event::CheckEnding::passed;
  return check.run.ending == wanted ? Tone::good : Tone::warn;
}

}  // namespace capsule::ui
