// Sockets to listen on: 127.0.0.1 or a unix socket, and nothing else.
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace capsule::http {

struct Listener {
  File file;
  int port = 0;
};

// Errors: exists, io. Port 0: any that is free.
Result<Listener> listen_on_loopback(int port);
// Of mode 0600. A socket file that nobody listens on any more is replaced. Errors: exists, usage
// (the path is too long for a socket), io.
Result<Listener> listen_on_socket(const std::string& path);

}  // namespace capsule::http
