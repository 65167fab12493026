// The report of a delivery, made from its facts: they alone know when things happened.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "engine/run.h"
#include "event/delivery.h"
#include "event/supply.h"
#include "ui/attempt_text.h"
#include "ui/delivery_report.h"
#include "ui/supply_text.h"
#include "ui/usage_text.h"
#include "ui/view/fold.h"
#include "ui/view/walls.h"

namespace capsule::ui {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about

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

// What only the facts of an agent tell.
struct AgentLine {
  AgentDispatched start;
  bool wrote = false;
};

// What a task has of its own, in the order in which it happened.
struct Of {
  std::vector<int> agents;
  std::vector<std::string> events;  // lines
};

view::Run run_of(const DeliveryReport& report) {
  engine::RunHead head;
  head.run = report.run;
  head.workflow = engine::kDelivery;
  head.subject = report.plan;
  view::Fold fold;
  fold.head(head);
  for (const event::Fact& fact : report.facts) fold.apply(fact);
  return fold.project().runs.front();
}

class Teller {
 public:
  explicit Teller(const DeliveryReport& report) : report_(report), run_(run_of(report)) {
    for (const event::Fact& fact : report.facts) {
      at_ = fact.at;
      if (event::supply::is_supply(fact.kind)) {
        take_supply(fact);
      } else if (const auto read = read_fact(fact.kind, fact.body)) {
        std::visit([this](const auto& one) { take(one); }, *read);
      }
    }
  }

  std::string text() {
    std::string text = head();
    for (const view::Task& task : run_.tasks) text += task_text(task);
    text += section("Remediation and health audits", remediation_);
    text += section("Experts", experts_);
    return text + section("The plan as a whole", plan_);
  }

 private:
  template <class Other>
  void take(const Other&) {}

  // What services and budgets did to the plan as a whole.
  void take_supply(const event::Fact& fact) {
    const auto read = event::supply::read_fact(fact.kind, fact.body);
    if (!read) return;
    if (std::holds_alternative<event::supply::ProviderParked>(*read) ||
        std::holds_alternative<event::supply::ProviderFree>(*read) ||
        std::holds_alternative<event::supply::BudgetReached>(*read))
      note(plan_, without_end(supply_lines({fact.kind, fact.at, fact.body})));
  }

  Of& place_of(const AgentDispatched& f) {
    if (f.role == Role::remediation || f.role == Role::health_auditor) return remediation_;
    if (f.role == Role::expert) return experts_;
    return f.task.empty() ? plan_ : tasks_[f.task];
  }
  void note(Of& of, const std::string& text) {
    of.events.push_back("- " + date_of(at_) + ": " + text + "\n");
  }

  void take(const DeliveryResumed& f) {
    resumed_at_ = at_;
    resumed_.push_back(date_of(at_) + (f.retry_failed ? ", to try what failed again" : ""));
  }
  void take(const AgentDispatched& f) {
    place_of(f).agents.push_back(f.agent);
    if (f.role == Role::expert && !f.task.empty())
      note(tasks_[f.task],
           "expert " + printable(f.expert) + " is asked, by agent " + std::to_string(f.agent));
    agents_[f.agent] = {f};
  }
  void take(const AgentFinished& f) {
    const auto found = agents_.find(f.agent);
    if (found == agents_.end()) return;
    AgentLine& line = found->second;
    line.wrote = f.wrote;
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
    note(place_of(line.start), who + ": " + said(*view::find_attempt(run_, f.agent)) + "\n" +
                                   found_text.substr(0, found_text.size() - 1));
  }
  void take(const MergeDone& f) {
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

  static std::string said(const view::Attempt& attempt) {
    if (attempt.running || attempt.fault == Fault::lost) return "did not end";
    if (attempt.fault != Fault::none) return replace_all(name_of(attempt.fault), "_", " ");
    return attempt.said.empty() ? "nothing that counts" : attempt.said;
  }

  // What was found when its words were held against the files and the checks.
  static std::string checked(const view::Attempt& attempt) {
    const bool refused = attempt.checked == workflow::Finding::refused;
    return attempt.found + (refused ? (attempt.found.empty() ? "refused" : ": refused") : "");
  }

  std::string shown_path(const std::string& path) const {
    const std::string root = report_.root + "/";
    return printable(!report_.root.empty() && path.starts_with(root) ? path.substr(root.size())
                                                                     : path);
  }

  // Of one agent, in a cell.
  static std::string used(const view::Attempt& attempt) {
    view::Spending spent;
    view::add_usage(spent, attempt);
    const std::string words = short_usage(spent);
    return words.empty() ? "unknown" : words;
  }

  std::string head() const {
    std::string text = "# Delivery: " + printable(run_.title) +
                       "\n\n- Plan: " + printable(run_.subject) + "\n- Run: " + run_.run +
                       "\n- Began: " + date_of(run_.started) + "\n";
    for (const std::string& at : resumed_) text += "- Taken up: " + at + "\n";
    const auto waiting = std::count_if(
        run_.tasks.begin(), run_.tasks.end(),
        [](const view::Task& task) { return task.standing == workflow::Standing::open; });
    text += (run_.ended.empty() ? "- Last: " + date_of(run_.newest.at)
                                : "- Ended: " + date_of(run_.ended)) +
            "\n- Outcome: " + (run_.outcome.empty() ? "waiting" : run_.outcome) +
            "\n- Tasks: " + std::to_string(run_.all) + ", complete " + std::to_string(run_.done) +
            ", failed " + std::to_string(run_.failed) + ", waiting " + std::to_string(waiting) +
            "\n- Agent runs: " + std::to_string(run_.usage.agent_runs) + "\n";
    if (const std::string words = usage_words(run_.usage); !words.empty())
      text += "- Used: " + words + "\n";
    if (const std::string walls = view::walls_words(run_); !walls.empty())
      text += "- Walls: " + walls + "\n";
    if (run_.usage.checks_ms > 0) text += "- Checks took: " + duration(run_.usage.checks_ms) + "\n";
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
    if (!run_.tolerated.empty()) {
      text += "- Failing before any task began, so that it alone stopped no merge:";
      for (const std::string& name : run_.tolerated) text += " " + printable(name);
      text += "\n";
    }
    return text;
  }

  std::string task_text(const view::Task& task) {
    // ISO times in one form: the order of the texts is that of the times.
    const bool earlier =
        task.stage == view::Stage::complete && !resumed_at_.empty() && task.ended < resumed_at_;
    std::string text = "\n## " + printable(task.id) + ": " + printable(task.title) +
                       "\n\n- State: " + printable(task.words) +
                       (earlier ? ", before the delivery was taken up" : "") + "\n";
    if (!task.detail.empty()) text += "- Why: " + printable(task.detail) + "\n";
    if (!task.began.empty()) text += "- Began: " + date_of(task.began) + "\n";
    if (!task.ended.empty()) text += "- Over: " + date_of(task.ended) + "\n";
    if (!task.commit.empty()) text += "- Merged as: " + printable(task.commit) + "\n";
    if (const std::string words = usage_words(view::usage_of(run_.attempts, task.attempts));
        !words.empty())
      text += "- Used: " + words + "\n";
    if (task.evidence.by_name) text += "- Tests: " + workflow::evidence_words(task.evidence) + "\n";
    if (!task.files.empty()) {
      text += "- Files:";
      for (const std::string& file : task.files) text += " `" + printable(file) + "`";
      text += "\n";
    }
    text += body(tasks_[task.id]);
    for (const view::Wait& wait : task.waits)
      if (wait.question > 0)
        text += "- Question " + std::to_string(wait.question) + " is not answered yet\n";
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
      const view::Attempt* const attempt = view::find_attempt(run_, number);
      if (attempt == nullptr) continue;
      total += attempt->duration_ms;
      rows += "| " + std::to_string(number) + " | " + attempt->role +
              (line.start.expert.empty() ? "" : " " + cell(line.start.expert)) + " | " +
              std::to_string(attempt->attempt) + " | " + replace_all(attempt->why, "_", " ") +
              " | " + said(*attempt) + (line.wrote ? ", wrote (taken back)" : "") + " | " +
              cell(checked(*attempt)) + " | " + date_of(attempt->began) + " | " +
              duration(attempt->duration_ms) + " | " + used(*attempt) + " | " +
              (attempt->log.empty() ? "" : cell(shown_path(attempt->log))) + " |\n";
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
  const view::Run run_;
  std::string at_, resumed_at_;
  std::vector<std::string> resumed_;
  std::map<int, AgentLine> agents_;
  std::map<std::string, Of> tasks_;
  Of remediation_, experts_, plan_;
  std::map<int, std::string> asked_;  // question to task
  std::set<std::string> skipped_;
};

}  // namespace

std::string delivery_report(const DeliveryReport& report) { return Teller(report).text(); }

}  // namespace capsule::ui
