// A machine to break out of: namespaces of its own for mounts, processes, network, shared memory
// and names, in which a user has a home with secrets, a project with worktrees, listeners, victims
// and another host. What an attempt does to it, it does to nobody else; when the lab ends, nothing
// of it is left.
//
// An attempt's own words never count as success. What counts is seen from outside: a secret in its
// output that it was not given, a mark in a foreign file, what a listener heard, a victim that is
// dead. One call is one lab, in a child process; not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace capsule::test::contain {

enum class As { root, user };                      // whose rights the attempts begin with
enum class Role { none, writer, reviewer, gate };  // of `capsule contain`; none: not contained

struct Walls {
  Role role = Role::writer;
  std::string preset = "strict";
  std::string without = {};  // protections that are left out, by their names
  bool checkout = false;     // begins in the user's checkout, not in a worktree
};

// A whole run, whose agents and checks make the attempts.
enum class Workflow { pipeline, delivery, automatic };
struct Through {
  Workflow workflow = Workflow::pipeline;
  std::vector<Role> roles = {Role::writer, Role::reviewer, Role::gate};  // who makes them
  std::string preset = "strict";                                         // "off": the control
  std::string without = {};  // protections that are left out, by their names
  // The real client in the place of the script, for a writer and a reviewer: its program on this
  // machine, and what stands in for its service. That is called in a process of the lab's, with the
  // words that make the attempts, gives its address, and lives as long as the lab.
  std::string client = {};
  std::function<std::string(const std::string& attempts)> service = {};
};

struct Seen {
  bool out = false;
  std::string said;  // what the attempt printed, for people
};

struct Report {
  std::string trouble;  // why there is no lab, or what went wrong in it; else empty
  std::map<std::string, Seen> seen;
  std::vector<std::string> out() const;
};

// What the preset worktree lets out by its own word: its network is the machine's.
inline const std::vector<std::string>& open_network() {
  static const std::vector<std::string> ids = {"N01", "N02", "N03", "N04", "N05", "N06", "N07",
                                               "N10", "N16", "N17", "N18", "N19", "N20", "N22"};
  return ids;
}

// Whether this machine lets us make a lab with these rights; else why not.
std::string why_no_lab(As as);

// One lab, in which the attempts are made behind each of the walls in turn; a report for each. What
// got out once is seen in the reports that follow too.
std::vector<Report> attempt(As as, const std::vector<Walls>& walls,
                            const std::vector<std::string>& ids);

// One lab, in which the attempts are made by agents and checks of one run. `code` is how the run
// ended.
struct RunReport : Report {
  int code = -1;
  std::string printed;
  std::vector<std::string> finished = {};  // the roles who have made all attempts
};
RunReport attempt_through(As as, const Through& run, const std::vector<std::string>& ids);

// All ids that begin with one of these letters, as the program lists them.
std::vector<std::string> ids_of(const std::string& letters);

const char* name_of(As as);
const char* name_of(Role role);
const char* name_of(Workflow workflow);

}  // namespace capsule::test::contain
