#include "world/walls.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "agent/redaction.h"
#include "base/files.h"
#include "base/text.h"
#include "contain/abilities.h"
#include "contain/net/tls.h"
#include "world/needs.h"

namespace capsule::world {
namespace {

using config::ContainNet;
using config::ContainPreset;
using contain::Wish;

// Certificates of the user's own, which clients are told by variables.
constexpr std::string_view kCertificates =
    "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE "
    "GIT_SSL_CAINFO";

std::string own_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

contain::Net net_named(ContainNet net) {
  switch (net) {
    case ContainNet::open:
      return contain::Net::open;
    case ContainNet::proxy:
      return contain::Net::proxy;
    case ContainNet::off:
      break;
  }
  return contain::Net::off;
}

void add_new(std::vector<std::string>& to, const std::string& item) {
  if (!item.empty() && std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

// A list of one's own file may name what this machine does not have.
void add_existing(std::vector<std::string>& to, const std::vector<std::string>& paths,
                  const std::string& home) {
  for (const std::string& path : paths)
    if (const std::string whole = path.starts_with("~/") ? home + path.substr(1) : path;
        exists(whole))
      add_new(to, whole);
}

// Three quarters: what is left is for whoever has to end it.
std::uint64_t most_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) / 4 * 3
             : 0;
}

}  // namespace

// What one process reserves says little of what it uses: a sanitizer takes more than there is. So
// each is held only to what somebody has asked for.
contain::Limits walls_limits(const config::Contain& contain) {
  contain::Limits limits;
  limits.memory = static_cast<std::uint64_t>(contain.memory);
  limits.together = limits.memory > 0 ? limits.memory : most_memory();
  limits.processes = static_cast<unsigned long>(contain.processes);
  limits.cpu = static_cast<unsigned>(contain.cpu);
  return limits;
}

namespace {

bool by_default(const config::Config& config) { return !walls_chosen(config); }

// What all of a preset have, whoever they are.
Wish wish_with(const config::Config& config, const config::Walls& walls,
               const std::string& folder) {
  const config::Contain& contain = config.contain;
  Wish wish;
  wish.preset =
      walls.preset == ContainPreset::strict ? contain::Preset::strict : contain::Preset::worktree;
  wish.net = net_named(walls.net);
  wish.missing = contain.weaker ? contain::Missing::weaker : contain::Missing::refuse;
  wish.folder = folder;
  wish.home = own_variable("HOME");
  wish.search = own_variable("PATH");
  wish.limits = walls_limits(contain);
  wish.allow = contain.allow;
  wish.forward = contain.forward;
  const Tools tools = tools_in(wish.home, wish.search);
  wish.read = tools.folders;
  wish.scratch = tools.caches;
  wish.env = tools.variables;
  add_existing(wish.read, contain.read, wish.home);
  add_existing(wish.scratch, contain.scratch, wish.home);
  add_existing(wish.write, contain.write, wish.home);
  for (const std::string& name : contain.env) add_new(wish.env, name);
  return wish;
}

// The same in a run.
Wish wish_in_run(const config::Config& config, const config::Walls& walls,
                 const std::string& folder) {
  Wish wish = wish_with(config, walls, folder);
  // Who has chosen nothing gets what there is, and is told what is not; no_walls() has the rest.
  if (by_default(config)) wish.missing = contain::Missing::weaker;
  if (walls.net != ContainNet::off)
    for (const std::string& name :
         ways_out(walls.net == ContainNet::open ? Proxies::of_the_machine : Proxies::ours))
      add_new(wish.env, name);
  // Found out once, and not by all who start something.
  if (wish.missing == contain::Missing::weaker)
    wish.namespaces_found = !contain::namespaces_missing();
  return wish;
}

// A variable of the provider's: it is handed over, with the file that it names, and leads to where
// its address does.
void hand_over(Wish& wish, const std::string& entry) {
  const std::size_t equals = entry.find('=');
  const std::string value = entry.substr(equals + 1);
  add_new(wish.env, entry.substr(0, equals));
  if (value.starts_with('/') && exists(value) && !is_folder(value)) add_new(wish.read, value);
  const auto reach = reach_of(value);
  if (!reach) return;
  if (!reach->host.empty())
    add_new(wish.allow, reach->host);
  else if (std::find(wish.forward.begin(), wish.forward.end(), reach->port) == wish.forward.end())
    wish.forward.push_back(reach->port);
}

// What the project's own file says of a provider widens nothing: neither the files that its words
// name nor the hosts that its variables do are the user's choice.
bool is_users(const Project& project, const std::string& path) {
  for (const config::Entry& entry : project.config.entries)
    if (entry.path == path) return entry.origin.layer != config::Layer::project;
  return true;
}

// The variables that the provider sets by the user's choice, NAME=value.
std::vector<std::string> own_variables(const Project& project, const agent::Provider& provider) {
  std::vector<std::string> entries;
  if (!is_users(project, "providers." + provider.name + ".env")) return entries;
  for (const process::EnvChange& change : provider.env)
    if (change.value) entries.push_back(change.name + "=" + *change.value);
  return entries;
}

// Files that a command names. With strict only the user's own choice counts; else what the
// project's file names is seen, too, as far as it is no secret.
void add_named(Wish& wish, const std::vector<std::string>& files, bool users) {
  for (const std::string& file : files) {
    const bool seen = users || (wish.preset == contain::Preset::worktree && is_no_secret(file));
    if (seen && !contain::is_within(file, wish.folder)) add_new(wish.read, file);
  }
}

// The program, and files that its words name.
void add_program(Wish& wish, const Project& project, const agent::Provider& provider) {
  if (provider.argv.empty()) return;
  const std::string& program = provider.argv.front();
  const std::string key = "providers." + provider.name;
  const bool command = is_users(project, key + ".command");
  if (command)
    add_new(wish.read, place_of_program(program, wish.search, wish.home));
  else if (program.starts_with('/') && exists(program))
    add_new(wish.read, program);
  const bool users = command && is_users(project, key + ".args");
  add_named(wish, files_named(provider.argv, {}), users);
}

// The same of the project's own commands: scripts that lie outside of it.
void add_scripts(Wish& wish, const Project& project, const std::string& key,
                 const std::optional<config::Command>& command) {
  if (!command) return;
  add_named(wish, files_named(command->argv, command->shell), is_users(project, key));
}

// Agents are told these commands, and try them, too.
void add_scripts(Wish& wish, const Project& project) {
  const config::Verify& verify = project.config.verify;
  add_scripts(wish, project, "verify.test", verify.test);
  add_scripts(wish, project, "verify.lint", verify.lint);
  add_scripts(wish, project, "verify.build", verify.build);
  add_scripts(wish, project, "worktree.setup", project.config.worktree.setup);
}

std::string value_of(const std::vector<std::string>& entries, const std::string& name) {
  for (const std::string& entry : entries)
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  return own_variable(name.c_str());
}

// "NAME:header" or "NAME:header:word", with the value that it has.
contain::Broker::Key key_of(std::string_view row, const std::vector<std::string>& variables) {
  const auto parts = split(row, ':');
  contain::Broker::Key key;
  key.variable = parts[0];
  key.header = parts[1];
  if (parts.size() > 2) key.before = std::string(parts[2]) + " ";
  key.value = value_of(variables, key.variable);
  return key;
}

// The service that a client is told to ask, where it knows several; empty: it is not told.
std::string service_asked(const agent::Client& client, const std::vector<std::string>& argv,
                          const std::vector<std::string>& variables) {
  const std::string option(client.service_option);
  std::string named;
  if (!client.service_variable.empty())
    named = value_of(variables, std::string(client.service_variable));
  for (std::size_t i = 0; !option.empty() && i < argv.size(); ++i) {
    if (argv[i] == option && i + 1 < argv.size()) named = argv[i + 1];
    if (argv[i].starts_with(option + "=")) named = argv[i].substr(option.size() + 1);
  }
  return named;
}

Result<contain::Broker> broker_for(const agent::Client* client, const agent::Provider& provider,
                                   const std::vector<std::string>& variables) {
  const std::string who = printable(provider.name);
  if (client == nullptr || client->address_variable.empty())
    return fail(Reason::usage, "contain.broker is true, and " + who + " cannot do without its key",
                "a client of whose service the address can be set can; set contain: {broker: "
                "false}, or another provider");
  const std::string service = service_asked(*client, provider.argv, variables);
  if (!service.empty() && service != client->service)
    return fail(Reason::usage,
                "contain.broker is true, and " + who + " asks " + printable(service) +
                    ", whose key cannot stay outside",
                "the key of " + std::string(client->service) +
                    " can; set contain: {broker: false}, or another provider");
  contain::Broker broker;
  broker.url_variable = client->address_variable;
  broker.upstream = value_of(variables, broker.url_variable);
  if (broker.upstream.empty()) broker.upstream = client->address;
  broker.authorities = contain::own_authorities();
  std::string names;
  for (const std::string_view row : split(client->key_variables, ' ')) {
    contain::Broker::Key key = key_of(row, variables);
    names += (names.empty() ? "" : " or ") + key.variable;
    if (!key.value.empty()) broker.keys.push_back(std::move(key));
  }
  if (broker.keys.empty())
    return fail(Reason::usage, "contain.broker is true, and there is no key for " + who,
                "set " + names + "; a login in the home is no key that can stay outside");
  return broker;
}

// Of the variables that a client has by itself: another key is no better there than the one that is
// kept. What the user names in contain.env is his choice.
bool may_hold_key(const std::string& entry) {
  const std::size_t equals = entry.find('=');
  const std::string name = entry.substr(0, equals);
  return agent::is_secret(name, entry.substr(equals + 1)) || name.ends_with("_HEADERS");
}

// The key stays outside, and no other one leads to the service.
void keep_key(Wish& wish, contain::Broker broker) {
  const auto drop = [](std::vector<std::string>& from, const std::string& item) {
    from.erase(std::remove(from.begin(), from.end(), item), from.end());
  };
  drop(wish.env, broker.url_variable);
  for (const contain::Broker::Key& key : broker.keys) drop(wish.env, key.variable);
  if (const auto reach = reach_of(broker.upstream)) {
    drop(wish.allow, reach->host);
    if (reach->host.empty()) std::erase(wish.forward, reach->port);
  }
  wish.broker = std::move(broker);
}

}  // namespace

config::Walls walls_for(const Project& project, const workflow::StartAgent& start) {
  const std::string& name = start.configured.empty() ? start.role : start.configured;
  return start.settings == workflow::Settings::role ? project.config.walls_of_role(name)
                                                    : project.config.walls_of(name);
}

const config::Entry* choice_of_walls(const config::Config& config) {
  const auto chooses = [](const config::Entry& entry) {
    if (entry.origin.layer == config::Layer::defaults) return false;
    return entry.path == "contain.preset" || entry.path.ends_with(".contain.preset") ||
           (entry.path == "contain.missing" && entry.value == config::Value(std::string("refuse")));
  };
  const auto found = std::find_if(config.entries.begin(), config.entries.end(), chooses);
  return found == config.entries.end() ? nullptr : &*found;
}

bool walls_chosen(const config::Config& config) { return choice_of_walls(config) != nullptr; }

ContainPreset tightest_preset(const config::Config& config) {
  ContainPreset tightest =
      std::max({config.walls_of("").preset, config.walls_of_checks().preset,
                config.worktree.setup ? config.walls_of_setup().preset : ContainPreset::off});
  for (const auto& [name, phase] : config.phases)
    tightest = std::max(tightest, config.walls_of(name).preset);
  for (const auto& [name, role] : config.roles)
    tightest = std::max(tightest, config.walls_of_role(name).preset);
  return tightest;
}

bool any_walls(const Project& project) {
  return tightest_preset(project.config) != ContainPreset::off && !no_walls(project);
}

bool only_looks(const Project& project, const workflow::StartAgent& start) {
  const std::string& name = start.configured.empty() ? start.role : start.configured;
  const config::Access access = start.settings == workflow::Settings::role
                                    ? project.config.access_of_role(name)
                                    : project.config.access_of(name);
  return start.judges || start.settle == workflow::Settle::take_back ||
         access == config::Access::read_only;
}

const agent::Client* client_behind(const agent::Provider& provider) {
  if (!provider.client.empty()) return agent::client_named(provider.client);
  if (provider.argv.empty()) return nullptr;
  const std::string& program = provider.argv.front();
  if (const auto* named = agent::client_named(program.substr(program.rfind('/') + 1))) return named;
  for (const agent::Client& client : agent::clients())
    if (provider.output != dialect::Output::text && client.output == provider.output)
      return &client;
  return nullptr;
}

std::optional<Error> no_walls(const Project& project) {
  if (!by_default(project.config) || project.config.contain.preset == ContainPreset::off) return {};
  static const std::optional<Error> kLacking = []() -> std::optional<Error> {
    if (const auto& namespaces = contain::namespaces_missing()) return namespaces;
    return contain::try_overlay();
  }();
  return kLacking;
}

bool walls_hold(const Project& project, const workflow::StartAgent& start) {
  if (walls_for(project, start).preset == ContainPreset::off || no_walls(project)) return false;
  // Else nothing starts without them.
  const bool weaker = project.config.contain.weaker || by_default(project.config);
  return !weaker || !contain::namespaces_missing();
}

bool layer_holds(const Project& project, const workflow::StartAgent& start) {
  if (!walls_hold(project, start)) return false;
  static const bool kOverlay = !contain::try_overlay();
  // Walls of the default are put up only where there are layers; others refuse to do without.
  return !project.config.contain.weaker || kOverlay;
}

Result<std::optional<Wish>> walls_of_agent(const Project& project,
                                           const workflow::StartAgent& start,
                                           const agent::Provider& provider,
                                           const std::string& folder) {
  const config::Walls walls = walls_for(project, start);
  if (walls.preset == ContainPreset::off || no_walls(project)) return std::nullopt;
  Wish wish = wish_in_run(project.config, walls, folder);
  wish.role = only_looks(project, start) ? contain::Role::reviewer : contain::Role::writer;
  const agent::Client* client = client_behind(provider);
  add_program(wish, project, provider);
  add_scripts(wish, project);
  if (client != nullptr) {
    const bool keeps = project.config.contain.broker;
    if (!keeps)
      for (const std::string_view host : split(client->reaches, ' '))
        add_new(wish.allow, std::string(host));
    for (const std::string& entry : variables_like(client->handed))
      if (!keeps || !may_hold_key(entry)) hand_over(wish, entry);
  }
  for (const std::string& entry : variables_like(kCertificates)) hand_over(wish, entry);
  const std::vector<std::string> variables = own_variables(project, provider);
  for (const std::string& entry : variables) hand_over(wish, entry);
  if (client != nullptr && !project.config.contain.broker) {
    const Cloud cloud = cloud_of(client->name, variables, wish.home);
    for (const std::string& entry : cloud.entries) hand_over(wish, entry);
    for (const std::string& place : cloud.places) add_new(wish.scratch, place);
  }
  if (!project.config.contain.broker) return wish;
  if (walls.net == ContainNet::open)
    return fail(Reason::usage, "contain.broker is true, and the network is open",
                "an agent whose key is kept has a loopback of its own: set contain: {net: proxy}");
  keep_key(wish, TRY(broker_for(client, provider, variables)));
  return wish;
}

std::optional<Wish> walls_of_checks(const Project& project, const std::string& folder) {
  const config::Walls walls = project.config.walls_of_checks();
  if (walls.preset == ContainPreset::off || no_walls(project)) return std::nullopt;
  Wish wish = wish_in_run(project.config, walls, folder);
  wish.role = contain::Role::gate;
  add_scripts(wish, project);
  return wish;
}

std::optional<Wish> walls_of_setup(const Project& project, const std::string& folder) {
  const config::Walls walls = project.config.walls_of_setup();
  if (walls.preset == ContainPreset::off || no_walls(project)) return std::nullopt;
  Wish wish = wish_in_run(project.config, walls, folder);
  add_scripts(wish, project);
  for (const std::string& entry : variables_like(kCertificates)) hand_over(wish, entry);
  return wish;
}

namespace {

bool is_seen(const contain::Policy& policy, const std::string& file) {
  const contain::Place* nearest = nullptr;
  for (const contain::Place& place : policy.places)  // parents before what is in them
    if (contain::is_within(file, place.path)) nearest = &place;
  return nearest != nullptr && nearest->access != contain::Access::hidden &&
         nearest->access != contain::Access::memory;
}

}  // namespace

std::vector<NamedFile> named_and_unseen(const Project& project) {
  std::vector<NamedFile> unseen;
  const auto wish = walls_of_checks(project, project.root());
  if (!wish) return unseen;
  const auto policy = contain::make_policy(*wish);
  if (!policy) return unseen;  // told by whoever starts something there
  const config::Verify& verify = project.config.verify;
  for (const auto& [key, command] : {std::pair("verify.test", verify.test),
                                     {"verify.lint", verify.lint},
                                     {"verify.build", verify.build},
                                     {"worktree.setup", project.config.worktree.setup}}) {
    if (!command) continue;
    for (const std::string& file : files_named(command->argv, command->shell))
      if (!is_seen(*policy, file)) unseen.push_back({key, file});
  }
  return unseen;
}

Wish walls_of_command(const config::Config& config, contain::Role role, const std::string& folder) {
  config::Walls walls{config.contain.preset, ContainNet::off};
  if (role == contain::Role::gate) walls = config.walls_of_checks();
  walls.preset = std::max(walls.preset, ContainPreset::worktree);
  // Whoever runs a command by hand is there to hear that something is missing.
  Wish wish = wish_with(config, walls, folder);
  wish.role = role;
  wish.net.reset();
  if (const auto net = role == contain::Role::gate ? config.verify.contain.net : config.contain.net)
    wish.net = net_named(*net);
  return wish;
}

}  // namespace capsule::world
