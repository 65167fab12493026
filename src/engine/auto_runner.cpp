#include "engine/auto_runner.h"

#include <cstdlib>

#include "base/text.h"

namespace capsule::engine {

using auto_mode::Outcome;
using auto_mode::Run;
using auto_mode::Step;
using auto_mode::Why;

Result<void> AutoRunner::replay() {
  state_ = {};
  for (const auto_fact::Fact& fact : TRY(ports_.log.read()))
    state_ = apply_(std::move(state_), fact);
  return {};
}

void AutoRunner::reached(std::string_view what, std::string_view name) {
  if (ports_.probe != nullptr) ports_.probe->reached(std::string(what) + " " + std::string(name));
}

Result<void> AutoRunner::record(auto_fact::Fact fact) {
  std::visit([this](auto& typed) { typed.at = now(); }, fact);
  if (auto stored = ports_.log.append(fact); !stored) {
    journal_failed_ = true;
    return stored;
  }
  Run before = state_;
  state_ = apply_(std::move(state_), fact);
  reached("recorded", auto_fact::kind_of(fact));
  ports_.listener.on_fact(fact, before, state_);
  // Files follow the journal; what could not be written now is written with the next fact.
  TRY_VOID(ports_.files.write_state(state_));
  return {};
}

Result<void> AutoRunner::start(auto_fact::Started started) { return record(std::move(started)); }

Result<void> AutoRunner::resume() {
  // What a person did there since counts, so that one state is checked, reviewed and merged. First:
  // cut off in between, the run has still ended, and this is done again.
  const Step next = state_.after;
  const bool at_work =
      next == Step::turn || next == Step::checks || next == Step::review || next == Step::merge;
  if (at_work && !state_.open) TRY_VOID(ports_.place.keep("continued"));
  reached("done", "keep");
  return record(auto_fact::Resumed{});
}

Result<void> AutoRunner::end(Outcome outcome, std::string detail) {
  return record(auto_fact::Ended{outcome, std::move(detail), ""});
}

Result<Run> AutoRunner::carry_on() {
  while (state_.step != Step::ended) {
    if (state_.step != Step::end && ports_.stops.requested()) {
      TRY_VOID(end(Outcome::interrupted, ""));
      break;
    }
    if (auto done = do_step(); !done) {
      // What cannot be recorded did not happen: the run goes on when it is started again.
      if (journal_failed_ || state_.step == Step::ended) return tl::unexpected(done.error());
      const Error& error = done.error();
      const Outcome outcome =
          error.reason == Reason::interrupted ? Outcome::interrupted : Outcome::error;
      TRY_VOID(end(outcome, error.message + (error.hint.empty() ? "" : "\n" + error.hint)));
    }
  }
  return state_;
}

Result<void> AutoRunner::do_step() {
  switch (state_.step) {
    case Step::prepare: {
      auto_fact::PlaceReady ready;
      ready.folder = TRY(ports_.place.prepare());
      reached("done", "prepare");
      return record(ready);
    }
    case Step::turn:
      return turn();
    case Step::checks: {
      auto_fact::ChecksDone done;
      Result<std::string> feedback = ports_.checks.run(state_.folder);
      // What they wrote is nobody's work: not a reviewer's, nor a person's when the run goes on.
      TRY_VOID(ports_.place.take_back("checks"));
      done.feedback = TRY(std::move(feedback));
      done.passed = done.feedback.empty();
      return record(done);
    }
    case Step::review:
      return review();
    case Step::merge:
      return merge();
    case Step::remove_place:
      TRY_VOID(ports_.place.remove());
      reached("done", "remove");
      return record(auto_fact::PlaceRemoved{});
    case Step::end:
      return end(state_.outcome, state_.detail);
    case Step::start:
    case Step::ended:
      break;
  }
  std::abort();  // carry_on before start, or after the end
}

TurnRequest AutoRunner::request() const {
  TurnRequest request;
  request.run = run_;
  request.folder = state_.folder;
  request.state = &state_;
  return request;
}

Result<void> AutoRunner::turn() {
  // An open turn was cut off: what it left is kept aside, and it starts again under its number.
  if (state_.open) TRY_VOID(ports_.place.take_back("cut-off"));
  auto_fact::TurnStarted started;
  started.phase = state_.phase;
  started.number = state_.open ? state_.number : state_.number + 1;
  started.attempt = state_.open ? state_.attempt : state_.attempt + 1;
  started.why = state_.why;
  started.resumes = state_.session_alive;
  started.session = state_.session_alive ? state_.session : ports_.agents.new_session();
  const bool knows_prompt = started.resumes && state_.why == Why::go_on;
  TRY_VOID(record(started));
  TurnRequest asked = request();
  asked.turn = started;
  asked.with_prompt = !knows_prompt;
  const std::int64_t began = ports_.clock.monotonic_ms();
  TurnReport report = TRY(ports_.agents.turn(asked));
  reached("done", "turn");
  // Ended by a person: the turn stays open, so that it is done again when the run goes on.
  if (report.fault == auto_fact::Fault::interrupted) return end(Outcome::interrupted, "");
  TRY_VOID(ports_.place.keep(std::string(signal::name_of(started.phase))));
  reached("done", "keep");
  if (started.phase == auto_mode::Phase::reflect && !report.learnings.empty())
    TRY_VOID(ports_.files.add_learnings(state_, report.learnings));
  reached("done", "learnings");
  auto_fact::TurnFinished finished;
  finished.phase = started.phase;
  finished.number = started.number;
  finished.signals = std::move(report.signals);
  finished.error = std::move(report.error);
  finished.recoverable = report.recoverable;
  finished.fault = report.fault;
  finished.exit_code = report.exit_code;
  finished.log = std::move(report.log);
  finished.duration_ms = ports_.clock.monotonic_ms() - began;
  return record(finished);
}

Result<void> AutoRunner::review() {
  Result<AutoAgents::Reviews> done = ports_.agents.review(request());
  // Reviewers only read. What they changed is taken back and reported; who it was cannot be told,
  // since they work in one place at the same time. However they ended: what stands there when the
  // run goes on is a person's.
  const std::vector<std::string> changed = TRY(ports_.place.take_back("review"));
  AutoAgents::Reviews reviews = TRY(std::move(done));
  if (reviews.interrupted) return end(Outcome::interrupted, "");
  auto_fact::Reviewed reviewed;
  reviewed.verdicts = std::move(reviews.verdicts);
  if (!changed.empty())
    reviewed.note = "a reviewer changed files, which was taken back: " + short_list(changed);
  TRY_VOID(record(reviewed));
  return ports_.files.write_rounds(state_.rounds);
}

Result<void> AutoRunner::merge() {
  // One line, as commits have it.
  const std::string title = state_.begun.task.substr(0, state_.begun.task.find('\n'));
  const AutoMergeAnswer answer = TRY(ports_.place.merge(title));
  reached("done", "merge");
  if (const auto* refused = std::get_if<AutoMergeRefused>(&answer))
    return end(Outcome::merge_refused, refused->detail);
  return record(std::get<auto_fact::MergeDone>(answer));
}

}  // namespace capsule::engine
