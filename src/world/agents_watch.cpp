// Whether agents at work do anything, and whether their services do.
#include <utility>

#include "base/clock.h"
#include "world/agents.h"

namespace capsule::world {

void Agents::look_later(int agent, Running& running) {
  running.look = loop_.after(parts_.idle_after, [this, agent] { look_at(agent); });
}

void Agents::look_at(int agent) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  Running& running = found->second;
  look_later(agent, running);
  const agent::Pulse* pulse = crew_.pulse(running.member);
  if (pulse == nullptr || pulse->pid == 0) return;
  // Of a client that prints events only those are a sign of life.
  const dialect::Activity& doing = running.activity;
  const bool streamed = doing.events > 0;
  const bool silent = streamed ? monotonic_ms() - doing.heard_ms >= parts_.idle_after.count()
                               : process::Clock::now() - pulse->last_output >= parts_.idle_after;
  const agent::Signs signs =
      agent::signs_of(pulse->pid, running.place.folder,
                      streamed ? static_cast<std::uint64_t>(doing.events) : pulse->bytes);
  const bool idle = silent && signs == running.signs && !dialect::waits_for_service(doing);
  running.signs = signs;
  if (idle != running.still) {
    running.still = idle;
    events_.on_still(agent, idle);
  }
  if (idle && running.start.watched) events_.on_idle(agent);
}

// It has printed something: nobody has to look to know that it goes on.
void Agents::moves(int agent, Running& running) {
  if (!std::exchange(running.still, false)) return;
  events_.on_still(agent, false);
}

void Agents::watch_later(int agent, Running& running) {
  running.watch = loop_.after(agent::look_every(running.limit, running.answer_limit),
                              [this, agent] { watch(agent); });
}

void Agents::watch(int agent) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  Running& running = found->second;
  running.silent = silence_of(running);
  if (running.silent < running.answer_limit) return watch_later(agent, running);
  end_unanswered(running);
}

// Its time is over; it may be its service that took it.
void Agents::at_limit(int agent) {
  const auto found = running_.find(agent);
  if (found == running_.end()) return;
  Running& running = found->second;
  running.silent = silence_of(running);
  if (agent::is_owed(running.silent, running.limit, running.answer_limit)) end_unanswered(running);
}

void Agents::end_unanswered(Running& running) {
  if (running.activity.what == dialect::Activity::What::waiting)
    running.last_told = running.activity.detail;
  running.can_be_steered = false;
  crew_.end(running.member, agent::Ending::How::unanswered);
}

std::chrono::milliseconds Agents::silence_of(Running& running) {
  const dialect::Activity& doing = running.activity;
  const bool begun = doing.events > 0;
  agent::Look look;
  look.at_ms = monotonic_ms();
  look.heard_ms = begun ? doing.heard_ms : running.began_ms;
  look.first_ms = begun ? running.first_event_ms : running.began_ms;
  look.waits = begun ? dialect::waits_for_service(doing) : running.silent_at_first;
  const agent::Pulse* pulse = crew_.pulse(running.member);
  if (pulse == nullptr || pulse->pid == 0) {
    look.waits = false;
  } else if (look.waits) {
    const agent::Signs signs = agent::signs_of(pulse->pid, running.place.folder, 0);
    look.processor_ms = signs.processor_ms;
    look.newest_file_ns = signs.newest_file_ns;
    look.newest_process_ms = signs.newest_process_ms;
  }
  return running.silence->look(look);
}

}  // namespace capsule::world
