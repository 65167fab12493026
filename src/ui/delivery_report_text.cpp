// The report of a delivery, made from its facts: they alone know when things happened.
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "ui/attempt_text.h"
#include "ui/delivery_report.h"
#include "ui/supply_text.h"
#include "ui/usage_text.h"
#include "world/spending.h"

namespace capsule::ui {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about
using delivery::Stage;
using delivery::TaskState;

constexpr std::size_t kMaxQuoteBytes = 8000;

// "2026-01-31 12:00:00 UTC" of "2026-01-31T12:00:00.123Z".
std::string date_of(const std::string& at) {
  if (at.size() < 19) return at;
  return at.substr(0, 10) + " " + at.substr(11, 8) + " UTC";
}

// A text of an agent or a person, as a quotation: its Markdown stays its own.
std::string quoted_lines(std::string_view text) {
  const bool cut = text.size() > kMaxQuoteBytes;
  std::string result;
  for (std::string_view line : split(trimmed(text.substr(0, kMaxQuoteBytes)), '\n'))
    result += "  > " + printable(line) + "\n";
  return result + (cut ? "  > … (the rest is in its log)\n" : "");
}

// In a cell of a table.
std::string cell(std::string_view text) { return replace_all(printable(text), "|", "\\|"); }

// One agent, from its start to its end.
struct AgentLine {
  AgentDispatched start;
  std::string began_at, ended_at;
  std::optional<AgentFinished> end;
};

// What a task has of its own, in the order in which it happened.
struct Of {
  std::vector<int> agents;
  std::vector<std::string> events;  // lines
  std::string began_at, over_at;
};

class Teller {
 public:
  explicit Teller(const DeliveryReport& report) : report_(report), state_(report.state) {
    for (const event::Fact& fact : report.facts) {
      at_ = fact.at;
      if (event::supply::is_supply(fact.kind)) {
        take_supply(fact);
      } else if (const auto read = read_fact(fact.kind, fact.body)) {
        std::visit([this](const auto& one) { take(one); }, *read);
        last_at_ = fact.at;
      }
    }
  }

  std::string text() {
    std::string text = head();
    const std::vector<workflow::TaskSummary> tasks = delivery::run_summary(state_).tasks;
    for (std::size_t i = 0; i < state_.tasks.size(); ++i)
      text += task_text(state_.tasks[i], tasks[i].words);
    text += section("Remediation and health audits", remediation_);
    text += section("Experts", experts_);
    return text + section("The plan as a whole", plan_);
  }

 private:
  template <class Other>
  void take(const Other&) {}

  // What agents used, and what their services and budgets did to the plan as a whole.
  void take_supply(const event::Fact& fact) {
    const auto read = event::supply::read_fact(fact.kind, fact.body);
    if (!read) return;
    if (const auto* call = std::get_if<event::supply::AgentUsed>(&*read)) {
      world::add_call(used_[call->agent], *call);
      world::add_call(used_by_task_[call->task], *call);
      world::add_call(used_in_all_, *call);
    } else if (std::holds_alternative<event::supply::ProviderParked>(*read) ||
               std::holds_alternative<event::supply::ProviderFree>(*read) ||
               std::holds_alternative<event::supply::BudgetReached>(*read)) {
      note(plan_, without_end(supply_lines({fact.kind, fact.at, fact.body})));
    }
  }

  Of& place_of(const AgentDispatched& f) {
    if (f.role == Role::remediation || f.role == Role::health_auditor) return remediation_;
    if (f.role == Role::expert) return experts_;
    return f.task.empty() ? plan_ : tasks_[f.task];
  }
  void note(Of& of, const std::string& text) {
    of.events.push_back("- " + date_of(at_) + ": " + text + "\n");
  }

  void take(const DeliveryStarted&) { started_at_ = at_; }
  void take(const DeliveryResumed& f) {
    resumed_at_ = at_;
    resumed_.push_back(date_of(at_) + (f.retry_failed ? ", to try what failed again" : ""));
  }
  void take(const AgentDispatched& f) {
    Of& of = place_of(f);
    of.agents.push_back(f.agent);
    if (of.began_at.empty()) of.began_at = at_;
    if (f.role == Role::expert && !f.task.empty())
      note(tasks_[f.task],
           "expert " + printable(f.expert) + " is asked, by agent " + std::to_string(f.agent));
    agents_[f.agent] = {f, at_, "", std::nullopt};
  }
  void take(const AgentFinished& f) {
    const auto found = agents_.find(f.agent);
    if (found == agents_.end()) return;
    AgentLine& line = found->second;
    line.ended_at = at_;
    line.end = f;
    const std::string words = said(line);
    const std::string who =
        std::string(signal::name_of(line.start.role)) + " (agent " + std::to_string(f.agent) + ")";
    std::string found_text;
    for (const Field& field : f.fields)
      if (!trimmed(field.text).empty()) found_text += quoted_lines(field.label + ": " + field.text);
    if (f.fault != Fault::none && !f.detail.empty()) found_text = quoted_lines(f.detail);
    if (f.fault == Fault::none && f.signal == Signal::unknown)
      found_text = quoted_lines(signal::sentence({f.miss, f.missed_line}));
    if (f.wrote) found_text += "  > it changed files, which were taken back\n";
    if (found_text.empty()) return;
    note(place_of(line.start),
         who + ": " + words + "\n" + found_text.substr(0, found_text.size() - 1));
  }
  void take(const MergeDone& f) {
    over(f.task);
    std::string text =
        "merged as " + printable(f.commit) + (f.adopted ? ", found done when it was taken up" : "");
    for (const event::CheckRun& run : f.runs) text += "\n  - " + result_words(run);
    if (f.evidence.by_name) text += "\n  - " + workflow::evidence_words(f.evidence);
    note(tasks_[f.task], text);
  }
  void take(const MergeRefused& f) {
    note(tasks_[f.task], "not merged: " + replace_all(name_of(f.why), "_", " ") + "\n" +
                             without_end(quoted_lines(f.detail)));
  }
  void take(const VerifyFinished& f) {
    std::string text = replace_all(name_of(f.purpose), "_", " ") + ": ";
    if (!f.failures.empty()) {
      text += "failing:";
      for (const std::string& one : f.failures) text += " " + printable(one);
    } else {
      text += f.detail.empty() ? "all checks pass" : printable(f.detail);
    }
    for (const event::CheckRun& run : f.runs) text += "\n  - " + result_words(run);
    if (!f.failures.empty() && !f.detail.empty())
      text += "\n" + without_end(quoted_lines(f.detail));
    note(f.purpose == VerifyPurpose::health ? remediation_ : plan_, text);
  }
  void take(const TaskFailed& f) {
    over(f.task);
    note(tasks_[f.task], "failed\n" + without_end(quoted_lines(f.detail)));
  }
  void take(const TaskReworked& f) {
    note(tasks_[f.task], "goes back: " + replace_all(name_of(f.kind), "_", " ") + ", time " +
                             std::to_string(f.times));
  }
  void take(const ReviewSkipped& f) {
    skipped_.insert(f.task);
    note(tasks_[f.task], "review skipped: the critic timed out too often");
  }
  void take(const TaskExpanded& f) {
    note(tasks_[f.task],
         "made clear by the business analyst, confidence " + printable(f.confidence));
  }
  void take(const RemediationEntered& f) {
    note(remediation_, "round " + std::to_string(f.round) + " begins" +
                           (f.task.empty() ? "" : ", for " + printable(f.task)) + "\n" +
                           without_end(quoted_lines(f.issue)));
  }
  void take(const RemediationLeft& f) {
    note(remediation_, "round " + std::to_string(f.round) +
                           " ends: " + (f.overridden ? "overridden by a person" : "healthy"));
  }
  void take(const ExpertRegistered& f) {
    note(experts_, printable(f.expert) +
                       (f.supports.empty() ? "" : ", for " + printable(f.supports)) +
                       (f.gap.empty() ? "" : ": " + printable(f.gap)));
  }
  void take(const QuestionAsked& f) {
    if (asked_.contains(f.question)) return;  // it is asked again when the delivery is taken up
    note(f.task.empty() ? remediation_ : tasks_[f.task],
         "Question " + std::to_string(f.question) + ":\n" + without_end(quoted_lines(f.text)));
    asked_[f.question] = f.task;
  }
  void take(const QuestionAnswered& f) {
    const auto found = asked_.find(f.question);
    const std::string task = found == asked_.end() ? "" : found->second;
    note(task.empty() ? remediation_ : tasks_[task], "Question " + std::to_string(f.question) +
                                                         ", answer (" + printable(f.by) + "):\n" +
                                                         without_end(quoted_lines(f.text)));
  }

  void take(const AnswerTakenBack& f) {
    const auto found = asked_.find(f.question);
    const std::string task = found == asked_.end() ? "" : found->second;
    note(task.empty() ? remediation_ : tasks_[task],
         "Question " + std::to_string(f.question) +
             ": the answer was taken back, before an agent was told");
  }

  static std::string without_end(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  void over(const std::string& task) { tasks_[task].over_at = at_; }

  static std::string said(const AgentLine& line) {
    if (!line.end) return "did not end";
    if (line.end->fault != Fault::none) return replace_all(name_of(line.end->fault), "_", " ");
    const auto& row = signal::row(line.end->signal);
    return std::string(row.wire.empty() ? row.name : row.wire);
  }

  // What was found when its words were held against the files and the checks.
  std::string checked(int number) const {
    for (const delivery::AgentRecord& record : state_.history) {
      if (record.number != number) continue;
      const bool refused = record.checked == workflow::Finding::refused;
      return record.found + (refused ? (record.found.empty() ? "refused" : ": refused") : "");
    }
    return {};
  }

  std::string shown_path(const std::string& path) const {
    const std::string root = report_.root + "/";
    return printable(!report_.root.empty() && path.starts_with(root) ? path.substr(root.size())
                                                                     : path);
  }

  // Of one agent, in a cell.
  std::string used(int number) const {
    const auto found = used_.find(number);
    if (found == used_.end()) return "unknown";
    const std::string words = short_usage(found->second);
    return words.empty() ? "unknown" : words;
  }

  std::string head() const {
    const delivery::Summary summary = delivery::summary_of(state_);
    std::string text = "# Delivery: " + printable(state_.title) +
                       "\n\n- Plan: " + printable(state_.plan) + "\n- Run: " + report_.run +
                       "\n- Began: " + date_of(started_at_) + "\n";
    for (const std::string& at : resumed_) text += "- Taken up: " + at + "\n";
    text += (state_.outcome == Outcome::none ? "- Last: " : "- Ended: ") + date_of(last_at_) +
            "\n- Outcome: " +
            (state_.outcome == Outcome::none ? "waiting" : std::string(name_of(state_.outcome))) +
            "\n- Tasks: " + std::to_string(state_.tasks.size()) + ", complete " +
            std::to_string(summary.completed.size()) + ", failed " +
            std::to_string(summary.failed.size()) + ", waiting " +
            std::to_string(summary.waiting.size()) +
            "\n- Agent runs: " + std::to_string(state_.dispatched) + "\n";
    if (const std::string words = usage_words(used_in_all_); !words.empty())
      text += "- Used: " + words + "\n";
    if (state_.checks_ms > 0) text += "- Checks took: " + duration(state_.checks_ms) + "\n";
    if (!skipped_.empty()) {
      text += "- Not reviewed, since the critic timed out:";
      for (const std::string& task : skipped_) text += " " + printable(task);
      text += "\n";
    }
    text += "- Merges were checked by: ";
    if (report_.checks.empty()) text += "nothing; no verify command is configured";
    for (const std::string& check : report_.checks)
      text += (&check == report_.checks.data() ? "`" : ", `") + printable(check) + "`";
    text += "\n";
    if (!state_.baseline.empty()) {
      text += "- Failing before any task began, so that it alone stopped no merge:";
      for (const std::string& name : state_.baseline) text += " " + printable(name);
      text += "\n";
    }
    return text;
  }

  std::string task_text(const TaskState& task, const std::string& words) {
    const Of& of = tasks_[task.task.id];
    // ISO times in one form: the order of the texts is that of the times.
    const bool earlier = task.stage == Stage::complete && !resumed_at_.empty() &&
                         !of.over_at.empty() && of.over_at < resumed_at_;
    std::string text = "\n## " + printable(task.task.id) + ": " + printable(task.task.title) +
                       "\n\n- State: " + printable(words) +
                       (earlier ? ", before the delivery was taken up" : "") + "\n";
    if (!task.detail.empty()) text += "- Why: " + printable(task.detail) + "\n";
    if (!of.began_at.empty()) text += "- Began: " + date_of(of.began_at) + "\n";
    if (!of.over_at.empty()) text += "- Over: " + date_of(of.over_at) + "\n";
    if (!task.commit.empty()) text += "- Merged as: " + printable(task.commit) + "\n";
    if (const auto found = used_by_task_.find(task.task.id); found != used_by_task_.end())
      text += "- Used: " + usage_words(found->second) + "\n";
    if (task.evidence.by_name) text += "- Tests: " + workflow::evidence_words(task.evidence) + "\n";
    if (!task.merged_files.empty()) {
      text += "- Files:";
      for (const std::string& file : task.merged_files) text += " `" + printable(file) + "`";
      text += "\n";
    }
    text += body(of);
    for (const delivery::Question& question : state_.questions)
      if (!question.closed && question.task >= 0 && &state_.tasks[question.task] == &task)
        text += "- Question " + std::to_string(question.number) + " is not answered yet\n";
    return text;
  }

  std::string section(const std::string& title, const Of& of) const {
    if (of.agents.empty() && of.events.empty()) return {};
    return "\n## " + title + "\n\n" + body(of);
  }

  std::string body(const Of& of) const {
    std::string text;
    std::int64_t total = 0;
    std::string rows;
    for (const int number : of.agents) {
      const AgentLine& line = agents_.at(number);
      const std::int64_t took = line.end ? line.end->duration_ms : 0;
      total += took;
      rows += "| " + std::to_string(number) + " | " +
              std::string(signal::name_of(line.start.role)) +
              (line.start.expert.empty() ? "" : " " + cell(line.start.expert)) + " | " +
              std::to_string(line.start.attempt) + " | " +
              replace_all(name_of(line.start.why), "_", " ") + " | " + said(line) +
              (line.end && line.end->wrote ? ", wrote (taken back)" : "") + " | " +
              cell(checked(number)) + " | " + date_of(line.began_at) + " | " + duration(took) +
              " | " + used(number) + " | " +
              (line.end && !line.end->log.empty() ? cell(shown_path(line.end->log)) : "") + " |\n";
    }
    if (!rows.empty())
      text +=
          "- Duration: " + duration(total) +
          "\n\n| agent | role | attempt | why | said | checked | began | duration | used | log |\n"
          "|---|---|---|---|---|---|---|---|---|---|\n" +
          rows;
    if (!of.events.empty()) text += "\n";
    for (const std::string& line : of.events) text += line;
    return text;
  }

  const DeliveryReport& report_;
  const delivery::State& state_;
  std::string at_, started_at_, resumed_at_, last_at_;
  std::vector<std::string> resumed_;
  std::map<int, AgentLine> agents_;
  std::map<std::string, Of> tasks_;
  Of remediation_, experts_, plan_;
  std::map<int, std::string> asked_;  // question to task
  std::set<std::string> skipped_;
  std::map<int, workflow::Usage> used_;
  std::map<std::string, workflow::Usage> used_by_task_;
  workflow::Usage used_in_all_;
};

}  // namespace

std::string delivery_report(const DeliveryReport& report) { return Teller(report).text(); }

}  // namespace capsule::ui
