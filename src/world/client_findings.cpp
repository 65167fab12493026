#include "world/client_findings.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>

#include "base/files.h"
#include "base/text.h"
#include "process/command.h"
#include "world/programs.h"

namespace capsule::world {
namespace {

// The slowest of them needs a second or two to begin.
constexpr std::chrono::seconds kVersionTime{10};
constexpr std::size_t kVersionBytes = 4096;

std::vector<std::string> words_of_row(std::string_view row) {
  std::vector<std::string> words;
  for (const std::string_view word : split(row, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

std::string version_of(const agent::Client& client) {
  process::Spec spec;
  spec.argv = {std::string(client.name), "--version"};
  spec.max_out_bytes = spec.max_err_bytes = kVersionBytes;
  spec.deadline = process::Clock::now() + kVersionTime;
  // No updates because somebody asked for the version.
  for (const std::string& entry : words_of_row(client.variables)) {
    const std::size_t equals = entry.find('=');
    spec.env.push_back({entry.substr(0, equals), entry.substr(equals + 1)});
  }
  const auto output = process::run(spec);
  return output && output->ok() ? agent::version_in(output->out) : std::string();
}

std::string account_of(const agent::Client& client,
                       const std::function<const char*(const char*)>& variable) {
  for (const std::string& name : words_of_row(client.account_names))
    if (const char* value = variable(name.c_str()); value != nullptr && *value != '\0') return name;
  const char* home = variable("HOME");
  if (home == nullptr || *home != '/') return {};
  for (const std::string& file : words_of_row(client.account_files))
    if (exists(std::string(home) + "/" + file)) return "~/" + file;
  return {};
}

}  // namespace

ClientState look_at_client(const agent::Client& client,
                           const std::function<const char*(const char*)>& variable) {
  ClientState state;
  state.client = &client;
  state.found = on_path(client.name);
  if (!state.found) return state;
  state.version = version_of(client);
  const std::vector<std::string> tested = words_of_row(client.tested);
  state.tested = std::find(tested.begin(), tested.end(), state.version) != tested.end();
  state.account = account_of(client, variable);
  return state;
}

Finding finding_of(const ClientState& state, bool used) {
  const agent::Client& client = *state.client;
  const std::string tested = joined(words_of_row(client.tested));
  Finding finding{Health::good, "client " + std::string(client.name), ""};
  finding.text = state.tested            ? state.version + ", tested"
                 : state.version.empty() ? "it does not tell its version; tested with " + tested
                                         : state.version + ", not tested; " + tested +
                                               (tested.find(',') == tested.npos ? " is" : " are");
  finding.text += agent::can_be_read_only(client) ? "; can be told to change nothing"
                                                  : "; cannot be told to change nothing";
  finding.text += state.account.empty() ? "; no sign of an account" : "; account: " + state.account;
  if (!used) return finding;
  if (!state.tested) finding.health = Health::doubtful;
  if (state.account.empty()) {
    finding.health = Health::doubtful;
    finding.mend.push_back("log in with " + std::string(client.name) +
                           ", or set one of: " + joined(words_of_row(client.account_names)));
  }
  return finding;
}

Findings check_clients(const std::set<std::string>& used) {
  // Each takes its time to begin; all at once, they take that of the slowest.
  std::vector<std::future<ClientState>> looking;
  for (const agent::Client& client : agent::clients())
    looking.push_back(
        std::async(std::launch::async, [&client] { return look_at_client(client, ::getenv); }));
  Findings findings;
  std::vector<std::string> missing;
  for (std::future<ClientState>& one : looking) {
    const ClientState state = one.get();
    const std::string name(state.client->name);
    if (state.found)
      findings.push_back(finding_of(state, used.contains(name)));
    else
      missing.push_back(name);
  }
  if (!missing.empty())
    findings.push_back({Health::good, "other clients", "not installed: " + joined(missing)});
  return findings;
}

}  // namespace capsule::world
