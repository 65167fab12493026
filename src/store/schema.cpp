#include "store/schema.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "base/text.h"

namespace capsule::store {
namespace {

// Marks the file as ours, whatever it is called.
#define CAPSULE_APPLICATION_ID "1128353875"  // "CAPS"

constexpr const char* kMigrations[] = {
    // Heads hold what a run's facts add up to, so that a fact that went missing shows.
    "CREATE TABLE runs("
    "  id INTEGER PRIMARY KEY,"
    "  run TEXT NOT NULL UNIQUE,"
    "  workflow TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  started_at TEXT NOT NULL,"
    "  ended_at TEXT NOT NULL,"
    "  outcome TEXT NOT NULL,"
    "  facts INTEGER NOT NULL,"
    "  last_seq INTEGER NOT NULL,"
    "  chain INTEGER NOT NULL,"
    "  checksum INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE facts("
    "  seq INTEGER PRIMARY KEY,"
    "  run_id INTEGER NOT NULL,"
    "  kind TEXT NOT NULL,"
    "  at TEXT NOT NULL,"
    "  body TEXT NOT NULL,"
    "  chain INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX facts_by_run ON facts(run_id);"
    "CREATE TABLE claims("
    "  subject TEXT PRIMARY KEY,"
    "  run TEXT NOT NULL,"
    "  pid INTEGER NOT NULL,"
    "  start_time INTEGER NOT NULL,"
    "  boot_id TEXT NOT NULL,"
    "  machine TEXT NOT NULL,"
    "  host TEXT NOT NULL,"
    "  since TEXT NOT NULL"
    ") STRICT;",
};

struct Version {
  std::uint64_t number;
  bool fresh;
};

// Requires: a transaction, so that the three answers belong together.
Result<Version> read_version(Database& database, std::uint64_t newest) {
  const std::uint64_t application = TRY(database.number("PRAGMA application_id"));
  const std::uint64_t version = TRY(database.number("PRAGMA user_version"));
  if (application == 0 && version == 0 &&
      TRY(database.number("SELECT count(*) FROM sqlite_schema")) == 0)
    return Version{0, true};
  if (std::to_string(application) != CAPSULE_APPLICATION_ID || version == 0)
    return fail(Reason::damaged, database.path() + " is not a journal of Capsule",
                "move it away; Capsule then makes a new one");
  if (version > newest)
    return fail(Reason::refused,
                database.path() + " was made by a newer Capsule (version " +
                    std::to_string(version) + " of the journal; this one knows " +
                    std::to_string(newest) + ")",
                "update capsule");
  return Version{version, false};
}

Result<Version> look_at_version(Database& database, std::uint64_t newest) {
  const Transaction snapshot = TRY(Transaction::begin_read(database));
  return read_version(database, newest);
}

// A copy that is complete or not there at all.
Result<void> back_up(Database& database, std::uint64_t version) {
  const std::string target = database.path() + ".v" + std::to_string(version) + ".backup";
  const std::string aside = target + ".new";
  ::unlink(aside.c_str());
  Statement copy = TRY(database.prepare("VACUUM INTO ?1"));
  TRY_VOID(copy.bind(1, aside).run());
  {
    const File file(::open(aside.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file || ::fsync(file.fd()) != 0) return tl::unexpected(io_error("write", aside, errno));
  }
  if (std::rename(aside.c_str(), target.c_str()) != 0)
    return tl::unexpected(io_error("write", target, errno));
  const File folder(
      ::open(target.substr(0, target.rfind('/') + 1).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.fd()) != 0)
    return tl::unexpected(io_error("sync the folder of", target, errno));
  return {};
}

}  // namespace

std::span<const char* const> migrations() { return kMigrations; }

Result<void> migrate(Database& database, std::span<const char* const> steps) {
  const Version seen = TRY(look_at_version(database, steps.size()));
  if (seen.number == steps.size()) return {};
  if (!seen.fresh) TRY_VOID(back_up(database, seen.number));
  Transaction transaction = TRY(Transaction::begin_write(database));
  // Another process may have done it while we waited for the lock.
  const Version now = TRY(read_version(database, steps.size()));
  for (std::size_t step = now.number; step < steps.size(); ++step)
    TRY_VOID(database.execute(steps[step]));
  TRY_VOID(database.execute("PRAGMA application_id = " CAPSULE_APPLICATION_ID));
  TRY_VOID(database.execute(("PRAGMA user_version = " + std::to_string(steps.size())).c_str()));
  return transaction.commit();
}

Result<void> check_origin(Database& database, std::span<const char* const> steps) {
  TRY_VOID(look_at_version(database, steps.size()));
  return {};
}

Result<void> check_version(Database& database, std::span<const char* const> steps) {
  const Version seen = TRY(look_at_version(database, steps.size()));
  if (seen.number == steps.size()) return {};
  // It is being made: nothing was ever recorded in it.
  if (seen.fresh) return fail(Reason::not_found, database.path() + " holds nothing yet");
  return fail(Reason::refused, database.path() + " has an older format",
              "any command that writes, such as capsule run, brings it up to date");
}

}  // namespace capsule::store
