// Which version of a client works, for clients whose events do not tell: `PROGRAM --version` is
// called once for each, while its first agent works, for a bounded time. Nobody waits for it: an
// agent that ends sooner has a client without a version.
//
// Single-threaded, on the thread of the Loop, which must outlive it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "agent/provider.h"
#include "process/tree.h"

namespace capsule::world {

class ClientVersions {
 public:
  explicit ClientVersions(process::Loop& loop);
  ~ClientVersions();
  ClientVersions(const ClientVersions&) = delete;
  ClientVersions& operator=(const ClientVersions&) = delete;

  // Does nothing for a program of the user's, for a client that prints text or tells its version
  // itself, and a second time.
  void ask(const agent::Provider& provider);
  // Empty: not known.
  std::string of(const std::string& client) const;

 private:
  struct Asking;
  process::Loop& loop_;
  std::map<std::string, std::unique_ptr<Asking>> asked_;  // by client
};

}  // namespace capsule::world
