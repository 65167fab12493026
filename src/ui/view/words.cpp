// What is shown, in words: one wording for all faces.
#include <ctime>

#include "base/text.h"
#include "ui/view/view.h"
#include "ui/view/walls.h"

namespace capsule::view {
namespace {

using For = workflow::Waiting::For;

std::string with_number(std::string_view words, int question) {
  return std::string(words) + " (question " + std::to_string(question) + ")";
}

}  // namespace

std::string_view service_words(event::Fault fault) {
  switch (fault) {
    case event::Fault::rate_limited:
      return "too many requests";
    case event::Fault::overloaded:
      return "it is overloaded, or fails";
    case event::Fault::usage_limit:
      return "a usage limit is reached";
    case event::Fault::no_credit:
      return "no credit is left";
    case event::Fault::unauthorised:
      return "it does not accept the account or key";
    case event::Fault::unreachable:
      return "it cannot be reached";
    case event::Fault::no_answer:
      return "it does not answer";
    case event::Fault::context_full:
      return "the conversation is too long for the model";
    default:
      return "it failed";
  }
}

std::string time_words(std::int64_t epoch_seconds) {
  const std::time_t at = epoch_seconds;
  std::tm parts{};
  char text[40] = "";
  if (::gmtime_r(&at, &parts) == nullptr) return "an unknown time";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string words_of(const Wait& wait) {
  switch (wait.kind) {
    case For::answer:
      return wait.question > 0 ? "an answer to question " + std::to_string(wait.question)
                               : "a person";
    case For::approval:
      return with_number("approval", wait.question);
    case For::file:
      return "the file " + printable(wait.what) +
             (wait.holder.empty() ? "" : ", held by " + printable(wait.holder));
    case For::dependency:
      return "the task " + printable(wait.what);
    case For::expert:
      return wait.what.empty() ? "an expert" : "the expert " + printable(wait.what);
    case For::remediation:
      return "remediation";
    case For::provider:
      return "the provider " + printable(wait.what) +
             (wait.until > 0 ? " until " + time_words(wait.until) : "") + ": " +
             std::string(service_words(wait.fault));
    case For::budget:
      return wait.question > 0 ? with_number("a larger budget", wait.question) : "a larger budget";
    case For::disk:
      return "room on the disk of " + printable(wait.what);
    case For::slot:
      break;
  }
  return "a free agent";
}

std::string short_words(const Wait& wait) {
  const std::string held = wait.holder.empty() ? "" : " (" + wait.holder + ")";
  switch (wait.kind) {
    case For::answer:
    case For::approval:
      return "waits for you";
    case For::file:
      return "file " + wait.what.substr(wait.what.rfind('/') + 1) + held;
    case For::dependency:
      return "after " + wait.what;
    case For::expert:
      return "asks expert " + wait.what;
    case For::remediation:
      return "main is mended";
    case For::slot:
      return "next in line";
    case For::provider:
      return wait.what + " is parked";
    case For::disk:
      return "disk is nearly full";
    case For::budget:
      break;
  }
  return "budget is spent";
}

std::string state_words(const Run& run, const Task& task) {
  const bool over =
      task.stage == Stage::complete || task.stage == Stage::failed || task.stage == Stage::removed;
  if (over) return std::string(name_of(task.stage));
  if (!task.waits.empty()) return short_words(task.waits.front());
  for (auto it = task.attempts.rbegin(); it != task.attempts.rend(); ++it) {
    const Attempt& attempt = run.attempts[static_cast<std::size_t>(*it)];
    if (!attempt.running) continue;
    return attempt.role + " " + std::to_string(attempt.attempt) +
           (attempt.idle.empty() ? "" : " stands still");
  }
  return task.words.empty() ? std::string(name_of(task.stage)) : task.words;
}

std::vector<Remark> remarks_of(const workflow::RunSummary& summary) {
  const auto of_task = [&](const std::string& task) {
    return summary.tasks.empty() || task.empty() ? std::string() : task + ": ";
  };
  std::vector<Remark> remarks;
  for (const workflow::ClaimSummary& one : summary.claims) {
    const event::Verdict verdict = one.claim.verdict;
    if (verdict != event::Verdict::broken && verdict != event::Verdict::differs) continue;
    remarks.push_back(
        {one.task, of_task(one.task) + one.role +
                       (verdict == event::Verdict::broken ? ": not true: " : ": not exact: ") +
                       one.claim.what +
                       (one.claim.detail.empty() ? "" : " (" + one.claim.detail + ")")});
  }
  for (const workflow::AgentSummary& agent : summary.agents)
    if (agent.redacted > 0)
      remarks.push_back({agent.task, of_task(agent.task) + agent.role + " " +
                                         std::to_string(agent.attempt) + ": " +
                                         redacted_words(agent.redacted)});
  for (const workflow::SelfRunningSummary& changed : summary.self_running)
    remarks.push_back(
        {changed.task, of_task(changed.task) + workflow::self_running_words(changed)});
  if (const std::string weaker = workflow::weaker_words(summary.contained); !weaker.empty())
    remarks.push_back({"", "the walls are less than they could be: " + weaker});
  for (const std::string& line : summary.ground) remarks.push_back({"", line});
  return remarks;
}

std::string walls_words(const Run& run) {
  const std::string words = workflow::walls_words(run.contained);
  return words.empty() && run.usage.agent_runs > 0 ? "off" : words;
}

std::string redacted_words(int secrets) {
  return counted(secrets, "secret") + (secrets == 1 ? " was" : " were") +
         " replaced in what it printed";
}

}  // namespace capsule::view
