// Stands between the network of a contained command and the machine's: it accepts what the command
// says on listeners that were made in its network, and dials in this one.
//
// A proxy door takes CONNECT, and plain requests by their whole URL, for hosts of an exact list. It
// looks names up by itself, once for each connection, and connects to that very address, which has
// to be the internet's or on the list itself. A forward door leads to one port of this machine.
// A service door leads to the one service that the user named, over TLS where its address says so:
// where a request has a field for a key, its value is replaced by the real one.
//
// Never waits, owns its connections, and is driven by any loop: whenever `fd` is readable, and at
// the deadline, work() is to be called. Single-threaded. What the command sends is hostile:
// everything that is kept for it is bounded, and no more than kMaxConnections are served at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "contain/net/connection.h"

namespace capsule::contain {

class Gateway {
 public:
  static constexpr std::size_t kMaxConnections = 256;
  static constexpr std::size_t kMaxRefusals = 64;  // different ones; more are only counted

  struct Opened {
    Door door;
    File listener;
  };
  static Result<std::unique_ptr<Gateway>> create(const GatewayRules& rules,
                                                 std::vector<Opened> doors,
                                                 const Patience& patience = {});
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  int fd() const { return poll_.fd(); }
  Clock::time_point deadline() const;
  // The same as poll() takes it: how long nothing has to be done, -1 for ever.
  int timeout_ms(Clock::time_point now = Clock::now()) const;
  void work(Clock::time_point now = Clock::now());

  // In the order in which they were asked for first.
  const std::vector<Refusal>& refusals() const { return refusals_; }
  // Of hosts that found no place in the list.
  unsigned other_refusals() const { return other_refusals_; }
  std::size_t connections() const { return connections_.size(); }

 private:
  Gateway(const GatewayRules& rules, std::vector<Opened> doors, const Patience& patience,
          File poll);
  void accept_at(std::size_t door, Clock::time_point now);
  void serve(std::uint64_t key, Clock::time_point now);
  void listen_for_more(bool more);
  void wait_for(int fd, std::uint32_t events, std::uint64_t key) const;
  void count(const Refusal& refusal);

  const std::vector<Opened> doors_;
  const ConnectionRules context_;
  const File poll_;
  bool listening_ = false;
  Clock::time_point listen_at_ = Clock::time_point::max();  // no descriptor was left
  std::uint64_t next_key_;
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<Refusal> refusals_;
  unsigned other_refusals_ = 0;
};

}  // namespace capsule::contain
