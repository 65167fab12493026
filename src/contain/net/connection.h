// One connection of a contained command, from what it asks for to its end. Part of gateway.h.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "contain/net/hosts.h"
#include "contain/net/lookup.h"
#include "contain/net/request.h"
#include "contain/net/stream.h"
#include "contain/net/tls.h"

namespace capsule::contain {

// Where the command's side of a connection came in.
struct Door {
  enum class Kind {
    proxy,
    forward,
    service,  // one service, which gets the key that the client does not have
  };
  Kind kind = Kind::proxy;
  std::uint16_t port = 0;  // inside, and of a forward door outside too
};

// What is behind a service door.
struct KeptService {
  Service service;
  std::vector<KeptField> fields;
  std::shared_ptr<Tls> tls = {};  // for a secure one
};

struct GatewayRules {
  std::vector<Allowed> allow = {};
  NameFiles names = {};
  std::optional<KeptService> kept = {};
  // For tests that look what then gets out.
  bool any_host = false;
  bool any_address = false;
};

// How long the other side may take; tests have less.
struct Patience {
  std::chrono::milliseconds head = std::chrono::seconds(30);     // to say what it wants
  std::chrono::milliseconds dial = std::chrono::seconds(10);     // to answer, each address
  std::chrono::milliseconds idle = std::chrono::minutes(30);     // between two bytes
  std::chrono::milliseconds closing = std::chrono::minutes(2);   // when one side has said all
  std::chrono::milliseconds farewell = std::chrono::seconds(2);  // to hear why it was refused
};

struct ConnectionRules {
  GatewayRules rules;
  Patience patience;
  std::function<void(const Refusal&)> refused;
};

class Connection {
 public:
  static constexpr std::size_t kMaxHead = std::size_t{64} * 1024;

  // `context` outlives it.
  Connection(File client, const Door& door, const ConnectionRules& context, Clock::time_point now);

  // Does all that can be done without waiting.
  void work(Clock::time_point now);
  bool over() const { return state_ == State::over; }
  Clock::time_point deadline() const { return again_ ? Clock::time_point::min() : deadline_; }
  struct Wait {
    int fd = -1;
    std::uint32_t events = 0;
  };
  // What has to happen before there is something to do. Descriptors come and go.
  std::array<Wait, 2> waits() const;

 private:
  enum class State { head, lookup, dialing, greeting, relaying, leaving, over };

  void step(Clock::time_point now);
  void read_head(Clock::time_point now);
  void take_request(const Head& head, Clock::time_point now);
  void take_request_of_service(const Head& head, Clock::time_point now);
  // The body of the request, as far as it is known and clear.
  bool begin_request(const Head& head, std::string first);
  void approach(const Target& target, Clock::time_point now);
  void seek(Clock::time_point now);
  void look_up(Clock::time_point now);
  void choose(const std::vector<Address>& addresses, Clock::time_point now);
  void dial_next(Clock::time_point now);
  void dial(Clock::time_point now);
  void greet(Clock::time_point now);
  void begin_relay(std::unique_ptr<Stream> host, Clock::time_point now);
  void relay(Clock::time_point now);
  void leave(std::string_view status, const std::string& words, Clock::time_point now);
  void refuse(Refused why, const std::string& address, Clock::time_point now);
  void say_farewell();
  void time_out(Clock::time_point now);
  void become(State state, Clock::time_point deadline);

  const ConnectionRules& context_;
  const Door door_;
  State state_ = State::head;
  Clock::time_point deadline_;
  bool again_ = false;  // there is more to do, once the others have had their turn
  std::unique_ptr<Stream> client_;
  std::unique_ptr<Stream> host_;
  std::string in_;  // what the client has said, and nobody has heard yet
  // What it asks for.
  Target target_;
  bool request_ = false;  // one request, not a tunnel
  std::string to_host_;   // to be said first
  std::string to_client_;
  std::optional<Body> body_;
  std::optional<Lookup> lookup_;
  std::vector<Address> addresses_;  // that may be dialled
  std::size_t dialled_ = 0;
  File dialling_;
  std::unique_ptr<TlsStream> greeting_;
  Flow up_;
  Flow down_;
  std::size_t drained_ = 0;
};

}  // namespace capsule::contain
