#include "cluster/address.h"

#include <libpq-fe.h>

#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace capsule::cluster {
namespace {

struct Free {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

bool is_here(std::string_view host) {
  const bool loopback =
      host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
  return host.empty() || host.starts_with('/') || host.starts_with('@') || host == "localhost" ||
         host == "::1" || loopback;
}

// Of several hosts, parted by commas, all are here.
bool all_here(std::string_view hosts) {
  for (const std::string_view host : split(hosts, ','))
    if (!is_here(host)) return false;
  return true;
}

bool has_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, Free> options(
      PQconninfoParse(std::string(text).c_str(), &complaint));
  PQfreemem(complaint);  // it quotes the address, and with it a password
  const bool scheme = text.starts_with("postgres://") || text.starts_with("postgresql://");
  if (!options || !scheme)
    return fail(Reason::usage, "the address of the database cannot be read",
                "write it as postgres://USER@HOST:PORT/DATABASE; "
                "special characters of a password as %XX, or the password into ~/.pgpass");
  Address address;
  std::string host, port, database, connected;
  bool says_ssl = has_variable("PGSSLMODE") || has_variable("PGSERVICE");
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view name = option->keyword;
    if (name == "host" || (name == "hostaddr" && host.empty())) host = option->val;
    if (name == "hostaddr") connected = option->val;  // whatever the host is called
    if (name == "port") port = option->val;
    if (name == "dbname") database = option->val;
    says_ssl |= name == "sslmode" || name == "service";
    address.parameters_.emplace_back(name, option->val);
  }
  const auto unless_said = [&](std::string_view name, const char* value) {
    for (const auto& [known, said] : address.parameters_)
      if (known == name) return;
    address.parameters_.emplace_back(name, value);
  };
  const char* from_variable = std::getenv("PGHOST");
  if (host.empty() && from_variable != nullptr) host = from_variable;
  if (const char* there = std::getenv("PGHOSTADDR"); connected.empty() && there != nullptr)
    connected = there;
  if (!says_ssl && !(all_here(host) && all_here(connected))) unless_said("sslmode", "verify-full");
  unless_said("connect_timeout", "10");
  unless_said("tcp_user_timeout", "30000");
  unless_said("keepalives_idle", "30");
  // Of several servers the one that takes writes: after a failover another than before.
  unless_said("target_session_attrs", "read-write");
  unless_said("application_name", "capsule");
  address.shown_ = (host.empty() ? "this machine" : printable(host)) +
                   (port.empty() ? "" : ":" + printable(port)) +
                   (database.empty() ? "" : "/" + printable(database));
  return address;
}

}  // namespace capsule::cluster
