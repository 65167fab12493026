// What programs need of the user's machine to work inside walls as they did without: caches, the
// folders that they were installed to, variables, and the hosts that these name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::world {

// What builds and tests live of. Only folders that exist, and none that holds the home.
struct Tools {
  std::vector<std::string> caches;     // packages, results of compilers; no secrets
  std::vector<std::string> folders;    // toolchains that variables and PATH lead to
  std::vector<std::string> variables;  // names of those that are set
};
Tools tools_in(const std::string& home, const std::string& search);

// Names of variables by which programs find what is not on this machine, as far as they are set:
// where packages come from; and, with the machine's own network, the proxies that lead out of it.
enum class Proxies { ours, of_the_machine };
std::vector<std::string> ways_out(Proxies proxies);

// Models of a client's that a cloud serves, where the user has chosen one: the cloud's own
// variables and files.
struct Cloud {
  std::vector<std::string> entries;  // NAME=value
  std::vector<std::string> places;   // that exist
};
// `variables`, NAME=value, go before those of this process.
Cloud cloud_of(std::string_view client, const std::vector<std::string>& variables,
               const std::string& home);

// What has to be seen for a program to run: the folder that it really lies in, or the whole that it
// was installed with; the file alone where that folder is the home or holds it. It is looked for
// along `search`. Empty: it is not found, or a path from the folder that it is to run in.
std::string place_of_program(const std::string& program, const std::string& search,
                             const std::string& home);

// The files that a command names by their whole paths, where they really lie: programs and scripts,
// and nothing of /proc, /sys and /dev.
std::vector<std::string> files_named(std::vector<std::string> words, std::string_view shell);
// Every user of the machine may read it, and neither it nor a folder that it lies in is hidden.
bool is_no_secret(const std::string& file);

// The variables of this process that `patterns` (parted by blanks; a * at the end stands for any
// rest) name, NAME=value.
std::vector<std::string> variables_like(std::string_view patterns);

// Where the address in a variable leads.
struct Reach {
  std::string host = {};  // with its port; empty: a port of this machine
  int port = 0;
  bool operator==(const Reach&) const = default;
};
std::optional<Reach> reach_of(std::string_view url);

}  // namespace capsule::world
