#include "world/walls_asked.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "contain/abilities.h"
#include "world/run_walls.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

using config::ContainNet;
using config::ContainPreset;
namespace wire = event::work;

constexpr std::array<std::string_view, 3> kPresets{"off", "worktree", "strict"};
constexpr std::array<std::string_view, 3> kNets{"open", "proxy", "off"};
static_assert(kPresets[static_cast<std::size_t>(ContainPreset::strict)] == "strict");
static_assert(kNets[static_cast<std::size_t>(ContainNet::off)] == "off");

template <class Enum>
std::optional<Enum> named(const std::array<std::string_view, 3>& names, const std::string& name) {
  const auto* found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

// The later a choice stands, the tighter it is.
config::Walls tighter(const config::Walls& own, const config::Walls& asked) {
  return {std::max(own.preset, asked.preset), std::max(own.net, asked.net)};
}
void hold(config::OwnWalls& row, const config::Walls& own, const config::Walls& asked) {
  const config::Walls walls = tighter(own, asked);
  row.preset = walls.preset;
  row.net = walls.net;
}

}  // namespace

wire::Walls walls_asked(const Project& project, const workflow::StartAgent& start) {
  const config::Walls walls = walls_for(project, start);
  if (walls.preset == ContainPreset::off || no_walls(project)) return {};
  wire::Walls asked;
  asked.preset = kPresets[static_cast<std::size_t>(walls.preset)];
  asked.network = kNets[static_cast<std::size_t>(walls.net)];
  asked.weaker = project.config.contain.weaker || !walls_chosen(project.config);
  asked.broker = project.config.contain.broker;
  return asked;
}

std::string label_of(const wire::Walls& asked) {
  return asked.preset.empty() || asked.weaker ? "" : "walls:" + asked.preset;
}

std::vector<std::string> walls_labels() {
  std::vector<std::string> labels;
  for (const contain::Preset preset : {contain::Preset::worktree, contain::Preset::strict}) {
    contain::Wish wish;
    wish.preset = preset;
    wish.role = contain::Role::reviewer;
    if (!can_contain(wish) || contain::overlay_missing()) break;
    labels.push_back("walls:" + std::string(contain::name_of(preset)));
  }
  return labels;
}

Result<Project> held_to(const Project& project, const wire::Walls& asked) {
  Project held = project;
  if (asked.preset.empty()) return held;
  const auto preset = named<ContainPreset>(kPresets, asked.preset);
  const auto net = named<ContainNet>(kNets, asked.network);
  if (!preset || !net)
    return fail(Reason::damaged, "it asks for walls that are not known here: " +
                                     printable(asked.preset) + ", " + printable(asked.network));
  const config::Walls least{*preset, *net};
  const config::Config& own = project.config;
  config::Config& config = held.config;
  for (auto& [name, phase] : config.phases) hold(phase.contain, own.walls_of(name), least);
  for (auto& [name, role] : config.roles) hold(role.contain, own.walls_of_role(name), least);
  const config::Walls general = tighter(own.walls_of(""), least);
  config.contain.preset = general.preset;
  config.contain.net = general.net;
  // Whoever has chosen nothing here says nothing of what may be missing either.
  config.contain.weaker = asked.weaker && (own.contain.weaker || !walls_chosen(own));
  config.contain.broker = own.contain.broker || asked.broker;
  for (config::Entry& entry : config.entries)
    if (entry.path == "contain.preset") {
      entry.value = std::string(kPresets[static_cast<std::size_t>(general.preset)]);
      entry.origin = {config::Layer::flag, "what the run asks for"};
    }
  return held;
}

}  // namespace capsule::world
