#include "agent/report.h"

namespace capsule::agent {
namespace {

using How = Ending::How;

// Which words stand in for the signal of an agent that gave none.
std::string feedback_for(const Ending& ending, const std::string& detail,
                         const signal::ContractResult& found, std::string_view phase) {
  switch (ending.how) {
    case How::timed_out:
      return "Phase " + std::string(phase) + " timed out after " + limit_text(ending.limit);
    case How::lost:
      return "The agent's supervisor was killed";
    case How::interrupted:
      return "Interrupted";
    case How::exited:
      return found.signal.feedback + " (the agent " + describe(ending) + ")";
    default:
      return "the agent " + detail;
  }
}

}  // namespace

Report report_of(const Ending& ending, signal::ContractResult found, std::string_view phase) {
  Report report;
  report.fault = fault_of(ending);
  report.detail = describe(ending);
  report.exit_code = ending.exit_code;
  report.log = ending.log;
  const bool valid = found.fault == signal::ContractFault::none;
  if (report.fault == event::Fault::none && !valid) {
    report.fault = event::Fault::no_signal;
    report.miss = signal::miss_of(found.fault);
    report.detail = found.signal.feedback;
    report.signal = std::move(found.signal);
    return report;
  }
  // A program that failed by itself may have said its word before; who was ended may not have come
  // to the one that counts.
  report.spoke =
      valid && (report.fault == event::Fault::none || report.fault == event::Fault::exit_status);
  if (report.spoke) {
    report.signal = std::move(found.signal);
    return report;
  }
  if (ending.how == How::signalled) report.detail += " before it printed a signal";
  const std::string feedback = feedback_for(ending, report.detail, found, phase);
  if (ending.how == How::exited)
    report.detail += found.fault == signal::ContractFault::no_signal
                         ? " and printed no signal"
                         : " and printed no valid signal";
  report.signal = signal::synthetic_error(feedback);
  return report;
}

Report report_of(const Ending& ending, const Outcome& outcome, signal::ContractResult found,
                 std::string_view phase) {
  const bool by_ending = outcome.fault == fault_of(ending) && outcome.detail == describe(ending);
  if (by_ending) return report_of(ending, std::move(found), phase);
  Report report;
  report.fault = outcome.fault;
  report.detail = outcome.detail;
  report.exit_code = ending.exit_code;
  report.log = ending.log;
  report.signal = signal::synthetic_error("the agent " + outcome.detail);
  return report;
}

}  // namespace capsule::agent
