#include "contain/network.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "contain/mounts.h"

namespace capsule::contain {
namespace {

constexpr int kProxyPort = 3128;  // where proxies usually are; moved when it is forwarded
constexpr std::size_t kMaxForwarded = 32;
constexpr int kBacklog = 256;

std::uint16_t free_port(const Policy& policy, int from) {
  const auto taken = [&](int port) {
    return std::find(policy.forward.begin(), policy.forward.end(), port) != policy.forward.end();
  };
  while (taken(from)) ++from;
  return static_cast<std::uint16_t>(from);
}

std::uint16_t proxy_port(const Policy& policy) { return free_port(policy, kProxyPort); }

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
  // Better than an agent without its key that asks a port on which nobody listens.
  if (policy.broker)
    return fail(Reason::refused, "contain.broker is true, and no key can be kept outside yet",
                "set contain: {broker: false}: the agent then gets the key, and reaches only the "
                "hosts that are allowed");
  return {};
}

std::vector<Door> doors_of(const Policy& policy) {
  std::vector<Door> doors;
  if (policy.net == Net::open) return doors;  // all of it is there
  if (policy.net == Net::proxy) doors.push_back({Door::Kind::proxy, proxy_port(policy)});
  for (const int port : policy.forward) {
    const auto number = static_cast<std::uint16_t>(port);
    const auto same = [&](const Door& door) { return door.port == number; };
    if (std::none_of(doors.begin(), doors.end(), same))
      doors.push_back({Door::Kind::forward, number});
  }
  return doors;
}

std::vector<std::string> network_variables(const Policy& policy) {
  if (policy.net != Net::proxy) return {};
  const std::string address = "http://127.0.0.1:" + std::to_string(proxy_port(policy));
  std::vector<std::string> made;
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
  const std::vector<Door> doors = doors_of(policy);
  if (doors.size() != listeners.size())
    return fail(Reason::failed, "the process between handed out other listeners than were asked");
  std::vector<Gateway::Opened> opened;
  for (std::size_t i = 0; i < doors.size(); ++i)
    opened.push_back({doors[i], std::move(listeners[i])});
  return Gateway::create(rules, std::move(opened));
}

}  // namespace capsule::contain
