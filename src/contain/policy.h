// What a contained command may see and do, as a value. Deciding it is here; enforcing it is
// start.h. Paths are resolved once, when the policy is made, and pinned by a descriptor: whatever
// is put in their place later is refused, not used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace capsule::contain {

enum class Preset { worktree, strict };
enum class Role { writer, reviewer, gate };
enum class Net {
  open,   // the machine's own network
  proxy,  // a loopback of its own, and the hosts that are allowed behind a proxy on it
  off,    // a loopback of its own, and nothing else
};
// What happens where the kernel lacks a protection.
enum class Missing {
  refuse,  // nothing is run
  weaker,  // it is run, and the gaps are in the report
};
enum class Access {
  read,
  write,
  scratch,  // may be written to; what is written vanishes
  hidden,   // there, and empty
  memory,   // an empty folder of its own, in memory
};

std::string_view name_of(Preset preset);
std::string_view name_of(Role role);
std::string_view name_of(Net net);
std::string_view name_of(Access access);

// A file or folder by its path outside, and what was meant by it.
struct Pinned {
  std::string path = {};
  File file = {};
};

// A file or folder of the machine that exists inside.
struct Place {
  std::string path;  // inside: absolute, without links
  Access access = Access::read;
  File pinned = {};  // what is meant by it; none for memory
  bool folder = true;
  std::string source = {};  // where it lies outside, when that is elsewhere
  // Of scratch, where the wish has them; inside they are nowhere.
  Pinned layer = {};
  Pinned cover = {};

  const std::string& outside() const { return source.empty() ? path : source; }
};

// A link of the machine's root that exists inside too, such as /bin.
struct Link {
  std::string path;
  std::string target;
};

// Single protections that a test can leave out, to see that something then gets out. What users
// install has no way to set it; without.h has those that are no more than another policy.
struct Without {
  bool landlock = false;
  bool seccomp = false;
  bool undumpable = false;
  bool proc_read_only = false;
  bool made_up_environment = false;
  bool closed_descriptors = false;
  bool host_list = false;         // of the proxy
  bool public_addresses = false;  // only those, behind an allowed name
  bool own_processes = false;     // the pid namespace
  bool own_ipc = false;
  bool own_network = false;
  bool dropped_capabilities = false;
};

// What a command may use up. 0: as much as there is.
struct Limits {
  std::uint64_t memory = 0;    // bytes of data, of each of its processes
  std::uint64_t together = 0;  // bytes, of all of them; see use.h
  unsigned long processes = 4096;
  unsigned cpu = 0;  // percent of one processor, of all of them
  bool operator==(const Limits&) const = default;
};

// How the model's key stays outside: a port of the command's loopback takes requests without it,
// and whoever guards the command adds it.
struct Broker {
  std::string upstream;      // "https://api.example.com", with a path where the user's has one
  std::string url_variable;  // gets the address of that port
  // Variables that get a word without meaning, and the header that the real value goes into.
  struct Key {
    std::string variable;
    std::string header;  // "x-api-key"
    std::string before;  // "Bearer "
    std::string value;
    bool operator==(const Key&) const = default;
  };
  std::vector<Key> keys;
  std::vector<std::string> authorities = {};  // files of certificates; needed for https
  bool operator==(const Broker&) const = default;
};

struct Policy {
  Preset preset = Preset::worktree;
  Role role = Role::writer;
  Net net = Net::open;
  std::vector<std::string> allow = {};  // as in the wish
  std::vector<int> forward = {};
  std::optional<Broker> broker = {};
  Limits limits = {};
  Missing missing = Missing::refuse;
  bool namespaces_found = false;  // as in the wish
  std::string folder;             // the worktree; one of the places
  std::string start;              // where the command starts: there, or below it
  std::string home;               // by the path of the user's own; one of the places
  std::vector<Place> places;      // parents before what is in them
  std::vector<Link> links;
  std::vector<std::string> env;  // NAME=value: all that the command gets
  Without without = {};
};

// A file or folder that appears inside at another path than it has outside. What is made here is
// the caller's own choice: no path of a repository or of an agent belongs into it unchecked.
struct Mount {
  std::string path;              // inside: absolute; it need not exist outside
  std::string source;            // outside; has to exist
  Access access = Access::read;  // read, write or scratch
  bool operator==(const Mount&) const = default;
};

// What a caller asks for. wish_wire.h takes it to another process.
struct Wish {
  Preset preset = Preset::worktree;
  Role role = Role::writer;
  std::optional<Net> net = {};  // none: the preset's and the role's own
  // Behind the proxy: "api.example.com:443", "*.example.com:443" (any host below it), in small
  // letters and always with a port.
  std::vector<std::string> allow = {};
  std::vector<int> forward = {};  // ports of the machine's loopback that exist inside
  std::optional<Broker> broker = {};
  Limits limits = {};
  std::vector<std::string> set = {};  // NAME=value: goes before what is handed over or made up
  Missing missing = Missing::refuse;
  // Whoever wishes it has tried namespaces in this run, and there are: nobody needs to try again
  // before it is decided what is missing, which takes as long as the walls themselves.
  bool namespaces_found = false;
  std::string folder;       // the worktree
  std::string start = {};   // where the command starts: there, or below it; empty: there
  std::string home;         // the user's
  std::string search = {};  // the user's PATH
  std::vector<std::string> read = {};
  std::vector<std::string> write = {};
  std::vector<std::string> scratch = {};
  std::vector<std::string> env = {};  // names of variables that are handed over
  std::vector<Mount> mounts = {};     // they win over all other places of the same path
  // A folder that appears as the home, may be written to, and stays. Empty: a home in memory.
  std::string private_home = {};
  // For reviewers and gates: a folder in which the layer over their folder is kept, to be read by
  // layer.h afterwards. It has to exist, empty, outside of that folder, on a file system that can
  // hold a layer. Empty: in memory, and it vanishes.
  std::string layer = {};
  // A folder that is laid between the two: what is in it seems to be in the folder, files for which
  // layer.h has made a gap seem to be missing.
  std::string cover = {};
  // What of /etc is hidden, as guarded_settings() in places.h told a moment ago; none: it is asked.
  std::optional<std::vector<std::string>> guarded = {};
  bool operator==(const Wish&) const = default;
};

// Errors: usage (a place that does not exist or must not be given), io.
Result<Policy> make_policy(const Wish& wish);

// Whether `path` is `folder` or lies in it.
bool is_within(std::string_view path, std::string_view folder);

}  // namespace capsule::contain
