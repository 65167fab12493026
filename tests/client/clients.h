// The agent clients beside claude, one row each: their words, and what makes them talk to a model
// of ours and to nobody else. tests/client/install-clients pins and installs them. Pure values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::test {

// Where a client runs, and where its model is.
struct Room {
  std::string home;
  std::string url;  // http://127.0.0.1:PORT
  int retries = 0;  // of the client's own, where they can be bounded
  // What Capsule switches off by itself (updates, telemetry, tries, sandboxes) is part of the room,
  // too.
  bool without_capsule = false;
};

struct ClientRow {
  std::string name;
  // Words after the program's name for one turn without approvals and sandbox. The prompt comes on
  // stdin, or in the place of {prompt}.
  std::vector<std::string> (*plain)(const Room& room);
  std::vector<std::string> (*events)(const Room& room);
  // Words that begin and go on with a session, {session} being its id; without any to begin with
  // the client makes its own id.
  std::vector<std::string> begin, resume;
  std::map<std::string, std::string> (*variables)(const Room& room);
  std::map<std::string, std::string> (*files)(const Room& room);  // below home, by their paths
};

const std::vector<ClientRow>& client_rows();
const ClientRow& client_row(const std::string& name);

// The command that prints where a client's program is.
std::vector<std::string> where_words(const std::string& name);

// Variables of the caller that would reach a client: its own settings, keys, proxies.
bool concerns_clients(std::string_view name);

}  // namespace capsule::test
