// A delivery told to people: a line for each event.
#include "base/listed.h"
#include "base/text.h"
#include "event/delivery.h"
#include "ui/attempt_text.h"
#include "ui/narrator.h"

namespace capsule::ui {
namespace {

using namespace event::delivery;  // NOLINT: the facts are what this file is about

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string spoken(std::string_view name) { return replace_all(name, "_", " "); }

// What a person may answer, as usage lines write it.
std::string one_of(const std::vector<std::string>& options) {
  return listed(options, printable, "|");
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

class DeliveryNarrator : public Narrator {
 public:
  explicit DeliveryNarrator(Style style) : style_(style) {}

  std::string on_fact(const event::NewFact& fact, view::OneRun& shown) override {
    const auto read = event::delivery::read_fact(fact.kind, fact.body);
    return read ? line_of(*read, shown) : std::string();
  }
  std::string on_check(const workflow::CheckProgress& check) override;

 private:
  std::string line_of(const DeliveryFact& fact, view::OneRun& shown) const;

  Style style_;
};

std::string DeliveryNarrator::line_of(const DeliveryFact& fact, view::OneRun& shown) const {
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
            std::vector<std::string> complete, open;
            for (const view::Task& task : shown.run().tasks) {
              if (task.stage == view::Stage::complete) complete.push_back(task.id);
              if (task.standing == workflow::Standing::open) open.push_back(task.id);
            }
            const std::size_t all = shown.run().tasks.size();
            std::string text = "Going on: " + std::to_string(all - open.size()) + " of " +
                               std::to_string(all) + " tasks are finished\n";
            if (!f.retry_failed) return text;
            if (!complete.empty()) text += "  complete before: " + short_list(complete) + "\n";
            return text + "  tried again: " + short_list(open) + "\n";
          },
          [&](const AgentDispatched& f) {
            std::string text(signal::name_of(f.role));
            if (!f.expert.empty()) text += " " + printable(f.expert);
            text += " (attempt " + std::to_string(f.attempt) + ")";
            if (f.why != Why::fresh) text += ": " + spoken(name_of(f.why));
            return row(style, Tone::quiet, go, f.task, text);
          },
          [&](const AgentFinished& f) {
            const auto agent = shown.attempt(f.agent);
            if (!agent) return std::string();
            const bool counts = f.fault == Fault::none && f.signal != Signal::unknown;
            std::string text = agent->role + ": ";
            if (f.fault == Fault::none && !counts)
              text += "said nothing that counts: " + signal::sentence({f.miss, f.missed_line});
            else
              text +=
                  (counts ? std::string(signal::row(f.signal).wire) : spoken(name_of(f.fault))) +
                  (f.detail.empty() ? "" : " (" + printable(f.detail) + ")");
            // What a review, an audit or whoever gave up has found stands below.
            return row(style, counts ? Tone::plain : Tone::warn, counts ? "·" : again, agent->task,
                       text) +
                   (counts ? excerpt(agent->sent_back, kIndent) : "");
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
            return row(style, Tone::warn, "!", "", ground_words(f, shown));
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
             check.ended ? toned(style_, tone_of(check), result_words(check))
                         : progress_words(check) + (style_.unicode ? " …" : " ..."));
}

}  // namespace

std::unique_ptr<Narrator> delivery_narrator(Style style) {
  return std::make_unique<DeliveryNarrator>(style);
}

}  // namespace capsule::ui
