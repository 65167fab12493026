#include "config/config.h"

#include <algorithm>

#include "base/check.h"
#include "base/enum_count.h"
#include "base/text.h"
#include "config/fill.h"
#include "config/layer.h"
#include "config/tighten.h"

namespace capsule::config {
namespace {

constexpr std::size_t kMaxProblemsTold = 10;

std::vector<Entry> default_entries() {
  std::vector<Entry> entries;
  for (const Key& row : keys())
    if (row.path.find('*') == row.path.npos)
      entries.push_back(
          {&row, std::string(row.path), default_of(row), {Layer::defaults, "default"}});
  return entries;
}

// Later entries of the same path win; the order is the table's, then that of the names.
std::vector<Entry> merged(std::vector<Entry> entries) {
  std::vector<Entry> result;
  std::map<std::string, std::size_t> places;
  for (Entry& entry : entries) {
    const auto [place, is_new] = places.emplace(entry.path, result.size());
    if (is_new) {
      result.push_back(std::move(entry));
    } else {
      result[place->second] = std::move(entry);
    }
  }
  const auto group = [](const Entry& entry) {
    return entry.key->path.substr(0, entry.key->path.find('*'));
  };
  const auto place = [](const Entry& entry) { return entry.key - keys().data(); };
  std::stable_sort(result.begin(), result.end(), [&](const Entry& a, const Entry& b) {
    if (group(a) != group(b) || a.key->path.find('*') == std::string_view::npos)
      return place(a) < place(b);
    const std::string name_a = name_in(a);
    const std::string name_b = name_in(b);
    return name_a != name_b ? name_a < name_b : place(a) < place(b);
  });
  return result;
}

void read_text(const Key& row, std::string_view text, Origin origin, std::vector<Entry>& entries,
               std::vector<Problem>& problems) {
  auto value = value_of(row, row.path, text);
  if (value) {
    entries.push_back({&row, std::string(row.path), *std::move(value), std::move(origin)});
  } else {
    problems.push_back({Reason::usage, origin.where, std::move(value.error().message),
                        std::move(value.error().hint)});
  }
}

const char* variable(const Sources& sources, const std::string& name) {
  const char* value = sources.variable ? sources.variable(name.c_str()) : nullptr;
  return value != nullptr && *value != '\0' ? value : nullptr;  // an empty variable is not set
}

}  // namespace

std::string_view name_of(Layer layer) {
  constexpr std::string_view kNames[] = {"default", "user", "project", "environment", "flag"};
  static_assert(std::size(kNames) == enum_count<Layer>());
  return kNames[static_cast<std::size_t>(layer)];
}

const std::string& Config::provider_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() && !found->second.provider.empty() ? found->second.provider
                                                                  : provider;
}

std::chrono::seconds Config::timeout_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() ? found->second.timeout.value_or(phase_timeout) : phase_timeout;
}

std::string Config::model_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  if (found != phases.end() && !found->second.model.empty()) return found->second.model;
  const auto used = providers.find(provider_of(phase));
  return used != providers.end() ? used->second.model : std::string();
}

const std::string& Config::provider_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() && !found->second.provider.empty() ? found->second.provider
                                                                 : provider;
}

std::chrono::seconds Config::timeout_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() ? found->second.timeout.value_or(phase_timeout) : phase_timeout;
}

std::string Config::model_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  if (found != roles.end() && !found->second.model.empty()) return found->second.model;
  const auto used = providers.find(provider_of_role(role));
  return used != providers.end() ? used->second.model : std::string();
}

const std::vector<Fallback>& Config::fallbacks_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() && found->second.fallbacks ? *found->second.fallbacks : fallbacks;
}

const std::vector<Fallback>& Config::fallbacks_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() && found->second.fallbacks ? *found->second.fallbacks : fallbacks;
}

Access Config::access_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return found != phases.end() ? found->second.access : Access::write;
}

Access Config::access_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return found != roles.end() ? found->second.access : Access::write;
}

namespace {

Walls walls_with(const OwnWalls* own, const Contain& general) {
  Walls walls;
  walls.preset = own != nullptr ? own->preset.value_or(general.preset) : general.preset;
  const auto net = own != nullptr && own->net ? own->net : general.net;
  walls.net = net.value_or(net_of(walls.preset));
  return walls;
}

}  // namespace

ContainNet net_of(ContainPreset preset) {
  return preset == ContainPreset::strict ? ContainNet::proxy : ContainNet::open;
}

Walls Config::walls_of(std::string_view phase) const {
  const auto found = phases.find(phase);
  return walls_with(found != phases.end() ? &found->second.contain : nullptr, contain);
}

Walls Config::walls_of_role(std::string_view role) const {
  const auto found = roles.find(role);
  return walls_with(found != roles.end() ? &found->second.contain : nullptr, contain);
}

Walls Config::walls_of_checks() const {
  ContainPreset tightest = contain.preset;
  for (const auto& [name, phase] : phases)
    tightest = std::max(tightest, phase.contain.preset.value_or(tightest));
  for (const auto& [name, role] : roles)
    tightest = std::max(tightest, role.contain.preset.value_or(tightest));
  return {verify.contain.preset.value_or(tightest), verify.contain.net.value_or(ContainNet::off)};
}

Walls Config::walls_of_setup() const {
  const ContainPreset preset = worktree.contain.preset.value_or(walls_of_checks().preset);
  ContainNet tightest = contain.net.value_or(net_of(preset));
  for (const auto& [name, phase] : phases)
    tightest = std::max(tightest, phase.contain.net.value_or(tightest));
  for (const auto& [name, role] : roles)
    tightest = std::max(tightest, role.contain.net.value_or(tightest));
  return {preset, worktree.contain.net.value_or(tightest)};
}

const Origin& Config::origin(std::string_view path) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.path == path; });
  CHECK(found != entries.end());
  return found->origin;
}

std::string sentence_of(const Problem& problem) {
  return problem.where.empty() ? problem.message : problem.where + ": " + problem.message;
}

std::string user_file(const Sources& sources) {
  // A relative XDG_CONFIG_HOME is invalid by its specification and is to be ignored.
  if (const char* base = variable(sources, "XDG_CONFIG_HOME"); base != nullptr && *base == '/')
    return std::string(base) + "/capsule/config.yaml";
  if (const char* home = variable(sources, "HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.config/capsule/config.yaml";
  return {};
}

std::string project_file(std::string_view project_dir) {
  std::string path(project_dir);
  if (path == ".") return ".capsule/config.yaml";
  if (!path.empty() && path.back() != '/') path += '/';
  return path + ".capsule/config.yaml";
}

Loaded load_all(const Sources& sources) {
  Loaded loaded;
  std::vector<Entry> entries = default_entries();
  if (const std::string path = user_file(sources); !path.empty())
    read_layer(path, Layer::user, entries, loaded.problems);
  if (!sources.project_dir.empty()) {
    read_layer(project_file(sources.project_dir), Layer::project, entries, loaded.problems,
               sources.phases);
    drop_looser(entries, loaded.problems, user_file(sources));
  }
  for (const Key& row : keys()) {
    if (row.variable.empty()) continue;
    if (const char* value = variable(sources, std::string(row.variable)))
      read_text(row, value, {Layer::environment, std::string(row.variable)}, entries,
                loaded.problems);
  }
  for (const Flag& flag : sources.flags)
    read_text(key(flag.key), flag.value, {Layer::flag, std::string(flag.spelled)}, entries,
              loaded.problems);
  drop_overruled(entries);
  loaded.config.entries = merged(std::move(entries));
  fill(loaded.config);
  return loaded;
}

Result<Config> load(const Sources& sources) {
  Loaded loaded = load_all(sources);
  const std::vector<Problem>& problems = loaded.problems;
  if (problems.empty()) return std::move(loaded.config);
  const Problem& first = problems.front();
  std::string message = sentence_of(first);
  if (problems.size() == 1) return fail(first.reason, std::move(message), first.hint);
  for (std::size_t i = 0; i < std::min(problems.size(), kMaxProblemsTold); ++i) {
    if (i > 0) message += "; " + sentence_of(problems[i]);
    if (!problems[i].hint.empty()) message += " (" + problems[i].hint + ")";
  }
  if (problems.size() > kMaxProblemsTold)
    message += "; and " + std::to_string(problems.size() - kMaxProblemsTold) + " more";
  return fail(first.reason, std::move(message), "list them all: capsule config show");
}

Config defaults() {
  Config config;
  config.entries = default_entries();
  fill(config);
  return config;
}

}  // namespace capsule::config
