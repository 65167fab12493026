#include "ui/delivery_narrator.h"

#include <map>

#include "base/fill.h"
#include "base/text.h"
#include "ui/attempt_text.h"
#include "workflow/delivery/workflow.h"

namespace capsule::ui {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about
using delivery::State;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string spoken(std::string_view name) { return replace_all(name, "_", " "); }

// What a person may answer, as usage lines write it.
std::string one_of(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += (text.empty() ? "" : "|") + printable(option);
  return text;
}

// A text of an agent in one short line.
std::string brief(std::string_view text) {
  constexpr std::size_t kColumns = 120;
  std::string words;
  for (std::string_view line : split(text, '\n'))
    if (line = trimmed(line); !line.empty())
      words += (words.empty() ? "" : " ") + std::string(line.substr(0, 4 * kColumns));
  return fitted(words, kColumns);
}

std::string row(const Style& style, Tone tone, std::string_view symbol, const std::string& task,
                const std::string& text) {
  return toned(style, tone, std::string(symbol)) + " " +
         padded(task.empty() ? "plan" : printable(task), 12) + " " + text + "\n";
}

constexpr std::string_view kIndent = "               ";  // below a row's text

// What a review, an audit or whoever gave up has found.
std::string findings_of(const State& state, const AgentFinished& f) {
  if (f.fault != Fault::none || f.signal == Signal::unknown) return {};
  for (const delivery::AgentRecord& record : state.history)
    if (record.number == f.agent) return excerpt(record.why, kIndent);
  return {};
}

class DeliveryNarrator : public Narrator {
 public:
  DeliveryNarrator(const State& state, Style style) : state_(state), style_(style) {}

  std::string on_fact(const event::NewFact& fact) override {
    const auto read = event::delivery::read_fact(fact.kind, fact.body);
    return read ? line_of(*read) : std::string();
  }
  std::string on_check(const workflow::CheckProgress& check) override;

 private:
  std::string line_of(const DeliveryFact& fact);

  struct Who {
    std::string task;
    signal::Role role{};
  };
  const State& state_;
  Style style_;
  std::map<int, Who> agents_;  // that were dispatched and have not ended
};

std::string DeliveryNarrator::line_of(const DeliveryFact& fact) {
  const State& after = state_;
  const Style& style = style_;
  const std::string_view good = style.unicode ? "✓" : "+";
  const std::string_view bad = style.unicode ? "✗" : "x";
  const std::string_view go = style.unicode ? "▶" : ">";
  const std::string_view again = style.unicode ? "↻" : "~";
  return std::visit(
      Overloaded{
          [&](const DeliveryStarted& f) {
            return "Delivering " + printable(f.title.empty() ? f.plan : f.title) + ": " +
                   counted(f.tasks.size(), "task") + "\n";
          },
          [&](const DeliveryResumed& f) {
            std::string text = "Going on: " + std::to_string(after.finished) + " of " +
                               std::to_string(after.tasks.size()) + " tasks are finished\n";
            if (!f.retry_failed) return text;
            const delivery::Summary tasks = delivery::summary_of(after);
            if (!tasks.completed.empty())
              text += "  complete before: " + short_list(tasks.completed) + "\n";
            return text + "  tried again: " + short_list(tasks.waiting) + "\n";
          },
          [&](const AgentDispatched& f) {
            agents_[f.agent] = {f.task, f.role};
            std::string text(signal::name_of(f.role));
            if (!f.expert.empty()) text += " " + printable(f.expert);
            text += " (attempt " + std::to_string(f.attempt) + ")";
            if (f.why != Why::fresh) text += ": " + spoken(name_of(f.why));
            return row(style, Tone::quiet, go, f.task, text);
          },
          [&](const AgentFinished& f) {
            const auto node = agents_.extract(f.agent);
            if (node.empty()) return std::string();
            const Who& who = node.mapped();
            std::string text = std::string(signal::name_of(who.role)) + ": " +
                               (f.fault == Fault::none ? std::string(signal::row(f.signal).wire)
                                                       : spoken(name_of(f.fault)));
            if (!f.detail.empty()) text += " (" + printable(f.detail) + ")";
            if (f.fault == Fault::none && f.signal == Signal::unknown)
              text = std::string(signal::name_of(who.role)) +
                     ": said nothing that counts: " + signal::sentence({f.miss, f.missed_line});
            const bool good_words = f.fault == Fault::none && f.signal != Signal::unknown;
            return row(style, good_words ? Tone::plain : Tone::warn, good_words ? "·" : again,
                       who.task, text) +
                   findings_of(after, f);
          },
          [&](const MergeDone& f) {
            const std::string evidence = workflow::evidence_words(f.evidence);
            std::string rows = row(style, Tone::good, good, f.task,
                                   f.nothing ? "nothing to merge: it changed no file"
                                             : "merged as " + printable(f.commit.substr(0, 12)) +
                                                   (evidence.empty() ? "" : ": " + evidence));
            for (const event::Claim& claim : f.claims)
              rows += row(style, Tone::warn, "!", f.task,
                          "not exact: " + printable(claim.what) + " (" + brief(claim.detail) + ")");
            return rows;
          },
          [&](const MergeRefused& f) {
            const bool several = trimmed(f.detail).find('\n') != std::string_view::npos;
            return row(style, Tone::warn, again, f.task,
                       "not merged: " + spoken(name_of(f.why)) +
                           (several ? "" : ": " + brief(f.detail))) +
                   (several ? excerpt(f.detail, kIndent) : "");
          },
          [&](const VerifyFinished& f) {
            if (f.failures.empty() && !f.detail.empty())
              return row(style, Tone::quiet, "·", "",
                         spoken(name_of(f.purpose)) + ": " + brief(f.detail));
            if (f.failures.empty())
              return row(style, Tone::good, good, "", spoken(name_of(f.purpose)) + ": checks pass");
            std::string text = spoken(name_of(f.purpose)) + ": checks fail:";
            for (const std::string& one : f.failures) text += " " + printable(one);
            if (f.state == event::Baseline::cannot_run) text += " (cannot be run)";
            return row(style, Tone::warn, again, "", text) + excerpt(f.detail, kIndent);
          },
          [&](const QuestionAsked& f) {
            return row(style, Tone::warn, "?", f.task,
                       "question " + std::to_string(f.question) + ": " + brief(f.text) +
                           "\n  answer it: capsule answer " + std::to_string(f.question) + " " +
                           (f.options.empty() ? "TEXT" : one_of(f.options)));
          },
          [&](const QuestionAnswered& f) {
            return row(style, Tone::plain, "!", "",
                       "question " + std::to_string(f.question) + " answered (" + printable(f.by) +
                           "): " + printable(f.text));
          },
          [&](const AnswerTakenBack& f) {
            return row(style, Tone::warn, "!", "",
                       "the answer to question " + std::to_string(f.question) +
                           " is taken back: no agent was told");
          },
          [&](const TaskCompleted& f) { return row(style, Tone::good, good, f.task, "complete"); },
          [&](const TaskFailed& f) {
            return row(style, Tone::bad, bad, f.task, "failed: " + brief(f.detail));
          },
          [&](const UnknownSignalRecovery& f) {
            return row(style, Tone::warn, again, f.task_id,
                       "no valid signal (" + std::to_string(f.attempt) + ")");
          },
          [&](const AgentSignalFailure& f) {
            return row(style, Tone::warn, again, f.task_id, spoken(f.reason));
          },
          [&](const ReviewSkipped& f) {
            return row(style, Tone::warn, again, f.task, "review skipped: the critic timed out");
          },
          [&](const TaskExpanded& f) {
            return row(
                style, Tone::plain, "·", f.task,
                "expanded by the business analyst (confidence " + printable(f.confidence) + ")");
          },
          [&](const RemediationEntered& f) {
            return row(style, Tone::warn, again, f.task, "remediation begins: " + brief(f.issue));
          },
          [&](const RemediationLeft& f) {
            return row(style, Tone::good, good, "",
                       f.overridden ? "remediation ends, overridden by a person"
                                    : "remediation ends: healthy");
          },
          [&](const ExpertRegistered& f) {
            return row(style, Tone::plain, "·", "", "expert " + printable(f.expert));
          },
          [&](const FileWaitStarted& f) {
            return row(style, Tone::quiet, "…", f.task,
                       "waits for " + printable(f.file) + ", held by " + printable(f.holder));
          },
          [&](const FileCoordinated& f) {
            return row(style, Tone::quiet, "·", f.task,
                       "shares " + printable(f.file) + " with " + printable(f.holder));
          },
          [&](const GroundMoved& f) {
            const auto name = [&](int agent) { return delivery::agent_words(after, agent); };
            return row(style, Tone::warn, "!", "", printable(workflow::ground_line(f, name)));
          },
          [&](const TaskCloseFailed& f) {
            return row(style, Tone::warn, again, f.task, "not closed: " + brief(f.detail));
          },
          [](const auto&) { return std::string(); },
      },
      fact);
}

std::string DeliveryNarrator::on_check(const workflow::CheckProgress& check) {
  return row(style_, Tone::quiet, style_.unicode ? "·" : "-", check.task,
             check.ended ? toned(style_, tone_of(check.run), result_words(check))
                         : progress_words(check) + (style_.unicode ? " …" : " ..."));
}

}  // namespace

std::unique_ptr<Narrator> delivery_narrator(const delivery::State& state, Style style) {
  return std::make_unique<DeliveryNarrator>(state, style);
}

}  // namespace capsule::ui
