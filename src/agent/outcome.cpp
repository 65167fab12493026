#include "agent/outcome.h"

#include "base/text.h"

namespace capsule::agent {
namespace {

using event::Fault;

std::string_view told_as(Fault fault) {
  switch (fault) {
    case Fault::rate_limited:
      return "was told by its service to slow down";
    case Fault::overloaded:
      return "met a service that is overloaded or fails";
    case Fault::usage_limit:
      return "has used up what its service allows";
    case Fault::no_credit:
      return "has no credit left at its service";
    case Fault::unauthorised:
      return "was not let in by its service";
    case Fault::unreachable:
      return "could not reach its service";
    case Fault::policy:
      return "was refused by the model or its service";
    case Fault::context_full:
      return "has a conversation that is too long for its model";
    default:
      return "reported a failure";
  }
}

Outcome by_failure(const dialect::Failure& failure) {
  Outcome outcome;
  outcome.fault = failure.fault;
  outcome.words = failure.words;
  outcome.reset_at = failure.reset_at;
  outcome.detail = told_as(failure.fault);
  if (!failure.words.empty()) outcome.detail += ": " + failure.words;
  return outcome;
}

}  // namespace

Outcome outcome_of(const Ending& ending, const dialect::Reading& reading, dialect::Moment moment) {
  Outcome outcome;
  outcome.fault = fault_of(ending);
  outcome.detail = describe(ending);
  const bool by_itself = ending.how == Ending::How::exited || ending.how == Ending::How::signalled;
  const auto last_line = [&] {
    return dialect::failure_in_text(reading.streamed ? std::string_view() : ending.out_end,
                                    ending.err_end, moment);
  };
  if (ending.how == Ending::How::unanswered)
    outcome.words = "no answer for " + silence_text(ending.silent);
  else if (ending.how == Ending::How::timed_out || ending.how == Ending::How::ended)
    outcome.words = last_line().words;
  if (!by_itself) return outcome;
  if (reading.failure) return by_failure(*reading.failure);
  if (ending.exit_code != 0) {
    const dialect::Failure failure = last_line();
    const bool crashed = ending.how == Ending::How::signalled;
    if (failure.fault != Fault::exit_status && !crashed) return by_failure(failure);
    // It did not get over it after all.
    if (reading.setback && !crashed) return by_failure(*reading.setback);
    outcome.words = failure.words;
    return outcome;
  }
  if (!reading.streamed) return outcome;
  if (!reading.closed) {
    outcome.fault = Fault::exit_status;
    outcome.detail = "ended without its closing event";
    outcome.words = last_line().words;
  } else if (trimmed(reading.text).empty()) {
    outcome.fault = Fault::no_words;
    outcome.detail = "ended well and said nothing";
  }
  return outcome;
}

}  // namespace capsule::agent
