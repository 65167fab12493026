// Who is at the other end of a connection, as far as it must be known before something is done for
// him: a person's program, or an agent of ours, which runs as the same user and could otherwise
// answer its own questions.
#pragma once

#include <string>
#include <string_view>

namespace capsule::http {

enum class Peer {
  person,   // outside of every agent's process tree
  agent,    // below a guardian
  unknown,  // nobody can be found, or it is another user's: refused like an agent
};

// Looks through /proc, which takes some milliseconds: for effects only. Requires: `fd` is a
// connected socket, of the unix domain or of the loopback.
Peer peer_of(int fd);

// The inode of the socket that is connected from `local_port` to `remote_port` on 127.0.0.1 and
// belongs to `uid` (or to root), in the text of /proc/net/tcp; 0: there is none. Pure.
unsigned long long find_inode(std::string_view table, unsigned local_port, unsigned remote_port,
                              unsigned uid);

}  // namespace capsule::http
