// The walls of one run: puts them up around its agents and around the project's own commands, and
// tells the run which ones are really in force and which hosts they refused. walls.h says who gets
// which.
//
// Single-threaded, on the thread of the Loop. git runs while a call waits.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/provider.h"
#include "base/result.h"
#include "contain/policy.h"
#include "event/work.h"
#include "gate/walls.h"
#include "process/program.h"
#include "workflow/step.h"
#include "world/agents.h"
#include "world/enclosure.h"
#include "world/instructions.h"
#include "world/project.h"

namespace capsule::world {

// What a run is told when nobody has chosen its walls, and this machine cannot put them up; none:
// they are as they are meant to be.
std::optional<workflow::SupplyNews> walls_missing(const Project& project);

// Whether such walls can be put up here: nothing is made for an agent that will not be started.
Result<void> can_contain(const std::optional<contain::Wish>& wish);

// The temporary folder of one agent is its /tmp inside, also where its variables name it.
void mount_scratch(contain::Wish& wish, const std::string& scratch,
                   std::vector<process::EnvChange>& env);

// As facts.
event::Contained contained_of(std::string_view who, const contain::Report& report);
event::HostsRefused refused_of(const contain::Refusals& refused);

class RunWalls {
 public:
  using Tell = std::function<void(workflow::Observation)>;
  // The project must outlive it; it must outlive those who were given walls.
  RunWalls(const Project& project, std::string main_branch, Tell tell);

  // For another machine's run: who works in that folder, and what readies it, has walls that are no
  // looser than these. Error damaged: see held_to().
  Result<void> hold_to(const std::string& folder, const event::work::Walls& asked);
  // The project as it holds in that folder.
  const Project& project_in(const std::string& folder) const;

  gate::Walls around_checks();
  gate::Walls around_setup();

  // Of an agent that is about to start; none: no walls. See AgentParts::enclose.
  Result<std::optional<contain::Wish>> enclose(const workflow::StartAgent& start,
                                               const AgentPlace& place,
                                               const agent::Provider& provider);
  // It did not start, or failed: nothing of it is taken over.
  void drop(int agent) { enclosures_.erase(agent); }
  // What an agent that was enclosed left: its commits or its worklog are taken over. Returns the
  // files that it changed although it only looks; nothing of that stays.
  Result<std::vector<std::string>> release(const workflow::StartAgent& start);

  // Removes what those who were released have left: for a moment in which nobody waits for us.
  void tidy() { ended_.clear(); }

  void contained(std::string_view who, const contain::Report& report);
  // It has no walls; told where others have some.
  void uncontained(std::string_view who);
  void refused(const workflow::StartAgent& start, const contain::Refusals& refused);

 private:
  using WishIn = std::optional<contain::Wish> (*)(const Project&, const std::string& folder);
  gate::Walls around(std::string_view who, WishIn wish);

  const Project& project_;
  const std::string main_branch_;  // as configured
  const Tell tell_;
  Instructions instructions_;
  std::map<std::string, Project> held_;  // by folder
  std::map<int, Enclosure> enclosures_;  // of agents at work that have walls
  std::vector<Enclosure> ended_;         // of those who were released
};

}  // namespace capsule::world
