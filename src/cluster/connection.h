// A connection to the database, by which statements go one at a time, each a transaction of its
// own. Nothing here waits longer than it is told to, and nothing ever cancels a statement: a commit
// that waits for its standby and is cancelled says that it succeeded. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/address.h"

struct pg_conn;

namespace capsule::cluster {

// Why a statement has no answer that counts.
enum class Why {
  away,       // no connection, or it broke: what was sent may have been done, or may be done yet
  doubtful,   // done, says this server, but it was not to wait for its standby: as good as away
  again,      // the database asks for it once more; nothing was done
  fenced,     // CP001: the run, or its claim, is somebody else's by now
  conflict,   // CP002: the run has another newest fact
  no_run,     // CP003
  elsewhere,  // CP004: the run can only go on where it was begun; the message says where
  at_work,    // CP005: somebody works on the subject that the message names
  exists,     // there is one of this name
  denied,     // this role may not
  foreign,    // what is called is not there: no journal, or one of another version
  broken,     // anything else
};

struct Refusal {
  Why why;
  std::string message;  // the server's, for people; no statement and no value of one
};

using Row = std::vector<std::string>;  // NULL is empty
using Rows = std::vector<Row>;
using Values = std::vector<std::optional<std::string>>;
using Answer = tl::expected<Rows, Refusal>;

class Connection {
 public:
  static constexpr std::chrono::milliseconds kPatience{30'000};

  // Error of the answer: away.
  static tl::expected<std::unique_ptr<Connection>, Refusal> open(const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `sql` is one statement with $1, $2 …. After `away` the connection is of no more use.
  Answer call(const char* sql, const Values& values = {},
              std::chrono::milliseconds patience = kPatience);
  // Several statements without values, as one transaction: for the schema.
  Answer run(const char* sql);

  // Sleeps until the server tells of a NOTIFY, `wake` is readable or the time is over; the channels
  // that were told of, those before it included.
  std::vector<std::string> heard(int wake, std::chrono::milliseconds patience);

  bool broken() const;

 private:
  explicit Connection(pg_conn* connection);
  Answer finish(std::chrono::milliseconds patience);

  pg_conn* connection_;
  bool warned_ = false;
  bool away_ = false;
};

// As the value of an array of texts, and of numbers.
std::string array_of(const std::vector<std::string_view>& texts);

std::int64_t number_of(const std::string& text);

// For callers that give up; `address` is named. Reasons: io (away), conflict, not_found, exists,
// refused (denied, foreign), failed.
Error error_of(const Refusal& refusal, const Address& address);

}  // namespace capsule::cluster
