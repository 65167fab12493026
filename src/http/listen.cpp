#include "http/listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace capsule::http {
namespace {

constexpr int kWaiting = 128;

Result<void> start_listening(const File& file, const sockaddr* address, socklen_t size,
                             const std::string& name) {
  if (::bind(file.fd(), address, size) == 0 && ::listen(file.fd(), kWaiting) == 0) return {};
  if (errno == EADDRINUSE)
    return fail(Reason::exists, name + " is in use by another program",
                "choose another one, or leave the option out");
  return tl::unexpected(io_error("listen on", name, errno));
}

// Whether a socket file is left over: nobody answers there.
bool is_stale(const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(address.sun_path, &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  const File probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(probe.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

Result<Listener> listen_on_loopback(int port) {
  File file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file) return tl::unexpected(io_error("make", "a socket", errno));
  const int yes = 1;
  ::setsockopt(file.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  TRY_VOID(start_listening(file, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                           "port " + std::to_string(port)));
  socklen_t size = sizeof address;
  if (::getsockname(file.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return tl::unexpected(io_error("look at", "a socket", errno));
  return Listener{std::move(file), ntohs(address.sin_port)};
}

Result<Listener> listen_on_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(Reason::usage, "the path of a socket is at most 107 bytes long",
                "choose a shorter one, in $XDG_RUNTIME_DIR for example");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  File file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file) return tl::unexpected(io_error("make", "a socket", errno));
  // Before it has a name, so that nobody else can connect in between.
  if (::fchmod(file.fd(), 0600) != 0) return tl::unexpected(io_error("protect", path, errno));
  if (is_stale(address)) ::unlink(path.c_str());
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode))
    return fail(Reason::exists, path + " is there already, and is no socket",
                "choose another path; nothing of yours is replaced");
  TRY_VOID(
      start_listening(file, reinterpret_cast<const sockaddr*>(&address), sizeof address, path));
  return Listener{std::move(file), 0};
}

}  // namespace capsule::http
