#include <algorithm>

#include "workflow/delivery/parts.h"

namespace capsule::delivery {
namespace {

constexpr int kUnknownsInARow = 3;  // the spec's

}  // namespace

std::string_view field(const AgentFinished& f, std::string_view label) {
  for (const Field& each : f.fields)
    if (each.label == label) return each.text;
  return {};
}

std::string_view field(const AgentFinished& f, std::size_t k, std::string_view label) {
  std::size_t at = 0;
  for (const Field& each : f.fields) {
    if (each.label == event::delivery::kAlso) ++at;
    if (at == k && each.label == label) return each.text;
  }
  return {};
}

std::string all_fields(const AgentFinished& f) {
  std::string text;
  for (const Field& each : f.fields) text += each.label + ":\n" + each.text + "\n\n";
  return text;
}

bool may_send(Role role, Signal signal) {
  const signal::Row& row = signal::row(signal);
  return row.dialect == signal::Dialect::line && signal != Signal::unknown &&
         row.senders.contains(role);
}

NoSignal not_a_signal(State& s, Talk& talk, const AgentFinished& f, const Agent& agent, Why& why) {
  const std::string task(id_of(s, agent.task));
  const bool answers = f.signal == Signal::checkpoint && may_send(agent.role, f.signal);
  const bool exhausted = talk.requests >= s.limits.signal_requests;
  std::string reason = "signal_requests_exhausted";
  if (answers && !talk.checkpointed) {
    talk.unknowns = 0;
    talk.checkpointed = true;
    announce(s, CheckpointReceived{task, agent.number, std::string(field(f, "Progress")),
                                   std::string(field(f, "Current Activity")),
                                   std::string(field(f, "Blockers"))});
    why = Why::signal_request;
  } else {
    // A second CHECKPOINT in a row is no answer to the request for the signal either.
    talk.checkpointed = false;
    talk.missed = {f.signal == Signal::unknown ? f.miss : signal::Miss::none, f.missed_line};
    ++talk.unknowns;
    if (talk.unknowns < kUnknownsInARow && !exhausted)
      announce(s, UnknownSignalRecovery{task, agent.number, talk.unknowns,
                                        talk.unknowns == 1 ? "warning" : "error", f.preview});
    if (talk.unknowns >= kUnknownsInARow) reason = "3_consecutive_unknown_signals";
    why = Why::checkpoint_request;
  }
  if (talk.unknowns < kUnknownsInARow && !exhausted) {
    ++talk.requests;
    return NoSignal::ask_again;
  }
  announce(s, AgentSignalFailure{task, agent.number, reason});
  talk = {0, 0, false, talk.missed};
  return NoSignal::gave_up;
}

}  // namespace capsule::delivery
