#include "agent/ending.h"

#include <cstring>

namespace capsule::agent {
namespace {

std::string signal_text(int number) {
  const char* name = ::sigabbrev_np(number);
  return std::to_string(number) + (name == nullptr ? "" : " (SIG" + std::string(name) + ")");
}

std::string text_of(const std::optional<Error>& error) {
  if (!error) return {};
  return error->message + (error->hint.empty() ? "" : "; " + error->hint);
}

}  // namespace

event::Fault fault_of(const Ending& ending) {
  using How = Ending::How;
  switch (ending.how) {
    case How::exited:
      return ending.exit_code == 0 ? event::Fault::none : event::Fault::exit_status;
    case How::signalled:
      return event::Fault::exit_status;
    case How::timed_out:
      return event::Fault::timed_out;
    case How::unanswered:
      return event::Fault::no_answer;
    case How::not_started:
      return event::Fault::not_started;
    case How::over_limit:
      return event::Fault::over_limit;
    case How::ended:
      return event::Fault::idle;
    case How::interrupted:
      return event::Fault::interrupted;
    case How::lost:
    case How::not_logged:
    case How::not_contained:
      break;
  }
  return event::Fault::lost;
}

std::string describe(const Ending& ending) {
  using How = Ending::How;
  switch (ending.how) {
    case How::exited:
      return ending.exit_code == 0 ? ""
                                   : "ended with exit status " + std::to_string(ending.exit_code);
    case How::signalled:
      return "was ended by signal " + signal_text(ending.signal);
    case How::timed_out:
      return "took longer than its time limit of " + limit_text(ending.limit);
    case How::unanswered:
      return "had no answer from its service for " + silence_text(ending.silent);
    case How::not_started:
      return "could not be started: " + text_of(ending.error);
    case How::not_contained:
      return "could not be contained: " + text_of(ending.error);
    case How::not_logged:
      return "was ended because its output could not be saved: " + text_of(ending.error);
    case How::over_limit:
      return ending.excess ? "was ended: it " + contain::sentence_of(*ending.excess) : "was ended";
    case How::ended:
      return "did nothing";
    case How::interrupted:
      return "was interrupted";
    case How::lost:
      break;
  }
  return "was lost: its supervisor was killed";
}

std::string silence_text(std::chrono::milliseconds silent) {
  return limit_text(silent < std::chrono::seconds(1) ? silent
                                                     : silent - silent % std::chrono::seconds(1));
}

std::string limit_text(std::chrono::milliseconds limit) {
  const auto count = limit.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

}  // namespace capsule::agent
