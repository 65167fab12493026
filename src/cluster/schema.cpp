#include "cluster/schema.h"

#include "base/text.h"
#include "cluster/connection.h"
#include "cluster/schema_steps.h"
#include "cluster/work.h"

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

Result<Found> look(const Address& address, const std::string& origin) {
  const auto error = [&](const Refusal& refusal) {
    return tl::unexpected(error_of(refusal, address));
  };
  auto opened = Connection::open(address);
  if (!opened) return error(opened.error());
  Connection& connection = **opened;
  const Answer server = connection.call(
      "SELECT current_setting('server_version'),"
      " CASE current_setting('synchronous_commit') WHEN 'on' THEN"
      " current_setting('synchronous_standby_names') WHEN 'remote_apply' THEN"
      " current_setting('synchronous_standby_names') ELSE '' END");
  if (!server) return error(server.error());
  Found found;
  found.server = server->at(0)[0];
  found.synchronous = server->at(0)[1];
  const Answer version = connection.call("SELECT capsule_v1.version()");
  if (!version && version.error().why == Why::foreign) return found;
  if (!version) return error(version.error());
  found.version = static_cast<int>(number_of(version->at(0)[0]));
  if (found.version != newest_version()) return found;
  const Answer project = connection.call("SELECT capsule_v1.project($1)", {origin});
  if (!project) return error(project.error());
  const std::string id = project->at(0)[0];
  if (id.empty()) return found;
  const Answer name = connection.call("SELECT capsule_v1.name($1)", {id});
  if (!name) return error(name.error());
  found.project = name->at(0)[0];
  const Answer runs =
      connection.call("SELECT count(*) FROM capsule_v1.heads($1, NULL, NULL)", {id});
  if (!runs) return error(runs.error());
  found.runs = static_cast<std::size_t>(number_of(runs->at(0)[0]));
  const Answer leases = connection.call("SELECT * FROM capsule_v1.leases($1)", {id});
  if (!leases) return error(leases.error());
  for (const Row& row : *leases)
    found.at_work.push_back(
        {row[0],
         row[1],
         {number_of(row[2]), static_cast<std::uint64_t>(number_of(row[3])), row[4], row[5], row[6]},
         row[7]});
  const Answer workers = connection.call("SELECT * FROM capsule_v1.workers($1)", {id});
  if (!workers) return error(workers.error());
  found.workers = TRY(workers_in(*workers));
  const Answer queue = connection.call("SELECT * FROM capsule_v1.queue($1)", {id});
  if (!queue) return error(queue.error());
  found.queue = queue_in(*queue);
  return found;
}

}  // namespace capsule::cluster
