#include "cluster/schema.h"

#include "base/text.h"
#include "cluster/connection.h"
#include "cluster/schema_steps.h"

namespace capsule::cluster {
namespace {

// Of the lock that whoever changes the schema holds: "capsule" in bytes.
constexpr const char* kLock = "SELECT pg_advisory_lock(27988542790200421)";
constexpr const char* kUnlock = "SELECT pg_advisory_unlock(27988542790200421)";

// 0: there is none.
tl::expected<int, Refusal> version_of(Connection& connection) {
  const Answer there = connection.call("SELECT to_regclass('capsule.meta') IS NOT NULL");
  if (!there) return tl::unexpected(there.error());
  if (there->at(0).at(0) != "t") return 0;
  const Answer version = connection.call("SELECT version FROM capsule.meta");
  if (!version) return tl::unexpected(version.error());
  return static_cast<int>(number_of(version->at(0).at(0)));
}

tl::expected<bool, Refusal> add_project(Connection& connection, const std::string& origin,
                                        std::string& name) {
  const Answer added = connection.call(
      "INSERT INTO capsule.projects(name, origin) VALUES ($1, $2)"
      " ON CONFLICT (origin) DO NOTHING RETURNING id",
      {name, origin});
  if (!added) return tl::unexpected(added.error());
  if (!added->empty()) return true;
  const Answer known =
      connection.call("SELECT name FROM capsule.projects WHERE origin = $1", {origin});
  if (!known) return tl::unexpected(known.error());
  name = known->at(0).at(0);
  return false;
}

}  // namespace

int newest_version() { return static_cast<int>(schema_steps().size()); }

Result<Made> set_up(const Address& address, const std::string& origin, const std::string& name) {
  const auto error = [&](const Refusal& refusal) {
    return tl::unexpected(error_of(refusal, address));
  };
  auto opened = Connection::open(address);
  if (!opened) return error(opened.error());
  Connection& connection = **opened;
  // Held by the session, so that it outlives the steps; the end of the connection gives it up.
  if (const Answer locked = connection.call(kLock); !locked) return error(locked.error());
  const auto before = version_of(connection);
  if (!before) return error(before.error());
  if (*before > newest_version())
    return fail(Reason::refused,
                "the journal in the database at " + address.shown() +
                    " was made by a newer capsule (version " + std::to_string(*before) +
                    "; this one knows " + std::to_string(newest_version()) + ")",
                "update capsule");
  Made made{*before, newest_version(), false, name};
  for (int step = *before; step < made.now; ++step) {
    const std::string text = std::string(schema_steps()[static_cast<std::size_t>(step)]) +
                             "UPDATE capsule.meta SET version = " + std::to_string(step + 1) + ";";
    if (const Answer done = connection.run(text.c_str()); !done) return error(done.error());
  }
  const auto added = add_project(connection, origin, made.name);
  if (!added) return error(added.error());
  made.added = *added;
  (void)connection.call(kUnlock);
  return made;
}

}  // namespace capsule::cluster
