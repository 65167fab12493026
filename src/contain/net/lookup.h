// Asks for the addresses of one name, without waiting: /etc/hosts first, then the name servers of
// /etc/resolv.conf, by UDP and, where an answer is too long for it, by TCP. The program is linked
// statically, so the C library's own way is not open to it (docs/decisions/0003).
//
// Both files are read anew for each name: networks change while a run goes on. Every question has a
// socket of its own, so that only the server that was asked can answer, and a number nobody knows.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "contain/net/dns.h"
#include "contain/net/names.h"

namespace capsule::contain {

using Clock = std::chrono::steady_clock;

// Where names are looked for; tests have their own.
struct NameFiles {
  std::string hosts = "/etc/hosts";
  std::string resolv = "/etc/resolv.conf";
  std::uint16_t port = 53;
};

class Lookup {
 public:
  // Begins. Requires a name that hosts.h takes, in small letters.
  Lookup(std::string name, const NameFiles& files, Clock::time_point now);

  // None while it is being asked. IPv4 first; empty: there is no such name, or nobody can say.
  const std::optional<std::vector<Address>>& addresses() const { return addresses_; }

  // Until then: work() is to be called when `fd` is as `wants_writing` says, or at the deadline.
  // The descriptor may be another one after each call.
  int fd() const { return socket_.fd(); }
  bool wants_writing() const { return !out_.empty(); }
  Clock::time_point deadline() const { return deadline_; }
  void work(Clock::time_point now);

 private:
  struct Asked {
    Question question;
    std::optional<std::vector<Address>> found = {};
    bool failed = false;  // this server cannot say
  };
  void next_server(Clock::time_point now);
  bool ask(int kind, Clock::time_point now);
  bool hear_datagrams(Clock::time_point now);
  bool hear_stream();
  bool hear(std::string_view packet);
  void conclude(Clock::time_point now);
  void finish();

  NameServers servers_;
  std::uint16_t port_;
  std::size_t tries_ = 0;
  std::vector<Asked> asked_;
  File socket_;
  bool stream_ = false;
  int packets_ = 0;  // that this server may still send
  std::string out_;
  std::string in_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::optional<std::vector<Address>> addresses_;
};

}  // namespace capsule::contain
