#include "world/run_walls.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "contain/abilities.h"
#include "contain/plan.h"
#include "gate/setup.h"
#include "git/branch.h"
#include "world/contain_findings.h"
#include "world/walls.h"
#include "world/walls_asked.h"

namespace capsule::world {
namespace {

using namespace workflow;

int count_of(std::uint64_t count) {
  return static_cast<int>(std::min<std::uint64_t>(count, std::numeric_limits<int>::max()));
}

}  // namespace

void mount_scratch(contain::Wish& wish, const std::string& scratch,
                   std::vector<process::EnvChange>& env) {
  wish.mounts.push_back({"/tmp", scratch, contain::Access::write});
  for (process::EnvChange& change : env)
    if (change.value && (*change.value == scratch || change.value->starts_with(scratch + "/")))
      change.value->replace(0, scratch.size(), "/tmp");
}

event::Contained contained_of(std::string_view who, const contain::Report& report) {
  event::Contained told;
  told.who = who;
  told.preset = name_of(report.preset);
  told.network = name_of(report.net);
  told.namespaces = report.namespaces;
  told.landlock = report.landlock;
  told.seccomp = report.seccomp;
  told.broker = report.broker;
  for (const contain::Gap gap : report.gaps) told.gaps.emplace_back(sentence_of(gap));
  return told;
}

event::HostsRefused refused_of(const contain::Refusals& refused) {
  event::HostsRefused told;
  for (const contain::Refusals::Host& one : refused.hosts)
    told.hosts.push_back({one.host, count_of(one.count), one.leads_to, one.allowed_by});
  told.others = count_of(refused.others);
  return told;
}

std::optional<SupplyNews> walls_missing(const Project& project) {
  const auto why = no_walls(project);
  if (!why) return std::nullopt;
  Contained told;
  told.who = "all";
  told.preset = "off";
  told.network = "open";
  told.gaps = {why->message + "; " + why->hint};
  return SupplyNews{std::move(told)};
}

Result<void> can_contain(const std::optional<contain::Wish>& wish) {
  if (!wish) return {};
  const auto& lacking = contain::namespaces_missing();
  if (lacking && wish->missing == contain::Missing::refuse) return tl::unexpected(*lacking);
  contain::Policy policy;
  policy.preset = wish->preset;
  policy.role = wish->role;
  policy.missing = wish->missing;
  policy.net = wish->net.value_or(policy.net);
  policy.forward = wish->forward;
  policy.broker = wish->broker;
  policy.namespaces_found = true;  // tried above
  contain::Kernel kernel = contain::look_at_kernel(policy);
  kernel.no_namespaces = lacking;
  TRY_VOID(contain::plan(policy, kernel));
  return {};
}

RunWalls::RunWalls(const Project& project, std::string main_branch, Tell tell)
    : project_(project),
      main_branch_(std::move(main_branch)),
      tell_(std::move(tell)),
      instructions_(project.repository) {}

Result<void> RunWalls::hold_to(const std::string& folder, const event::work::Walls& asked) {
  held_.erase(folder);
  if (!asked.preset.empty()) held_.emplace(folder, TRY(held_to(project_, asked)));
  return {};
}

const Project& RunWalls::project_in(const std::string& folder) const {
  const auto held = held_.find(folder);
  return held == held_.end() ? project_ : held->second;
}

void RunWalls::contained(std::string_view who, const contain::Report& report) {
  tell_(SupplyNews{contained_of(who, report)});
}

void RunWalls::uncontained(std::string_view who) {
  if (!any_walls(project_)) return;
  Contained told;
  told.who = who;
  told.preset = "off";
  told.network = "open";
  tell_(SupplyNews{std::move(told)});
}

void RunWalls::refused(const StartAgent& start, const contain::Refusals& refused) {
  HostsRefused told = refused_of(refused);
  told.agent = start.agent;
  told.task = start.task;
  told.role = start.role;
  tell_(SupplyNews{std::move(told)});
}

gate::Walls RunWalls::around(std::string_view who, WishIn wish) {
  gate::Walls walls;
  walls.wish = [this, wish, who](const std::string& folder) {
    auto found = wish(project_in(folder), folder);
    if (!found) uncontained(who);
    return found;
  };
  walls.repository = project_.repository;
  walls.main_ref = git::main_ref_of(project_.repository, main_branch_);
  walls.on_contained = [this, who](const contain::Report& report) { contained(who, report); };
  walls.on_refused = [this](const std::string& command, const contain::Refusals& refused) {
    HostsRefused told = refused_of(refused);
    told.role = command;
    tell_(SupplyNews{std::move(told)});
  };
  return walls;
}

gate::Walls RunWalls::around_checks() {
  gate::Walls walls = around(name_of(contain::Role::gate), &walls_of_checks);
  walls.lacks = checks_lack(project_);
  return walls;
}

gate::Walls RunWalls::around_setup() {
  gate::Walls walls = around(gate::kSetup, &walls_of_setup);
  walls.lacks = setup_lacks(project_);
  return walls;
}

Result<std::optional<contain::Wish>> RunWalls::enclose(const StartAgent& start,
                                                       const AgentPlace& place,
                                                       const agent::Provider& provider) {
  auto wish = TRY(walls_of_agent(project_in(place.folder), start, provider, place.folder));
  if (!wish) {
    uncontained(start.role);
    return wish;
  }
  Occupant occupant;
  occupant.role = start.role;
  occupant.folder = place.folder;
  occupant.base = place.base;
  occupant.main_branch = main_branch_;
  occupant.client = client_behind(provider);
  // What is taken back comes from its words; the worklog is that of the others at work there, too.
  occupant.leaves_worklog = start.settle != Settle::take_back;
  occupant.session = start.session;
  occupant.resumes = start.resume && !start.anew;
  enclosures_.emplace(start.agent,
                      TRY(Enclosure::make(project_.repository, occupant, instructions_, *wish)));
  return wish;
}

Result<std::vector<std::string>> RunWalls::release(const StartAgent& start) {
  auto node = enclosures_.extract(start.agent);
  if (!node) return std::vector<std::string>();
  // What is left of it is removed when there is time.
  Enclosure& enclosure = ended_.emplace_back(std::move(node.mapped()));
  Released released = TRY(enclosure.release());
  GroundMoved moved;
  for (const std::string& odd : released.odd)
    moved.what.push_back("the repository of " + printable(start.role) + ": " + printable(odd));
  moved.agents = {start.agent};
  if (!moved.what.empty()) tell_(std::move(moved));
  return std::move(released.tried);
}

}  // namespace capsule::world
