#include "engine/run.h"

#include <iterator>

#include "base/enum_count.h"
#include "base/text.h"

namespace capsule::engine {

std::string_view name_of(RunState state) {
  constexpr std::string_view kNames[] = {"running", "cut_off", "waiting", "paused", "ended"};
  static_assert(std::size(kNames) == enum_count<RunState>());
  return kNames[static_cast<std::size_t>(state)];
}

std::string words_of(const Holder& holder) {
  return "pid " + std::to_string(holder.process.pid) + " on " + printable(holder.process.host);
}

RunState state_of(const RunHead& head, const workflow::RunSummary& summary, bool live,
                  bool readable) {
  if (!readable) {
    if (live) return RunState::running;
    return head.ended_at.empty() ? RunState::cut_off : RunState::ended;
  }
  switch (summary.standing) {
    case workflow::Standing::waiting:
      return summary.outcome.empty() ? RunState::waiting : RunState::ended;
    case workflow::Standing::open:
      // The session that carries it on holds no claim.
      if (live || head.workflow == kAutoSession) return RunState::running;
      return head.outcome == kPaused ? RunState::paused : RunState::cut_off;
    case workflow::Standing::succeeded:
    case workflow::Standing::failed:
    case workflow::Standing::stopped:
      break;
  }
  return RunState::ended;
}

RunState state_of(const Run& run) {
  return state_of(run.head, run.summary, run.live(), run.unreadable.empty());
}

}  // namespace capsule::engine
