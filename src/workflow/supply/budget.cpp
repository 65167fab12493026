// What may be spent: by a run, by a task, in a day, in tokens.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "signal/vocabulary.h"
#include "workflow/supply/supply.h"

namespace capsule::supply {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

std::string name_for(const BudgetKey& key) {
  switch (key.first) {
    case Scope::run:
      return "The budget of this run (budget.run)";
    case Scope::task:
      return "The budget of " + (key.second.empty() ? "a task" : printable(key.second)) +
             " (budget.task)";
    case Scope::day:
      return "The budget of this day (budget.day)";
    case Scope::tokens:
      break;
  }
  return "The budget of this run in tokens (budget.tokens)";
}

}  // namespace

std::string Turn::day() const { return now_.day.empty() ? at_.substr(0, 10) : now_.day; }

std::int64_t Turn::day_ends() const {
  if (now_.day_ends > seconds_) return now_.day_ends;
  return (seconds_ / kDaySeconds + 1) * kDaySeconds;
}

// What a person allowed stays allowed; what is configured may have grown meanwhile.
std::int64_t Turn::limit(const BudgetKey& key) const {
  const std::int64_t configured = limit_of(policy_.budget, key.first);
  if (configured == 0) return 0;
  const auto found = s_.budgets.find(key);
  return found == s_.budgets.end() ? configured : std::max(configured, found->second.raised);
}

// With what those who work have used so far.
std::int64_t Turn::spent(const BudgetKey& key) const {
  const bool tokens = key.first == Scope::tokens;
  std::int64_t sum = 0;
  switch (key.first) {
    case Scope::run:
      sum = s_.spent.micros;
      break;
    case Scope::tokens:
      sum = s_.spent.tokens;
      break;
    case Scope::task:
      if (const auto found = s_.by_task.find(key.second); found != s_.by_task.end())
        sum = found->second.micros;
      break;
    case Scope::day:
      sum = now_.spent_elsewhere;
      if (const auto found = s_.by_day.find(key.second); found != s_.by_day.end())
        sum += found->second.micros;
      break;
  }
  for (const auto& [agent, wanted] : now_.wanted) {
    if (!wanted.working || (key.first == Scope::task && wanted.start.task != key.second)) continue;
    if (tokens && wanted.use.tokens_known) sum += counted_tokens(wanted.use);
    if (!tokens && wanted.use.cost_known) sum += wanted.use.cost_micros;
  }
  return sum;
}

std::vector<BudgetKey> Turn::budgets_of(const std::string& task) const {
  return {{Scope::run, ""}, {Scope::tokens, ""}, {Scope::day, day()}, {Scope::task, task}};
}

std::optional<BudgetKey> Turn::blocked_by(const std::string& task) const {
  const Budget& budget = policy_.budget;
  if (budget.run == 0 && budget.tokens == 0 && budget.day == 0 && budget.task == 0)
    return std::nullopt;
  std::optional<BudgetKey> until_tomorrow;
  for (const BudgetKey& key : budgets_of(task)) {
    const std::int64_t most = limit(key);
    if (most == 0 || spent(key) < most) continue;
    // What only a person can change says more than what changes by itself.
    if (key.first != Scope::day) return key;
    until_tomorrow = key;
  }
  return until_tomorrow;
}

void Turn::watch_budgets() {
  const Budget& budget = policy_.budget;
  std::set<BudgetKey> keys;
  if (budget.run > 0 || budget.tokens > 0 || budget.day > 0 || budget.task > 0) {
    for (const auto& [agent, wanted] : now_.wanted) touched_.insert(wanted.start.task);
    for (const std::string& task : touched_)
      for (BudgetKey& key : budgets_of(task)) keys.insert(std::move(key));
  }
  for (const BudgetKey& key : keys) {
    const std::int64_t most = limit(key);
    if (most == 0) continue;
    const std::int64_t sum = spent(key);
    const auto found = s_.budgets.find(key);
    const BudgetRecord known = found == s_.budgets.end() ? BudgetRecord{} : found->second;
    const bool all = sum >= most;
    if (all ? known.reached < most : sum * 5 >= most * 4 && known.noticed < most)
      record(fact::BudgetReached{key.first, key.second, sum, most, all});
    if (!all || !policy_.budget.hard) continue;
    for (auto& [agent, wanted] : now_.wanted) {
      if (!wanted.working || wanted.ending) continue;
      if (key.first == Scope::task && wanted.start.task != key.second) continue;
      wanted.ending = true;
      wanted.by = Fault::over_budget;
      commands.emplace_back(workflow::EndAgent{agent});
    }
  }
  // A question that time, or the configuration, has answered.
  std::vector<int> over;
  for (const auto& [number, question] : s_.questions) {
    if (!question.open || !question.provider.empty()) continue;
    const BudgetKey key{question.scope, question.task};
    const bool past = question.scope == Scope::day && question.task != day();
    const std::int64_t most = limit(key);
    if (past || most == 0 || spent(key) < most) over.push_back(number);
  }
  for (const int number : over) record(fact::PersonAnswered{number, "", ""});
}

void Turn::ask_about_budget(const BudgetKey& key, const std::string& before) {
  int number = 0;
  for (const auto& [open, question] : s_.questions)
    if (question.open && question.provider.empty() && question.scope == key.first &&
        question.task == key.second)
      number = open;
  if (number == 0) {
    number = new_question();
    const std::int64_t sum = spent(key), most = limit(key);
    std::string text = before + name_for(key) + " is spent: " + amount_text(sum, key.first) +
                       " of " + amount_text(most, key.first);
    if (s_.without_cost > 0 && key.first != Scope::tokens)
      text += ", and the cost of " + counted(s_.without_cost, "call") + " is not known";
    text += ". Answer with an amount to add, such as " +
            std::string(key.first == Scope::tokens ? "200k" : "2.50") +
            "; 'stop' ends the run at its next border.";
    if (key.first == Scope::day) text += " It goes on by itself tomorrow.";
    record(fact::PersonAsked{number, "", key.first, key.second, text, {}});
  }
  put(number);
}

void Turn::answer_budget(const Question& question, const workflow::Answered& answered) {
  const BudgetKey key{question.scope, question.task};
  const auto more = amount_in(answered.text, key.first);
  // Whoever says the same again, such as a file of answers for all cases, will not say another.
  int said = 0;
  for (auto other = s_.questions.rbegin(); other != s_.questions.rend(); ++other) {
    if (!other->second.provider.empty()) continue;
    if (other->second.answer != answered.text) break;
    ++said;
  }
  if (signal::same_letters(trimmed(answered.text), "stop") || (!more && said > 2)) {
    stop(workflow::Stop::paused);
    heard_.emplace_back(workflow::StopAsked{workflow::Stop::paused});
    return;
  }
  if (limit(key) == 0) return;
  if (!more)
    return ask_about_budget(key,
                            "'" + printable(cut(trimmed(answered.text), 40)) + "' is no amount. ");
  // More than was spent, or the next agent would be held again.
  const std::int64_t raised = std::max(limit(key), spent(key)) + *more;
  record(fact::BudgetRaised{key.first, key.second, raised, answered.by});
}

}  // namespace capsule::supply
