// The agent clients that Capsule knows, a row each: how a headless turn of each is called, what it
// prints, and what one should know of it. docs/agents.md shows the same table. Static data, and
// pure functions over it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/provider.h"
#include "dialect/output.h"

namespace capsule::agent {

struct Client {
  std::string_view name;  // of the provider, and of its program
  // The arguments of a turn, parted by blanks. {access}, {events}, {model}, {session} and {more}
  // stand for the words below, or none; {prompt} for the prompt. Without {prompt} it goes in on
  // stdin.
  std::string_view words = {};
  std::string_view long_words =
      {};  // the same for a prompt that is too long; empty: there is no way
  // The same for messages as lines of JSON on stdin, while it works; empty: it reads none.
  std::string_view steered_words = {};
  std::string_view write = {};      // {access}: it may do everything, and asks nobody
  std::string_view read_only = {};  // {access}: it may change nothing
  // NAME=value, parted by blanks, for the same; these replace what the caller has. Neither of the
  // two: it cannot be told.
  std::string_view read_only_variables = {};
  std::string_view events = {};  // {events}: prints events, not text
  dialect::Output output{};      // these
  std::string_view model = {};   // {model}: asks for a model, itself {model}
  // {session}: begins one under an id of ours, goes on with it; itself {session}. Nothing to begin
  // with: the id is the client's own.
  std::string_view begin = {}, resume = {};
  // NAME=value, parted by blanks: bounds its own retries, leaves updates, telemetry and a sandbox
  // of its own out. What the caller's environment has is not replaced.
  std::string_view variables = {};
  // Of a client that takes the same from settings alone: these, as JSON, for the file of the lowest
  // rank, which anything of the user's outranks. The first of these variables names it to
  // the client; where one of them is set, or the system has such a file, nothing is put there.
  std::string_view defaults = {}, defaults_variables = {}, defaults_file = {};
  // Its shell does not see the user's git configuration: who commits there is told by variables.
  bool hides_git_identity = false;
  // No event comes before its model has first answered.
  bool silent_at_first = false;
  // What it uses of a processor while it waits for its service, in thousandths; seen were a
  // quarter of that, and, at an answer that is streamed, ten times as much.
  int resting = 4;
  // It takes variables from .env where it works, its service's address among them.
  bool reads_dot_env = false;
  bool tells_tokens = true;  // what it used, in its events
  bool tells_cost = false;   // and what that cost, for some services at least
  bool needs_model = false;  // without one it would ask a service of its vendor's choice
  // For walls around it, each parted by blanks: hosts that it needs, with their ports; names of
  // variables that are handed over, a * at the end standing for any rest. Hosts that such a
  // variable names are needed, too.
  std::string_view reaches = {};
  std::string_view handed = {};
  // How its key can stay outside: the variable that has the service's address, the address without
  // one, and variables with a key, each with the header that takes it and, after another colon, the
  // word before it. Empty: there is no way.
  std::string_view address_variable = {}, address = {}, key_variables = {};
  // Of a client that knows several services: whose key that is, and the variable and the option
  // that may name another one.
  std::string_view service = {}, service_variable = {}, service_option = {};
  // For people.
  std::string_view install = {};
  std::string_view tested = {};         // versions, the newest last
  std::string_view hosts = {};          // that it calls
  std::string_view account_names = {};  // variables one of which shows a login
  std::string_view account_files = {};  // files in HOME one of which does
  // In those, which are JSON: the member, by its path, that holds what renews the login, and which
  // the service takes once. Who renews by a copy voids the original.
  std::string_view renews = {};
  std::string_view in_home = {};  // what it leaves there
  // Of that, parted by blanks, what it needs to go on with a session.
  std::string_view sessions = {};
};

std::span<const Client> clients();
const Client* client_named(std::string_view name);  // nullptr: not one of them
bool can_be_read_only(const Client& client);

enum class Access { write, read_only };

// What the configuration adds to a row.
struct ClientWords {
  std::string model = {};
  bool events = true;                  // false: it prints text
  std::vector<std::string> more = {};  // arguments
  Access access = Access::write;
  bool steered = false;  // it is to be told more while it works; only with events
};

// The value of a variable that the client will find set, or nullptr: of the configuration or of the
// caller's environment. Called at once, not kept.
using Variable = std::function<const char*(const char* name)>;

// The provider that calls it. What `variable` has is not set again, but for opencode's settings,
// which are added to.
// Requires: it can be told, when it is to be read-only.
// Error usage: a client that needs a model has none, or it is to be steered and cannot be; the
// message names the key.
Result<Provider> provider_of(const Client& client, const ClientWords& words,
                             const Variable& variable);

// claude, as its users call it: `claude -p PROMPT --dangerously-skip-permissions`, and nothing
// else; the words of a read-only turn in place of the last one, where one is asked for.
Provider claude_provider(const std::string& model, Access access = Access::write);

// The version in what `PROGRAM --version` prints: "2.1.197" of "2.1.197 (Claude Code)".
// Empty: there is none.
std::string version_in(std::string_view printed);

}  // namespace capsule::agent
