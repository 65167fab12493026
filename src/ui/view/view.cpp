#include "ui/view/view.h"

#include <algorithm>
#include <iterator>

#include "base/enum_count.h"
#include "base/text.h"

namespace capsule::view {

std::string_view name_of(Verb verb) {
  constexpr std::string_view kNames[] = {"answer", "approve", "reject", "go_on", "retry", "merge",
                                         "pause",  "abort",   "tell",   "show",  "log",   "lift"};
  static_assert(std::size(kNames) == kVerbs);
  static_assert(kVerbs == enum_count<Verb>());
  return kNames[static_cast<std::size_t>(verb)];
}

std::string_view name_of(Attention kind) {
  constexpr std::string_view kNames[] = {"question",      "choice",  "approval", "failed",
                                         "refused_merge", "stalled", "cut_off",  "budget",
                                         "disk",          "quota"};
  static_assert(std::size(kNames) == kAttentions);
  static_assert(kAttentions == enum_count<Attention>());
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Life life) {
  constexpr std::string_view kNames[] = {"working", "waiting", "cut_off", "paused", "ended"};
  static_assert(std::size(kNames) == kLives);
  static_assert(kLives == enum_count<Life>());
  return kNames[static_cast<std::size_t>(life)];
}

std::string_view name_of(Stage stage) {
  constexpr std::string_view kNames[] = {"blocked", "analysis", "development", "review", "audit",
                                         "merge",   "complete", "failed",      "removed"};
  static_assert(std::size(kNames) == kStages);
  static_assert(kStages == enum_count<Stage>());
  return kNames[static_cast<std::size_t>(stage)];
}

std::string_view name_of(Phase::State state) {
  constexpr std::string_view kNames[] = {"to_come", "working", "passed", "sent_back", "failed"};
  static_assert(std::size(kNames) == enum_count<Phase::State>());
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view name_of(Band::Kind kind) {
  constexpr std::string_view kNames[] = {"remediation", "person", "provider", "budget", "disk"};
  static_assert(std::size(kNames) == enum_count<Band::Kind>());
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Mark::Kind kind) {
  constexpr std::string_view kNames[] = {"started", "resumed",   "asked",  "answered", "merged",
                                         "refused", "completed", "failed", "reworked", "checked",
                                         "ground",  "told",      "paused", "ended"};
  static_assert(std::size(kNames) == enum_count<Mark::Kind>());
  return kNames[static_cast<std::size_t>(kind)];
}

bool can_detach(const Action& action) {
  const bool starts =
      action.verb == Verb::go_on || action.verb == Verb::retry || action.verb == Verb::merge;
  if (!starts || action.words.empty()) return false;
  const std::string& command = action.words.front();
  return command == "run" || command == "deliver" || command == "auto" || command == "merge";
}

std::string command_of(const Action& action, std::string_view options) {
  std::string text = "capsule", behind;
  bool plain = false;
  for (const std::string& word : action.words) {
    plain |= word == "--";
    (plain ? behind : text) += " " + shell_word(word);
  }
  if (!action.wants.empty())
    behind += (action.verb == Verb::reject ? " --because=" : " ") + action.wants;
  // Of a command to be pasted they stand last, where they can.
  return plain ? text.append(options) + behind : text + behind.append(options);
}

std::vector<std::string> words_with(const Action& action, const std::string& text,
                                    const std::vector<std::string>& options) {
  std::vector<std::string> words = action.words;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool plain = dashes != words.end();
  words.insert(dashes, options.begin(), options.end());
  if (action.wants.empty()) return words;
  if (action.verb == Verb::reject) {
    words.push_back("--because=" + text);
    return words;
  }
  if (!plain && text.starts_with('-')) words.push_back("--");
  words.push_back(text);
  return words;
}

const Run* find_run(const Project& project, std::string_view run) {
  const auto found = std::find_if(project.runs.begin(), project.runs.end(),
                                  [&](const Run& one) { return one.run == run; });
  return found == project.runs.end() ? nullptr : &*found;
}

const Task* find_task(const Run& run, std::string_view task) {
  const auto found = std::find_if(run.tasks.begin(), run.tasks.end(),
                                  [&](const Task& one) { return one.id == task; });
  return found == run.tasks.end() ? nullptr : &*found;
}

const Attempt* find_attempt(const Run& run, int agent) {
  const auto found = std::find_if(run.attempts.begin(), run.attempts.end(),
                                  [&](const Attempt& one) { return one.agent == agent; });
  return found == run.attempts.end() ? nullptr : &*found;
}

const Attempt* newest_ended(const Run& run) {
  const Attempt* newest = nullptr;
  for (const Attempt& one : run.attempts)
    if (!one.ended.empty() && (newest == nullptr || newest->ended <= one.ended)) newest = &one;
  return newest;
}

Run only(Run run, const std::string& task) {
  const auto other = [&](const auto& one) { return one.task != task; };
  std::erase_if(run.tasks, [&](const Task& one) { return one.id != task; });
  std::erase_if(run.waits, other);
  std::erase_if(run.trees, other);
  std::erase_if(run.attempts, other);
  std::erase_if(run.remarks, [&](const Remark& one) { return !one.task.empty() && other(one); });
  for (Task& one : run.tasks)
    for (std::size_t i = 0; i < one.attempts.size(); ++i) one.attempts[i] = static_cast<int>(i);
  return run;
}

bool asks(const Run& run) {
  return std::any_of(run.waits.begin(), run.waits.end(),
                     [](const Wait& wait) { return wait.question > 0; });
}

std::string left_since(const Run& run) {
  const bool left = run.life == Life::cut_off || run.life == Life::paused;
  return left ? run.since : std::string();
}

Spending usage_of(const Attempt& attempt) {
  Spending sum;
  sum.tokens = attempt.use;
  sum.cost_micros = attempt.use.cost_micros;
  sum.calls = attempt.calls;
  sum.calls_without_tokens = attempt.calls_without_tokens;
  sum.calls_without_cost = attempt.calls_without_cost;
  sum.duration_ms = attempt.calls_ms;
  return sum;
}

void add_usage(Spending& sum, const Attempt& attempt) {
  ++sum.agent_runs;
  sum.duration_ms += attempt.duration_ms;
  // Of its call nothing is known yet; of those before, which a fault or a budget ended, it is.
  if (attempt.running && attempt.use == event::TokenUse{}) return;
  sum.tokens = sum.tokens + attempt.use;
  sum.cost_micros = sum.tokens.cost_micros;
  // Of an agent whose calls nobody recorded: that it was called, and no more.
  const bool recorded = attempt.calls > 0;
  sum.calls += recorded ? attempt.calls : 1;
  sum.calls_without_tokens += recorded                   ? attempt.calls_without_tokens
                              : attempt.use.tokens_known ? 0
                                                         : 1;
  sum.calls_without_cost += recorded ? attempt.calls_without_cost : attempt.use.cost_known ? 0 : 1;
  sum.tokens.tokens_known = sum.calls_without_tokens == 0;
  sum.tokens.cost_known = sum.calls_without_cost == 0;
}

void add_usage(Spending& sum, const Spending& more) {
  sum.agent_runs += more.agent_runs;
  sum.duration_ms += more.duration_ms;
  sum.cost_micros += more.cost_micros;
  sum.checks_ms += more.checks_ms;
  sum.tokens = sum.tokens + more.tokens;
  sum.calls += more.calls;
  sum.calls_without_tokens += more.calls_without_tokens;
  sum.calls_without_cost += more.calls_without_cost;
  sum.tokens.tokens_known = sum.calls > 0 && sum.calls_without_tokens == 0;
  sum.tokens.cost_known = sum.calls > 0 && sum.calls_without_cost == 0;
}

Spending usage_of(const std::vector<Attempt>& attempts, const std::vector<int>& places) {
  Spending sum;
  for (const int place : places) add_usage(sum, attempts[static_cast<std::size_t>(place)]);
  return sum;
}

Attempt attempt_of(const workflow::AgentSummary& agent) {
  Attempt row;
  row.agent = agent.number;
  row.task = agent.task;
  row.role = agent.role;
  row.attempt = agent.attempt;
  row.running = agent.running;
  row.said = agent.said;
  row.fault = agent.fault;
  row.detail = agent.detail;
  row.checked = agent.checked;
  row.found = agent.found;
  row.sent_back = agent.why;
  row.log = agent.log;
  row.provider = agent.provider;
  row.model = agent.model;
  row.client = agent.client;
  row.answered = agent.answered;
  row.use = agent.use;
  row.calls = agent.calls;
  row.calls_without_tokens = agent.calls_without_tokens;
  row.calls_without_cost = agent.calls_without_cost;
  row.calls_ms = agent.calls_ms;
  row.duration_ms = agent.duration_ms;
  row.service_faults = agent.faults;
  row.redacted = agent.redacted;
  return row;
}

}  // namespace capsule::view
