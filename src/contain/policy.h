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

// A file or folder of the machine that exists inside, by the same path.
struct Place {
  std::string path;  // absolute, without links
  Access access = Access::read;
  File pinned = {};  // what is meant by it; none for memory
  bool folder = true;
};

// A link of the machine's root that exists inside too, such as /bin.
struct Link {
  std::string path;
  std::string target;
};

// Single protections that a test can leave out, to see that something then gets out. What users
// install has no way to set it.
struct Without {
  bool landlock = false;
  bool seccomp = false;
  bool undumpable = false;
  bool proc_read_only = false;
  bool made_up_environment = false;
  bool closed_descriptors = false;
};

// What a command may use up. 0: as much as there is.
struct Limits {
  std::uint64_t memory = 0;  // bytes, of all its processes together
  unsigned long processes = 4096;
  unsigned cpus = 0;  // how many processors it can keep busy
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
  };
  std::vector<Key> keys;
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
  std::string folder;         // where the command starts; one of the places
  std::string home;           // by the path of the user's own; one of the places
  std::vector<Place> places;  // parents before what is in them
  std::vector<Link> links;
  std::vector<std::string> env;  // NAME=value: all that the command gets
  Without without = {};
};

// What a caller asks for.
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
  std::string folder;       // the worktree
  std::string home;         // the user's
  std::string search = {};  // the user's PATH
  std::vector<std::string> read = {};
  std::vector<std::string> write = {};
  std::vector<std::string> scratch = {};
  std::vector<std::string> env = {};  // names of variables that are handed over
};

// Errors: usage (a place that does not exist or must not be given), io.
Result<Policy> make_policy(const Wish& wish);

// Whether `path` is `folder` or lies in it.
bool is_within(std::string_view path, std::string_view folder);

}  // namespace capsule::contain
