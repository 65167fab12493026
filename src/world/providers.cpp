#include "world/providers.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "agent/clients.h"
#include "agent/rehearsal/rehearsal.h"
#include "assets/embedded.h"
#include "base/text.h"
#include "git/settings.h"
#include "world/walls.h"

namespace capsule::world {
namespace {

std::string cassette_for(const Project& project, const config::Provider* row,
                         std::string_view bead) {
  if (row != nullptr && !row->cassette.empty())
    return row->cassette.front() == '/' ? row->cassette : project.root() + "/" + row->cassette;
  const std::string own = "cassettes/" + std::string(bead) + ".yaml";
  const std::string any(agent::rehearsal::kAnyProject);
  for (const std::string& name : {own, "templates/demo-capsule/" + own, any}) {
    if (const auto path = project.assets.beside(name)) return *path;
    if (assets::find_embedded(name) != nullptr) return agent::rehearsal::built_in(name);
  }
  return agent::rehearsal::built_in(any);
}

// A run reads events where the client tells them; by hand the specification's arguments count, and
// text.
enum class Way { run, by_hand };

Way way_of(const Project& project) { return project.by_script ? Way::by_hand : Way::run; }

const char* variable(const char* name) { return std::getenv(name); }

// What a client will find: what is configured for it, else what the caller has.
agent::Variable variables_for(const config::Provider* row) {
  return [row](const char* name) -> const char* {
    const char* found = nullptr;
    if (row != nullptr)
      for (const std::string& entry : row->env)
        if (std::string_view(entry).substr(0, entry.find('=')) == name)
          found = entry.c_str() + entry.find('=') + 1;
    return found != nullptr ? found : variable(name);
  };
}

// What a client's row has set by now was made from the same, or is not to be undone: that it
// changes nothing, that it asks no model of its vendor's.
void add_variables(const config::Provider& row, agent::Provider& provider) {
  const std::vector<process::EnvChange> made = provider.env;
  for (const std::string& entry : row.env) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (std::none_of(made.begin(), made.end(),
                     [&](const process::EnvChange& change) { return change.name == name; }))
      provider.env.push_back({name, entry.substr(equals + 1)});
  }
}

// Whoever commits in a shell that hides the user's git configuration is the user all the same.
void add_identity(const Project& project, const agent::Variable& set, agent::Provider& provider) {
  const git::Settings& settings = git::settings_of(project.repository);
  for (const auto& [name, value] : {std::pair("GIT_AUTHOR_NAME", settings.name),
                                    {"GIT_AUTHOR_EMAIL", settings.email},
                                    {"GIT_COMMITTER_NAME", settings.name},
                                    {"GIT_COMMITTER_EMAIL", settings.email}})
    if (!value.empty() && set(name) == nullptr) provider.env.push_back({name, value});
}

// What is known of an agent's walls before it starts.
struct Around {
  bool walls = false;  // it is inside walls of ours
  bool layer = false;  // what it changes although it only looks vanishes for certain
};

// What is asked of a provider.
struct Wanted {
  std::string_view name;
  std::string model;
  std::string_view bead;
  Way way;
  config::Access access;
  std::string key;  // of the configuration, that `access` stands in
  Around around = {};
};

// Clients that read only by a sandbox of their own, of namespaces. Inside walls those are refused,
// and each of its commands would fail; there it is a layer that nothing gets out of.
constexpr std::string_view kOwnSandbox[] = {"codex"};

bool has_own_sandbox(const agent::Client& client) {
  return std::find(std::begin(kOwnSandbox), std::end(kOwnSandbox), client.name) !=
         std::end(kOwnSandbox);
}

// Nobody is to believe that an agent only looks when it was never told to, and nothing holds it.
Result<void> refuse_unlimited(const Wanted& wanted, const agent::Client* client) {
  if (wanted.access == config::Access::write || wanted.around.layer ||
      (client != nullptr && agent::can_be_read_only(*client)))
    return {};
  std::string can;
  for (const agent::Client& one : agent::clients())
    if (agent::can_be_read_only(one)) can += (can.empty() ? "" : ", ") + std::string(one.name);
  return fail(Reason::usage,
              wanted.key + " is read-only, and " + printable(wanted.name) +
                  " cannot be told to change nothing",
              "these can: " + can +
                  "; set another provider there, or access: write. Inside walls anybody can: "
                  "contain: worktree");
}

Result<agent::Provider> client_with(const agent::Client& client, const config::Provider* row,
                                    const Wanted& wanted) {
  // One that cannot be told is here only where nothing of what it changes stays.
  const bool looks = wanted.access == config::Access::read_only &&
                     agent::can_be_read_only(client) &&
                     !(wanted.around.walls && has_own_sandbox(client));
  const auto access = looks ? agent::Access::read_only : agent::Access::write;
  if (client.name == "claude" && wanted.way == Way::by_hand)
    return agent::claude_provider(wanted.model, access);
  agent::ClientWords words;
  words.model = wanted.model;
  words.access = access;
  words.events = wanted.way == Way::run && (row == nullptr || row->output != "text");
  if (row != nullptr) words.more = row->args;
  words.steered = row != nullptr && row->steer && wanted.way == Way::run;
  return agent::provider_of(client, words, variables_for(row));
}

// What it prints is the same whoever calls it.
Result<agent::Provider> command_with(const config::Provider& row, const Wanted& wanted) {
  agent::Provider provider;
  provider.name = wanted.name;
  for (const std::string& word : row.command)
    provider.argv.push_back(replace_all(word, "{model}", wanted.model));
  provider.stdin_prompt = row.input != config::Stdin::none;
  provider.model = wanted.model;
  if (!row.output.empty())
    provider.output = dialect::output_named(row.output).value_or(dialect::Output::text);
  provider.steered = row.steer && wanted.way == Way::run;
  if (provider.steered && provider.output != dialect::Output::claude_stream)
    return fail(
        Reason::usage,
        "providers." + printable(wanted.name) + ".steer needs a program that prints claude-stream",
        "add output: claude-stream, or remove steer");
  return provider;
}

Result<agent::Provider> provider_with(const Project& project, const Wanted& wanted) {
  const std::string_view name = wanted.name;
  const auto found = project.config.providers.find(name);
  const config::Provider* row = found == project.config.providers.end() ? nullptr : &found->second;
  Result<agent::Provider> provider;
  const bool is_command = row != nullptr && !row->command.empty();
  const agent::Client* client = is_command ? nullptr : agent::client_named(name);
  if (is_command || client != nullptr || name == "rehearsal")
    TRY_VOID(refuse_unlimited(wanted, client));
  if (is_command) {
    provider = command_with(*row, wanted);
  } else if (client != nullptr) {
    provider = client_with(*client, row, wanted);
    if (provider && client->hides_git_identity)
      add_identity(project, variables_for(row), *provider);
  } else if (name == "rehearsal") {
    provider = agent::rehearsal_provider(own_program(), cassette_for(project, row, wanted.bead));
  } else {
    std::string known;
    for (const agent::Client& one : agent::clients()) known += std::string(one.name) + ", ";
    known += "rehearsal";
    for (const auto& [other, settings] : project.config.providers)
      if (!settings.command.empty()) known += ", " + other;
    return fail(Reason::usage, "unknown provider '" + printable(name) + "'",
                "valid: " + known + "; add one in .capsule/config.yaml: providers: {" +
                    printable(name) + ": {command: [program, argument]}}");
  }
  if (provider && row != nullptr) add_variables(*row, *provider);
  return provider;
}

// What a workflow says, else what is configured: for that phase or role when it names no other
// provider than is configured there.
std::string model_for(const config::Config& config, const std::string& provider,
                      const std::string& said, const std::string& configured_provider,
                      const std::string& configured) {
  if (!said.empty() || provider == configured_provider) return said.empty() ? configured : said;
  const auto own = config.providers.find(provider);
  return own == config.providers.end() ? std::string() : own->second.model;
}

Around around(const Project& project, const workflow::StartAgent& start) {
  return {walls_hold(project, start), layer_holds(project, start)};
}

// By hand nobody has walls whom nobody has given any.
Around around_by_hand(const Project& project, std::string_view phase) {
  workflow::StartAgent start;
  start.role = phase;
  return walls_chosen(project.config) ? around(project, start) : Around{};
}

}  // namespace

Result<agent::Provider> provider_named(const Project& project, std::string_view name,
                                       std::string_view phase, std::string_view bead) {
  return provider_with(
      project,
      {name, project.config.model_of(phase), bead, Way::by_hand, project.config.access_of(phase),
       "phases." + std::string(phase) + ".access", around_by_hand(project, phase)});
}

Result<agent::Provider> provider_for_role(const Project& project, std::string_view role) {
  workflow::StartAgent start;
  start.role = role;
  start.settings = workflow::Settings::role;
  return provider_with(
      project, {project.config.provider_of_role(role), project.config.model_of_role(role), "",
                way_of(project), project.config.access_of_role(role),
                "roles." + std::string(role) + ".access", around(project, start)});
}

Result<agent::PhaseSettings> settings_of(const Project& project, const event::PhaseRule& phase,
                                         std::string_view bead) {
  const config::Config& config = project.config;
  const std::string& configured = config.provider_of(phase.name);
  const std::string& provider = phase.provider.empty() ? configured : phase.provider;
  const Wanted wanted{
      provider,
      model_for(config, provider, phase.model, configured, config.model_of(phase.name)),
      bead,
      Way::by_hand,
      config.access_of(phase.name),
      "phases." + phase.name + ".access",
      around_by_hand(project, phase.name)};
  agent::PhaseSettings settings{TRY(provider_with(project, wanted)), config.timeout_of(phase.name)};
  if (phase.timeout_seconds > 0) settings.timeout = std::chrono::seconds(phase.timeout_seconds);
  return settings;
}

Result<agent::PhaseSettings> agent_settings(const Project& project,
                                            const workflow::StartAgent& start) {
  const config::Config& config = project.config;
  const std::string& name = start.configured.empty() ? start.role : start.configured;
  const bool role = start.settings == workflow::Settings::role;
  const std::string& configured = role ? config.provider_of_role(name) : config.provider_of(name);
  const std::string& provider = start.provider.empty() ? configured : start.provider;
  const std::string model = model_for(config, provider, start.model, configured,
                                      role ? config.model_of_role(name) : config.model_of(name));
  const Wanted wanted{provider,
                      model,
                      start.task,
                      way_of(project),
                      role ? config.access_of_role(name) : config.access_of(name),
                      (role ? "roles." : "phases.") + name + ".access",
                      around(project, start)};
  agent::PhaseSettings settings{TRY(provider_with(project, wanted)),
                                role ? config.timeout_of_role(name) : config.timeout_of(name)};
  // The specification's arguments know no sessions; text is what restores them.
  const bool phase_in_text = start.dialect == workflow::Dialect::contract &&
                             settings.provider.output == dialect::Output::text;
  if (project.by_script || phase_in_text) {
    settings.provider.begin_session.clear();
    settings.provider.resume_session.clear();
  }
  if (const auto row = config.providers.find(provider);
      row != config.providers.end() && row->second.answer_timeout)
    settings.answer_timeout = *row->second.answer_timeout;
  if (start.short_limit) settings.timeout = config.limits.delegation_timeout;
  if (start.timeout_seconds > 0) settings.timeout = std::chrono::seconds(start.timeout_seconds);
  return settings;
}

}  // namespace capsule::world
