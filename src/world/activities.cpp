#include "world/activities.h"

#include "world/activity_tail.h"
#include "world/wall_clock.h"

namespace capsule::world {
std::map<int, LogFile> live_logs(const Project& project, const Run& run) {
  std::map<int, LogFile> found;
  if (!run.live()) return found;
  for (const workflow::AgentSummary& agent : run.summary.agents) {
    if (!agent.running) continue;
    // The newest that is not known to be somebody else's.
    for (LogFile& log : logs_of(project, run, {agent.role, agent.task}))
      if (!log.name.ends_with(".stderr") && (log.agent == 0 || log.agent == agent.number))
        found.insert_or_assign(agent.number, std::move(log));
  }
  return found;
}

std::vector<LogFile> logs_of_agent(const Project& project, const Run& run, int agent) {
  std::vector<LogFile> files = logs_of(project, run, {});
  const auto all_live = live_logs(project, run);
  const auto live = all_live.find(agent);
  std::erase_if(files, [&](const LogFile& file) {
    if (file.agent == agent) return false;
    return live == all_live.end() ||
           (file.name != live->second.name && file.name != live->second.name + ".stderr");
  });
  return files;
}

RunNow run_now(const Project& project, const Run& run) {
  RunNow now{run.view, epoch_ms()};
  for (const auto& [agent, log] : live_logs(project, run)) {
    ActivityTail tail(log);
    tail.read();
    if (tail.activity().what == dialect::Activity::What::starting) continue;
    for (view::Attempt& attempt : now.run.attempts)
      if (attempt.agent == agent) attempt.doing = tail.activity();
  }
  return now;
}

}  // namespace capsule::world
