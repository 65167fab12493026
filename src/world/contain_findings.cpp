#include "world/contain_findings.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "agent/redaction.h"
#include "base/enum_count.h"
#include "base/files.h"
#include "base/size.h"
#include "base/text.h"
#include "contain/abilities.h"
#include "contain/cgroup.h"
#include "json/object.h"
#include "world/needs.h"
#include "world/provider_states.h"
#include "world/providers.h"
#include "world/space.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

using config::ContainNet;
using config::ContainPreset;

constexpr const char* kWhat = "walls";

std::string home() {
  const char* value = std::getenv("HOME");
  return value == nullptr ? "" : value;
}

std::string_view name_of(ContainPreset preset) {
  constexpr std::string_view kNames[] = {"off", "worktree", "strict"};
  static_assert(std::size(kNames) == enum_count<ContainPreset>());
  return kNames[static_cast<std::size_t>(preset)];
}
std::string_view name_of(ContainNet net) {
  constexpr std::string_view kNames[] = {"open", "proxy", "off"};
  static_assert(std::size(kNames) == enum_count<ContainNet>());
  return kNames[static_cast<std::size_t>(net)];
}

std::string preset_words(const config::Walls& walls) {
  std::string text(name_of(walls.preset));
  if (walls.preset != ContainPreset::off)
    text += " (network " + std::string(name_of(walls.net)) + ")";
  return text;
}

// Of single phases and roles that have others; a few.
std::string others_words(const config::Config& config) {
  const config::Walls general = config.walls_of("");
  std::vector<std::string> others;
  const auto add = [&](const std::string& name, const config::Walls& walls) {
    if (walls != general) others.push_back(printable(name) + ": " + preset_words(walls));
  };
  for (const auto& [name, phase] : config.phases) add(name, config.walls_of(name));
  for (const auto& [name, role] : config.roles) add(name, config.walls_of_role(name));
  return others.empty() ? "" : " (" + short_list(others, 4) + ")";
}

contain::Policy policy_with(contain::Preset preset, contain::Missing missing) {
  contain::Policy policy;
  policy.preset = preset;
  policy.missing = missing;
  policy.net = preset == contain::Preset::strict ? contain::Net::off : contain::Net::open;
  return policy;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// A mount that can only be read does not keep anybody from talking to whoever listens on a socket.
std::string socket_in(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr)
    if (entry->d_type == DT_SOCK) return entry->d_name;
  return {};
}

void check_places(const Project& project, Findings& findings) {
  const config::Contain& contain = project.config.contain;
  struct List {
    const char* key;
    const std::vector<std::string>& paths;
  };
  for (const auto& [key, paths] :
       {List{"contain.read", contain.read}, List{"contain.scratch", contain.scratch},
        List{"contain.write", contain.write}})
    for (const std::string& path : paths) {
      const std::string whole = path.starts_with("~/") ? home() + path.substr(1) : path;
      const std::string who = std::string(key) + ": " + printable(path);
      if (!exists(whole))
        findings.push_back({Health::doubtful, kWhat, who + " does not exist, and is left out"});
      else if (const std::string socket = socket_in(whole); !socket.empty())
        findings.push_back({Health::doubtful,
                            kWhat,
                            who + " holds a socket (" + printable(socket) +
                                "): agents could talk to whoever listens there",
                            {"name single files or folders in it"}});
      else if (&paths == &contain.write)
        findings.push_back({Health::doubtful, kWhat, who + " can be changed, and it stays"});
    }
}

// The client that a configured provider calls; null: none that we know.
const agent::Client* client_of(const Project& project, const std::string& name) {
  const auto row = project.config.providers.find(name);
  if (row == project.config.providers.end() || row->second.command.empty())
    return agent::client_named(name);
  agent::Provider provider;
  provider.name = name;
  provider.argv = row->second.command;
  provider.output = dialect::output_named(row->second.output).value_or(dialect::Output::text);
  return client_behind(provider);
}

// What a user has set for a client in his home: inside there is another home, which has the login
// alone. Such a file may hold another service's address, a command that gets the key, tools.
struct ClientSettings {
  std::string_view client, files;
};
constexpr ClientSettings kSettings[] = {
    {"claude",
     ".claude/settings.json .claude/CLAUDE.md .claude/agents .claude/commands .claude/skills "
     ".claude/plugins"},
    {"codex", ".codex/config.toml .codex/AGENTS.md"},
    {"gemini", ".gemini/settings.json .gemini/GEMINI.md"},
    {"opencode", ".config/opencode/opencode.json .config/opencode/opencode.jsonc"},
    {"qwen", ".qwen/settings.json .qwen/QWEN.md"},
    {"copilot", ".copilot/mcp-config.json"}};

// Its client writes to the file that has them: a place that can only be read would end it.
void check_servers(const std::string& name, const agent::Client& client, Findings& findings) {
  if (client.name != "claude") return;
  const auto text = read_file(home() + "/.claude.json");
  const auto settings = text ? json::Object::parse(*text) : std::nullopt;
  const std::string* servers = settings ? settings->find("mcpServers") : nullptr;
  if (servers == nullptr || servers->find('"') == servers->npos) return;
  findings.push_back({Health::good,
                      kWhat,
                      printable(name) + " does not see your MCP servers inside: ~/.claude.json",
                      {"name those that agents need in .mcp.json of the project"}});
}

void check_settings(const Project& project, Findings& findings) {
  const auto& given = project.config.contain.read;
  for (const std::string& name : configured_providers(project)) {
    const agent::Client* client = client_of(project, name);
    std::string files;
    for (const ClientSettings& row : kSettings)
      for (const std::string_view file : split(row.files, ' '))
        if (client != nullptr && row.client == client->name &&
            exists(home() + "/" + std::string(file)) &&
            std::find(given.begin(), given.end(), "~/" + std::string(file)) == given.end())
          files += (files.empty() ? "~/" : ", ~/") + std::string(file);
    if (client != nullptr) check_servers(name, *client, findings);
    if (!files.empty())
      findings.push_back(
          {Health::good,
           kWhat,
           printable(name) + " does not see your settings inside: " + files,
           {"if it needs them, " + in_users_file(project, "contain: {read: [" + files + "]}")}});
  }
}

// A login by a token that its client renews: the new one stays inside, or is not to be had there.
void check_logins(const Project& project, Findings& findings) {
  for (const std::string& name : configured_providers(project)) {
    const agent::Client* client = client_of(project, name);
    if (client == nullptr || project.config.contain.broker) continue;
    if (!variables_like(client->account_names).empty()) continue;
    std::vector<std::string> names;
    for (const std::string_view one : split(client->account_names, ' ')) names.emplace_back(one);
    for (const std::string_view file : split(client->account_files, ' '))
      if (file.ends_with(".json") && !file.ends_with("/config.json") &&
          exists(home() + "/" + std::string(file)))
        findings.push_back(
            {Health::doubtful,
             kWhat,
             printable(name) + " has a copy of ~/" + std::string(file) +
                 (client->renews.empty()
                      ? " inside; a login that it renews there is not written back, and you may "
                        "have to log in again"
                      : " inside, without what renews it; when its token ends, runs wait until "
                        "you have called it once"),
             {"a key or token in a variable does not end so: " +
                  (client->name == "claude"
                       ? "export CLAUDE_CODE_OAUTH_TOKEN=…, from `claude setup-token`, or "
                       : std::string()) +
                  short_list(names, 3),
              in_users_file(project, "contain: off") + ", for agents with your login itself"}});
  }
}

// Variables that look like keys, and that it is not handed: a client that we know brings its own.
void check_variables(const Project& project, Findings& findings) {
  for (const std::string& name : configured_providers(project)) {
    workflow::StartAgent start;
    start.role = "execute";
    start.provider = name;
    const auto settings = agent_settings(project, start);
    if (!settings) continue;  // told by whoever looks at agents
    const auto wish = walls_of_agent(project, start, settings->provider, project.root());
    if (!wish || !*wish || name == "rehearsal") continue;
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      const std::string own(text.substr(0, text.find('=')));
      const std::vector<std::string>& given = (*wish)->env;
      if (own.size() < text.size() && agent::is_secret(own, text.substr(own.size() + 1)) &&
          std::find(given.begin(), given.end(), own) == given.end())
        names.push_back(own);
    }
    if (names.empty()) continue;
    const bool known = client_behind(settings->provider) != nullptr;
    findings.push_back({known ? Health::good : Health::doubtful,
                        kWhat,
                        printable(name) +
                            (known ? " gets its own variables alone; these look like keys: "
                                   : " gets no variables of yours; these look like keys: ") +
                            printable(short_list(names, 5)),
                        {in_users_file(project, "contain: {env: [NAME]}, for one that it needs")}});
  }
}

// Under the user's home by that name, else as it is.
std::string with_tilde(const std::string& path) {
  const std::string start = home() + "/";
  return start.size() > 1 && path.starts_with(start) ? "~/" + path.substr(start.size()) : path;
}

void check_scripts(const Project& project, Findings& findings) {
  for (const NamedFile& one : named_and_unseen(project))
    findings.push_back(
        {Health::doubtful,
         kWhat,
         one.key + " names " + printable(one.path) +
             ", which is not there inside: the project's file names it, and not everybody on this "
             "machine may read it",
         {in_users_file(project, "contain: {read: [" + printable(with_tilde(one.path)) + "]}")}});
}

// Files of the home by which programs that fetch packages know who asks, and whom.
constexpr std::string_view kFetching =
    ".npmrc .yarnrc.yml .config/pip/pip.conf .pip/pip.conf .netrc .config/go/env "
    ".cargo/config.toml .cargo/credentials.toml .m2/settings.xml .gradle/gradle.properties "
    ".config/composer/auth.json .git-credentials .ssh/config";

void check_setup(const Project& project, Findings& findings) {
  if (!project.config.worktree.setup) return;
  const auto wish = walls_of_setup(project, project.root());
  if (!wish) return;
  std::string files;
  for (const std::string_view file : split(kFetching, ' ')) {
    const std::string whole = home() + "/" + std::string(file);
    const auto& given = wish->read;
    if (exists(whole) && std::find(given.begin(), given.end(), whole) == given.end())
      files += (files.empty() ? "~/" : ", ~/") + std::string(file);
  }
  if (!files.empty())
    findings.push_back(
        {Health::good,
         kWhat,
         "worktree.setup does not see how you fetch packages: " + files,
         {"if it needs them, " + in_users_file(project, "contain: {read: [" + files + "]}") +
          ", for agents too; or " + std::string(kFreeSetup) + ", for it alone"}});
}

void check_broker(const Project& project, Findings& findings) {
  if (!project.config.contain.broker) return;
  std::string told;
  for (const std::string_view phase : config::pipeline_phases()) {
    workflow::StartAgent start;
    start.role = phase;
    const auto settings = agent_settings(project, start);
    if (!settings) continue;  // told by whoever looks at agents
    const auto walls = walls_of_agent(project, start, settings->provider, project.root());
    if (!walls && walls.error().message != told) {
      findings.push_back(trouble(kWhat, walls.error()));
      told = walls.error().message;
    }
  }
}

std::string processors_words(const contain::Limits& limits) {
  if (limits.cpu == 0) return "processors: not limited (contain.cpu)";
  const auto delegated = contain::find_delegated();
  const std::string share = std::to_string(limits.cpu) + " % of one (contain.cpu)";
  return delegated && delegated->controllers.cpu
             ? "processors: " + share
             : "processors: agents only go behind others (nice), as no cgroup that could hold them "
               "to " +
                   share + " is delegated";
}

std::string held_by() {
  const auto delegated = contain::find_delegated();
  if (!delegated) return "both are looked at: no cgroup of version 2 is delegated";
  if (!delegated->controllers.memory && !delegated->controllers.pids)
    return "both are looked at: the cgroup that is delegated has no controller for them";
  const bool both = delegated->controllers.memory && delegated->controllers.pids;
  return std::string(both                            ? "both are"
                     : delegated->controllers.memory ? "memory is"
                                                     : "processes are") +
         " held by cgroups below " + printable(delegated->folder);
}

}  // namespace

std::string in_users_file(const Project& project, const std::string& line) {
  const std::string file = config::user_file(config_sources(project.root()));
  return "in " + (file.empty() ? "your own configuration" : file) + ": " + line;
}

std::string best_preset(const contain::Kernel& kernel) {
  using contain::Missing;
  using contain::Preset;
  // Who only looks, and every check, works in a layer.
  if (kernel.no_overlay && !kernel.no_namespaces) return "off";
  if (contain::plan(policy_with(Preset::strict, Missing::refuse), kernel)) return "strict";
  if (contain::plan(policy_with(Preset::strict, Missing::weaker), kernel))
    return "{preset: strict, missing: weaker}";
  if (contain::plan(policy_with(Preset::worktree, Missing::weaker), kernel))
    return "{preset: worktree, missing: weaker}";
  return "off";
}

Findings check_walls(const Project& project, const contain::Kernel& kernel) {
  Findings findings;
  const config::Config& config = project.config;
  const config::Walls agents = config.walls_of(""), checks = config.walls_of_checks();
  const std::string best = "the best that this kernel can hold: contain: " + best_preset(kernel);
  const config::Entry* choice = choice_of_walls(config);
  const bool chosen = choice != nullptr;
  const std::string from = chosen ? printable(choice->origin.where) : "by default";
  const ContainPreset top = tightest_preset(config);
  if (top == ContainPreset::off) {
    findings.push_back(
        {Health::doubtful, kWhat,
         "agents and checks run with your rights (contain: off, " + from + "); " + best});
    return findings;
  }
  if (const auto lacking = no_walls(project)) {
    findings.push_back({Health::doubtful,
                        kWhat,
                        "agents and checks run with your rights: " + lacking->message,
                        {lacking->hint}});
    return findings;
  }
  const auto tightest =
      top == ContainPreset::strict ? contain::Preset::strict : contain::Preset::worktree;
  const auto missing =
      config.contain.weaker || !chosen ? contain::Missing::weaker : contain::Missing::refuse;
  auto planned = contain::plan(policy_with(tightest, missing), kernel);
  if (planned && kernel.no_overlay && !kernel.no_namespaces)
    planned = tl::unexpected(*kernel.no_overlay);
  if (!planned) {
    Finding finding = trouble(kWhat, planned.error());
    finding.text = "contain: " + preset_words(agents) + " (" + from +
                   ") would be refused: " + planned.error().message;
    finding.mend.push_back(in_users_file(project, "contain: " + best_preset(kernel)));
    findings.push_back(std::move(finding));
    return findings;
  }
  findings.push_back({Health::good, kWhat,
                      "agents: " + preset_words(agents) + others_words(config) +
                          ", checks: " + preset_words(checks) + ", " + from + "; " + best});
  if (missing == contain::Missing::weaker)
    for (const contain::Gap gap : planned->gaps)
      findings.push_back({Health::doubtful, kWhat, std::string(contain::sentence_of(gap))});
  check_places(project, findings);
  check_settings(project, findings);
  check_logins(project, findings);
  check_variables(project, findings);
  check_scripts(project, findings);
  check_setup(project, findings);
  check_broker(project, findings);
  return findings;
}

std::string checks_lack(const Project& project) {
  if (project.config.walls_of_checks().net == ContainNet::open) return {};
  return "it ran inside walls, without a network; if it needs one, " +
         in_users_file(project, "verify: {contain: {net: open}}");
}

std::string setup_lacks(const Project& project) {
  return "it ran inside walls; if it needs what is not there, " +
         in_users_file(project, std::string(kFreeSetup));
}

Findings check_limits(const Project& project, const contain::Kernel& kernel) {
  Findings findings;
  const config::Config& config = project.config;
  const bool walls = any_walls(project);
  const contain::Limits limits = walls_limits(config.contain);
  if (!walls)
    findings.push_back({Health::doubtful,
                        "limits",
                        "nothing limits memory and processes of agents: they have no walls",
                        {in_users_file(project, "contain: " + best_preset(kernel))}});
  else if (!kernel.counts)
    findings.push_back(
        {Health::doubtful, "limits", std::string(sentence_of(contain::Gap::uncounted))});
  else
    findings.push_back({Health::good, "limits",
                        "memory: " + size_words(limits.together) +
                            " for all processes of an agent or check together (contain.memory); "
                            "processes: " +
                            std::to_string(limits.processes) + " (contain.processes); " +
                            held_by() + "; " + processors_words(limits)});
  const auto reserve = static_cast<std::uint64_t>(config.disk_reserve);
  for (const std::string& folder : written_folders(project)) {
    const auto space = space_of(folder);
    if (!space) continue;
    const auto stands = judge({*space}, reserve, event::supply::Room::enough);
    const bool room = stands.room == event::supply::Room::enough;
    findings.push_back({room ? Health::good : Health::bad, "disk",
                        printable(folder) + ": " + size_words(space->free) +
                            (room ? " left; nothing starts with less than "
                                  : " left, and nothing starts with less than ") +
                            size_words(reserve_of(*space, reserve)) + " (disk.reserve)"});
    if (!room) findings.back().mend.emplace_back("make room there");
  }
  return findings;
}

Findings check_protections() {
  Findings findings;
  for (contain::Ability& ability : contain::abilities()) {
    Finding finding{ability.there ? Health::good : Health::doubtful, std::move(ability.what),
                    "contain: " + ability.text};
    if (!ability.remedy.empty()) finding.mend.push_back(std::move(ability.remedy));
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace capsule::world
