#include "http/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "process/children.h"

namespace capsule::http {
namespace {

// Files of /proc have no size, so they are read to their end.
std::string read_proc(const char* path) {
  std::string out;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path, "re"), &std::fclose);
  if (!file) return out;
  char piece[16384];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, file.get()))
    out.append(piece, count);
  return out;
}

Peer unix_peer(int fd) {
  ucred other{};
  socklen_t size = sizeof other;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0 || other.pid <= 0)
    return Peer::unknown;
  if (other.uid != ::getuid() && other.uid != 0) return Peer::unknown;
  if (process::inside_agent_tree(other.pid)) return Peer::agent;
  // Whoever connected may be gone, and have left the connection to a child.
  return process::parent_of(other.pid) > 0 || other.pid == 1 ? Peer::person : Peer::unknown;
}

Peer loopback_peer(const sockaddr_in& ours, const sockaddr_in& theirs) {
  const auto look = [&] {
    return find_inode(read_proc("/proc/net/tcp"), ntohs(theirs.sin_port), ntohs(ours.sin_port),
                      ::getuid());
  };
  const unsigned long long inode = look();
  if (inode == 0) return Peer::unknown;
  const process::SocketHolder holder = process::holder_of_socket(inode);
  if (holder == process::SocketHolder::agent) return Peer::agent;
  // Closed meanwhile: who held it at the time cannot be told.
  if (holder == process::SocketHolder::unknown || look() != inode) return Peer::unknown;
  return Peer::person;
}

}  // namespace

unsigned long long find_inode(std::string_view table, unsigned local_port, unsigned remote_port,
                              unsigned uid) {
  char local[16];
  char remote[16];
  std::snprintf(local, sizeof local, "0100007F:%04X", local_port & 0xFFFFU);
  std::snprintf(remote, sizeof remote, "0100007F:%04X", remote_port & 0xFFFFU);
  for (const std::string_view line : split(table, '\n')) {
    // sl local remote state queues timer retransmits uid timeout inode …
    std::vector<std::string_view> words;
    for (const std::string_view word : split(line, ' '))
      if (!word.empty()) words.push_back(word);
    if (words.size() < 10 || words[1] != local || words[2] != remote) continue;
    unsigned owner = 0;
    unsigned long long inode = 0;
    std::from_chars(words[7].data(), words[7].data() + words[7].size(), owner);
    std::from_chars(words[9].data(), words[9].data() + words[9].size(), inode);
    return owner == uid || owner == 0 ? inode : 0;
  }
  return 0;
}

Peer peer_of(int fd) {
  sockaddr_in ours{};
  sockaddr_in theirs{};
  socklen_t size = sizeof ours;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&ours), &size) != 0) return Peer::unknown;
  if (ours.sin_family == AF_UNIX) return unix_peer(fd);
  size = sizeof theirs;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&theirs), &size) != 0) return Peer::unknown;
  return ours.sin_family == AF_INET ? loopback_peer(ours, theirs) : Peer::unknown;
}

}  // namespace capsule::http
