// What is really in force for a contained command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contain/policy.h"

namespace capsule::contain {

// What is not, and could matter. A closed set: the words are for people.
enum class Gap {
  uncounted,         // what its processes use together is not looked at
  processors,        // the share of them that was asked for is not held
  abstract_sockets,  // the network is the machine's and Landlock cannot part abstract sockets
  process_group,     // processes of the same group can be sent signals
  no_landlock,       // the second lock is missing
  no_namespaces,     // other processes and the existence of files show, some can be changed
  no_own_processes,  // what it leaves running may outlive it
  no_signal_scope,   // processes of the user can be sent signals
  no_loopback,       // it cannot listen, not even for itself
  no_scratch,        // what should be scratch can only be read
  no_elsewhere,      // what should appear elsewhere than it lies is missing
  git_settings,      // those of the folder can be changed
};
std::string_view sentence_of(Gap gap);

struct Report {
  // As the policy has them.
  Preset preset = Preset::worktree;
  Role role = Role::writer;
  Net net = Net::open;
  bool broker = false;  // the model's key stays outside

  bool namespaces = true;  // user, mount, pid, ipc, uts, cgroup, and a root of its own
  bool own_network = false;
  bool own_group = true;  // of processes; on a terminal it is the caller's, so that keys reach it
  int landlock = 0;       // the version of its interface; 0: not in force
  bool seccomp = true;
  std::vector<Gap> gaps = {};
  bool operator==(const Report&) const = default;
};

// What a contained command was ended for: all its processes together had more of it.
struct Excess {
  enum class Of { memory, processes } of{};
  std::uint64_t limit = 0;  // bytes, or how many
  bool operator==(const Excess&) const = default;
};
// After "the agent": "used more memory than contain.memory allows all of its processes together:
// 4 GB".
std::string sentence_of(const Excess& excess);

// The hosts that a contained command asked for in vain, by the time that it has ended.
struct Refusals {
  struct Host {
    std::string host;             // "api.example.com:443", printable
    std::uint64_t count = 0;      // of requests
    std::string leads_to = {};    // the address of its name, when that is the reason
    std::string allowed_by = {};  // what would allow it, below `contain`; empty: nothing does
    bool operator==(const Host&) const = default;
  };
  std::vector<Host> hosts = {};  // bounded, in the order in which they were asked for first
  std::uint64_t others = 0;      // requests for hosts that found no place there
  bool operator==(const Refusals&) const = default;
};

}  // namespace capsule::contain
