#include "store/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/check.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "store/parts.h"
#include "store/schema.h"

namespace capsule::store {

using engine::RunHead;
using event::Fact;
using event::NewFact;

namespace {

tl::unexpected<Error> no_such_run(std::string_view run) {
  return fail(Reason::not_found, "there is no run " + printable(run));
}

// A planted link or pipe must not become the journal.
Result<bool> is_there(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return tl::unexpected(io_error("open", path, errno));
  }
  if (!S_ISREG(info.st_mode))
    return fail(Reason::refused, path + " is not a regular file", "remove it");
  return true;
}

// SQLite syncs the folder that it creates its files in, but not the one above.
Result<void> make_lasting_folder(const std::string& folder) {
  TRY_VOID(make_folders(folder));
  const std::string above = folder.substr(0, folder.rfind('/') + 1);
  const File file(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file || ::fsync(file.fd()) != 0) return tl::unexpected(io_error("sync", above, errno));
  return {};
}

Result<void> set_up(Database& database, Access access, std::span<const char* const> steps) {
  if (access == Access::read_only) return check_version(database, steps);
  TRY_VOID(check_origin(database, steps));  // before anything is changed
  const std::string mode = TRY(database.first_text("PRAGMA journal_mode = WAL"));
  if (mode != "wal")
    return fail(Reason::io,
                "the journal " + database.path() + " cannot keep a write-ahead log here",
                "keep the project on a local disk");
  TRY_VOID(database.execute("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON"));
  // A log that is left over may hold a commit whose sync failed: the kernel shows it, the disk may
  // not have it. Writing it into the journal itself, and syncing that, settles it.
  if (exists(database.path() + "-wal"))
    TRY_VOID(database.execute("PRAGMA wal_checkpoint(PASSIVE)"));
  return migrate(database, steps);
}

// While another process makes the journal or switches on its log, SQLite says "busy" at once
// instead of waiting as it does otherwise.
Result<void> set_up_in_turn(Database& database, Access access, std::span<const char* const> steps) {
  constexpr std::int64_t kPatienceMs = 10'000;
  constexpr timespec kPause{0, 5'000'000};
  const std::int64_t start = monotonic_ms();
  for (;;) {
    auto result = set_up(database, access, steps);
    if (result || result.error().reason != Reason::blocked || monotonic_ms() - start > kPatienceMs)
      return result;
    ::nanosleep(&kPause, nullptr);
  }
}

}  // namespace

Store::Store(std::string project, std::shared_ptr<Parts> parts)
    : project_(std::move(project)), parts_(std::move(parts)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const std::string& project_dir, Access access,
                                           const Seams& seams) {
  const std::string folder = absolute_path(project_dir) + "/.capsule";
  const std::string path = folder + "/journal.db";
  const bool existed = TRY(is_there(path));
  if (!existed && access == Access::read_only)
    return fail(Reason::not_found, "there is no journal in " + printable(project_dir) + " yet");
  if (!existed) TRY_VOID(make_lasting_folder(folder));
  for (const char* suffix : {"-wal", "-shm", "-mark"}) TRY_VOID(is_there(path + suffix));

  auto parts = std::make_shared<Parts>(path + "-mark");
  parts->access = access;
  parts->lock_folders = {folder + "/locks"};
  parts->take_over_milliseconds = seams.take_over_milliseconds;
  // Before the journal is looked at: others may append meanwhile, and then the mark moves on.
  if (existed) parts->mark = parts->high_water.read();
  parts->database = TRY(Database::open(path, access, seams.vfs));
  const auto ready = set_up_in_turn(*parts->database, access,
                                    seams.migrations.empty() ? migrations() : seams.migrations);
  if (!ready && ready.error().reason == Reason::not_found && parts->mark.seq > 0)
    return tl::unexpected(parts->damaged("it is empty"));
  TRY_VOID(ready);

  Statement& newest = *TRY(parts->statement(Query::newest_seq));
  const std::uint64_t seq = TRY(newest.step()) ? newest.number(0) : 0;
  newest.reset();
  if (seq < parts->mark.seq)
    return tl::unexpected(parts->damaged("it ends at fact " + std::to_string(seq) + " but had " +
                                         std::to_string(parts->mark.seq)));
  Statement& count = *TRY(parts->statement(Query::count_runs));
  const std::uint64_t runs = TRY(count.step()) ? count.number(0) : 0;
  count.reset();
  if (runs < parts->mark.runs) return tl::unexpected(parts->damaged("the newest runs are missing"));
  parts->mark = {seq, runs};
  parts->files.note(path);
  return std::unique_ptr<Store>(new Store(absolute_path(project_dir), std::move(parts)));
}

Result<std::uint64_t> Store::begin(const engine::NewRun& run, std::span<const NewFact> facts) {
  CHECK(valid_id(run.run));
  Transaction transaction = TRY(parts_->begin_write());
  if (TRY(parts_->find_run(run.run)))
    return fail(Reason::exists, "the run " + printable(run.run) + " already exists");
  Statement& count = *TRY(parts_->statement(Query::count_runs));
  RunRow row;
  row.id = (TRY(count.step()) ? count.number(0) : 0) + 1;
  count.reset();
  if (row.id <= parts_->mark.runs)
    return tl::unexpected(parts_->damaged("the newest runs are missing"));
  row.head = {run.run, run.workflow, run.subject, run.started_at, {}, {}, 0, 0};
  TRY_VOID(parts_->add_facts(row, facts));
  TRY_VOID(parts_->save_run(row, Query::insert_run));
  TRY_VOID(transaction.commit());
  parts_->advance(row);
  return row.head.last_seq;
}

Result<std::uint64_t> Store::append(std::string_view run, std::uint64_t after,
                                    std::span<const NewFact> facts,
                                    const std::optional<engine::Ending>& ending) {
  Transaction transaction = TRY(parts_->begin_write());
  std::optional<RunRow> row = TRY(parts_->find_run(run));
  if (!row) return no_such_run(run);
  if (row->head.last_seq != after)
    return fail(Reason::conflict,
                "something else has written to the run " + printable(run) + " in the meantime",
                "is another capsule working on it?");
  TRY_VOID(parts_->add_facts(*row, facts));
  if (ending) {
    row->head.ended_at = ending->at;
    row->head.outcome = ending->outcome;
  }
  TRY_VOID(parts_->save_run(*row, Query::update_run));
  TRY_VOID(transaction.commit());
  parts_->advance(*row);
  return row->head.last_seq;
}

Result<std::vector<Fact>> Store::read(std::string_view run, std::uint64_t after) {
  const Transaction snapshot = TRY(parts_->begin_read());
  const std::optional<RunRow> row = TRY(parts_->find_run(run));
  if (!row) return no_such_run(run);
  return parts_->facts_of(*row, after);
}

Result<RunHead> Store::head(std::string_view run) {
  std::optional<RunRow> row = TRY(parts_->find_run(run));
  if (!row) return no_such_run(run);
  return std::move(row->head);
}

Result<std::vector<RunHead>> Store::runs() {
  return parts_->list(*TRY(parts_->statement(Query::all_runs)), true);
}

Result<std::vector<RunHead>> Store::runs_of(std::string_view subject) {
  // By way of all runs: an index that lost an entry would hide a run, and there are not many.
  std::vector<RunHead> heads = TRY(runs());
  std::erase_if(heads, [&](const RunHead& head) { return head.subject != subject; });
  return heads;
}

void Store::also_lock_in(std::string folder) { parts_->lock_folders.push_back(std::move(folder)); }

Result<void> Store::intact() { return parts_->intact(); }

Result<void> Store::verify() {
  const Transaction snapshot = TRY(parts_->begin_read());
  const std::string found = TRY(parts_->database->first_text("PRAGMA integrity_check(1)"));
  if (found != "ok") return tl::unexpected(parts_->damaged(printable(found)));
  std::uint64_t facts = 0;
  for (const RunHead& head : TRY(runs())) {
    const std::optional<RunRow> row = TRY(parts_->find_run(head.run));
    if (!row) return tl::unexpected(parts_->damaged("the run " + printable(head.run) + " is lost"));
    facts += TRY(parts_->facts_of(*row, 0)).size();
  }
  if (facts != TRY(parts_->database->number("SELECT count(*) FROM facts")))
    return tl::unexpected(parts_->damaged("there are facts that belong to no run"));
  return {};
}

}  // namespace capsule::store
