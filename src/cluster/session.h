// A connection that is made anew when it breaks: what every call to the database goes by. Internal
// to cluster. One thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/connection.h"

namespace capsule::cluster {

class Session {
 public:
  explicit Session(Address address) : address_(std::move(address)) {}

  const Address& address() const { return address_; }

  // Once, on a connection that is there or can be made now.
  Answer call(const char* sql, const Values& values);
  // For what changes nothing, or may be done twice: repeated while the database is away, for as
  // long as that; at once the first time, since a connection that broke long ago is no news.
  Answer insist(const char* sql, const Values& values, int away_milliseconds);

  // The channels of `wanted` that were notified; see Connection::heard(). Of a connection that
  // breaks nothing more is heard until the next call has made another.
  std::vector<std::string> hear(const std::vector<std::string>& wanted, int wake, int milliseconds);

  // Before it waits for the first time; not set: nothing.
  std::function<void(const Refusal&)> waiting = {};

 private:
  Address address_;
  std::unique_ptr<Connection> connection_;
  std::set<std::string> listens_;  // that connection
};

// Whether the same call may be answered otherwise a moment later.
bool is_away(const Refusal& refusal);

// A person wants the process to end. Whoever carries a run on has the signals blocked, and looks
// for them when it has done what it is at.
bool is_asked_to_stop();

// Waits longer each time, up to half a second. False: the time is over, or a person asks to stop.
class Patience {
 public:
  explicit Patience(int milliseconds);
  bool wait();

 private:
  std::int64_t until_;
  int pause_ = 20;
};

}  // namespace capsule::cluster
