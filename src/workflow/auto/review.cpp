// Three reviewers, at once or one after the other.
#include <algorithm>

#include "base/text.h"
#include "workflow/auto/advance.h"

namespace capsule::auto_mode {

using event::Fault;
namespace {

// Whoever fails, or ends, without a verdict is called once more.
constexpr int kCalls = 2;
constexpr std::string_view kNoVerdict =
    "\n\nYou have been asked for this before, and what you said held no verdict that counts. End "
    "with "
    "exactly one line that begins with \"VERDICT:\", as described above.\n";

}  // namespace

void Advance::start_review() {
  constexpr int kCount = static_cast<int>(std::size(fact::kReviewers));
  const bool again = run_.open == Step::review;
  const int first = again ? run_.number - kCount + 1 : run_.number + 1;
  if (!again)
    record(fact::ReviewStarted{run_.round + 1, first, "", worker().provider, worker().model});
  now_.what = What::review;
  now_.failure.clear();
  now_.interrupted = false;
  now_.seats.assign(kCount, {});
  for (int i = 0; i < kCount; ++i) {
    UnderWay::Seat& seat = now_.seats[static_cast<std::size_t>(i)];
    seat.agent = seat.verdict.agent = first + i;
    seat.verdict.type = fact::kReviewers[i];
  }
  start_reviewers();
}

void Advance::start_reviewers() {
  if (ends_agents() || now_.interrupted || !now_.failure.empty()) return;
  for (UnderWay::Seat& seat : now_.seats) {
    if (seat.running && !run_.begun.parallel) return;
    if (seat.running || seat.ended) continue;
    // They only read. They work in one place at the same time, so what they change is taken back
    // when the last has ended.
    workflow::StartAgent start =
        agent_for(seat.agent, "review-" + seat.verdict.type, run_.round + 1, seat.verdict.type);
    start.configured = signal::name_of(Phase::review);
    start.dialect = workflow::Dialect::verdict;
    start.settle = workflow::Settle::leave;
    start.judges = true;
    if (seat.verdict.miss != signal::Miss::none) start.prompt.appended += kNoVerdict;
    seat.running = true;
    ++seat.calls;
    command(std::move(start));
    if (!run_.begun.parallel) return;
  }
}

void Advance::reviewer_ended(const workflow::AgentFinished& ended) {
  const auto seat = std::find_if(
      now_.seats.begin(), now_.seats.end(),
      [&](const UnderWay::Seat& one) { return one.agent == ended.agent && one.running; });
  if (seat == now_.seats.end()) return;
  seat->running = false;
  seat->ended = true;
  fact::ReviewVerdict& verdict = seat->verdict;
  verdict.timestamp = verdict.ended_at = ended.ended_at;
  verdict.started_at = ended.began_at;
  verdict.log = ended.log;
  verdict.duration_ms = ended.duration_ms;
  verdict.cost_micros = ended.cost_micros;
  verdict.tried = ended.took_back;
  std::string failed;  // why it has judged nothing
  if (by_person(ended.fault)) {
    now_.interrupted = true;
  } else if (ended.fault == Fault::not_started) {
    if (now_.failure.empty()) now_.failure = ended.detail + "\n" + kDoctor;
  } else if (ended.fault == Fault::none || ended.fault == Fault::no_signal) {
    const auto* words = std::get_if<workflow::VerdictWords>(&ended.words);
    Judgement judgement = judgement_in(words != nullptr ? words->text : std::string());
    verdict.verdict = judgement.verdict;
    verdict.issues = std::move(judgement.issues);
    verdict.miss = judgement.miss;
    if (verdict.miss != signal::Miss::none) failed = signal::sentence({verdict.miss, ""});
  } else {
    failed = "it " + workflow::in_words(ended);
  }
  // It has approved nothing, and found nothing that somebody could mend.
  if (!failed.empty() && seat->calls < kCalls)
    seat->ended = false;
  else if (!failed.empty() && now_.failure.empty())
    now_.failure = "the " + verdict.type + " reviewer has failed " + counted(kCalls, "time") +
                   " without a verdict: " + failed;
  close_review();
}

void Advance::reviewer_failed(int agent, const workflow::CommandFailed& failed) {
  for (UnderWay::Seat& seat : now_.seats) {
    if (seat.agent == agent) {
      seat.running = false;
      seat.ended = true;
    } else if (seat.running) {
      command(workflow::EndAgent{seat.agent});
    }
  }
  if (failed.reason == Reason::interrupted)
    now_.interrupted = true;
  else if (now_.failure.empty())
    now_.failure = failed.detail;
  close_review();
}

void Advance::close_review() {
  start_reviewers();
  if (std::any_of(now_.seats.begin(), now_.seats.end(), [](const auto& s) { return s.running; }))
    return;
  now_.what = What::after_review;
  workflow::TakeBack take_back;
  take_back.tree = tree();
  take_back.label = "review";
  command(std::move(take_back));
}

void Advance::reviewed(const std::vector<std::string>& changed) {
  if (!now_.failure.empty()) return end(Outcome::error, now_.failure);
  const bool all =
      std::all_of(now_.seats.begin(), now_.seats.end(), [](const auto& s) { return s.ended; });
  if (now_.interrupted || !all) return end_by_person();
  fact::Reviewed reviewed;
  for (UnderWay::Seat& seat : now_.seats) reviewed.verdicts.push_back(std::move(seat.verdict));
  // Who it was cannot be told.
  if (!changed.empty())
    reviewed.note = "a reviewer changed files; the changes were taken back: " + short_list(changed);
  now_.seats.clear();
  record(std::move(reviewed));
}

}  // namespace capsule::auto_mode
