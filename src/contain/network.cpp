#include "contain/network.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "contain/mounts.h"

namespace capsule::contain {
namespace {

constexpr int kProxyPort = 3128;  // where proxies usually are; moved when it is forwarded
constexpr std::size_t kMaxForwarded = 32;
constexpr int kBacklog = 256;
constexpr const char* kNoKey = "kept-outside";  // what a client has in the place of its key

std::uint16_t free_port(const Policy& policy, int from) {
  const auto taken = [&](int port) {
    return std::find(policy.forward.begin(), policy.forward.end(), port) != policy.forward.end();
  };
  while (taken(from)) ++from;
  return static_cast<std::uint16_t>(from);
}

std::uint16_t proxy_port(const Policy& policy) { return free_port(policy, kProxyPort); }

std::uint16_t service_port(const Policy& policy) {
  return free_port(policy, proxy_port(policy) + 1);
}

// The model's service, and what its key goes into.
Result<KeptService> kept_service(const Broker& broker) {
  const auto service = service_of(broker.upstream);
  if (!service)
    return fail(Reason::usage, printable(broker.upstream) + " is not the address of a service",
                "it is written https://HOST, with :PORT and /PATH where it has them");
  KeptService kept{*service, {}};
  for (const Broker::Key& key : broker.keys) {
    const std::string value = key.before + key.value;
    if (std::any_of(value.begin(), value.end(),
                    [](unsigned char byte) { return byte < ' ' || byte == 0x7f; }))
      return fail(Reason::usage, key.variable + " contains characters that a key cannot have",
                  "set it again, without line ends");
    kept.fields.push_back({lowered(key.header), value});
  }
  if (service->secure && broker.authorities.empty()) return tl::unexpected(no_authorities());
  return kept;
}

std::string address_inside(std::uint16_t port) {
  return "http://127.0.0.1:" + std::to_string(port);
}

Result<File> listen_at(std::uint16_t port) {
  File socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SocketAddress here = socket_address(*address_of("127.0.0.1"), port);
  if (!socket || ::bind(socket.fd(), here.get(), here.size) != 0 ||
      ::listen(socket.fd(), kBacklog) != 0)
    return tl::unexpected(refused_step("listen on port " + std::to_string(port), errno));
  return socket;
}

}  // namespace

Result<void> check_network(const Policy& policy) {
  for (const std::string& one : policy.allow) TRY_VOID(allowed_of(one));
  for (const int port : policy.forward)
    if (port < 1 || port > 65535)
      return fail(Reason::usage, "there is no port " + std::to_string(port));
  if (policy.forward.size() > kMaxForwarded)
    return fail(Reason::usage, "at most " + std::to_string(kMaxForwarded) + " ports are forwarded");
  if (!policy.broker) return {};
  // Who shares the machine's loopback shares the port, too.
  if (policy.net == Net::open)
    return fail(Reason::usage, "a key cannot be kept outside while the network is open");
  if (const auto made = kept_service(*policy.broker); !made) return tl::unexpected(made.error());
  return {};
}

std::vector<Door> doors_of(const Policy& policy) {
  std::vector<Door> doors;
  if (policy.net == Net::open) return doors;  // all of it is there
  if (policy.net == Net::proxy) doors.push_back({Door::Kind::proxy, proxy_port(policy)});
  if (policy.broker) doors.push_back({Door::Kind::service, service_port(policy)});
  for (const int port : policy.forward) {
    const auto number = static_cast<std::uint16_t>(port);
    const auto same = [&](const Door& door) { return door.port == number; };
    if (std::none_of(doors.begin(), doors.end(), same))
      doors.push_back({Door::Kind::forward, number});
  }
  return doors;
}

std::vector<std::string> network_variables(const Policy& policy) {
  std::vector<std::string> made;
  if (policy.broker) {
    made.push_back(policy.broker->url_variable + "=" + address_inside(service_port(policy)));
    for (const Broker::Key& key : policy.broker->keys) made.push_back(key.variable + "=" + kNoKey);
  }
  if (policy.net != Net::proxy) return made;
  const std::string address = address_inside(proxy_port(policy));
  for (const char* name :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    made.push_back(std::string(name) + "=" + address);
  for (const char* name : {"NO_PROXY", "no_proxy"})
    made.push_back(std::string(name) + "=localhost,127.0.0.1,::1");
  made.push_back("NODE_USE_ENV_PROXY=1");  // it does not look by itself
  return made;
}

Result<std::vector<File>> open_doors(const std::vector<Door>& doors) {
  std::vector<File> listeners;
  for (const Door& door : doors) listeners.push_back(TRY(listen_at(door.port)));
  return listeners;
}

Result<std::unique_ptr<Gateway>> make_gateway(const Policy& policy, std::vector<File> listeners) {
  GatewayRules rules;
  for (const std::string& one : policy.allow) rules.allow.push_back(TRY(allowed_of(one)));
  rules.any_host = policy.without.host_list;
  rules.any_address = policy.without.public_addresses;
  if (policy.broker) {
    rules.kept = TRY(kept_service(*policy.broker));
    if (rules.kept->service.secure) rules.kept->tls = TRY(Tls::create(policy.broker->authorities));
  }
  const std::vector<Door> doors = doors_of(policy);
  if (doors.size() != listeners.size())
    return fail(Reason::failed, "the process between opened other ports than it was asked for");
  std::vector<Gateway::Opened> opened;
  for (std::size_t i = 0; i < doors.size(); ++i)
    opened.push_back({doors[i], std::move(listeners[i])});
  return Gateway::create(rules, std::move(opened));
}

}  // namespace capsule::contain
