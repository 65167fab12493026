#include "store/rescue.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <map>

#include "base/files.h"
#include "base/text.h"

namespace capsule::store {
namespace {

constexpr const char* kJournalFiles[] = {"", "-wal", "-shm"};
constexpr std::string_view kFolder = ".capsule";

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// What tells two journals apart: how many facts each run has, and the checksum over all of them.
using Heads = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

Result<Heads> heads_in(Database& database) {
  Heads heads;
  Statement rows = TRY(database.prepare("SELECT run, facts, chain FROM runs"));
  while (TRY(rows.step())) heads[rows.text(0)] = {rows.number(1), rows.number(2)};
  return heads;
}

// A run may have gone on there meanwhile.
bool has_all(const Heads& there, const Heads& wanted) {
  for (const auto& [run, head] : wanted) {
    const auto found = there.find(run);
    if (found == there.end() || found->second.first < head.first ||
        (found->second.first == head.first && found->second.second != head.second))
      return false;
  }
  return true;
}

Result<void> sync_path(const std::string& path, int flags) {
  const File file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW));
  if (!file || ::fsync(file.fd()) != 0) return tl::unexpected(io_error("sync", path, errno));
  return {};
}

Result<void> write_copy(Database& database, const std::string& copy) {
  Statement into = TRY(database.prepare("VACUUM INTO ?1"));
  TRY_VOID(into.bind(1, copy).run());
  return sync_path(copy, O_RDONLY);
}

// Nobody has begun another one: link(2) makes the file appear whole, or fails.
Result<bool> put_in_place(const JournalFiles& files, const std::string& copy) {
  // A log that belongs to the journal that is gone would be taken for one of the new.
  for (const char* suffix : {"-wal", "-shm"}) {
    const std::string path = files.path() + suffix;
    if (files.is_ours(suffix)) ::unlink(path.c_str());
    if (exists(path)) return false;
  }
  if (::link(copy.c_str(), files.path().c_str()) != 0) {
    if (errno == EEXIST) return false;
    return tl::unexpected(io_error("write", files.path(), errno));
  }
  ::unlink(copy.c_str());
  TRY_VOID(sync_path(folder_of(files.path()), O_RDONLY | O_DIRECTORY));
  return true;
}

// Somebody has begun another journal. It may be the work of another run of ours, which has written
// everything back already; or it is empty, and takes what we have.
Result<bool> put_into(const std::string& path, const std::string& copy, const Heads& wanted) {
  const auto there = TRY(Database::open(path, Access::read_write, nullptr));
  Statement attach = TRY(there->prepare("ATTACH ?1 AS old"));
  TRY_VOID(attach.bind(1, copy).run());
  Transaction transaction = TRY(Transaction::begin_write(*there));
  const Heads found = TRY(heads_in(*there));
  if (has_all(found, wanted)) return true;
  if (!found.empty()) return false;
  TRY_VOID(
      there->execute("INSERT INTO main.runs SELECT * FROM old.runs;"
                     "INSERT INTO main.facts SELECT * FROM old.facts"));
  TRY_VOID(transaction.commit());
  return true;
}

// The journal itself is there, and only its log is not: what the log had goes into the journal.
Result<bool> put_log_back(Database& database, const JournalFiles& files) {
  if (!files.is_ours("")) return false;
  Statement checkpoint = TRY(database.prepare("PRAGMA wal_checkpoint(FULL)"));
  const bool answered = TRY(checkpoint.step());
  // busy, frames in the log, frames written
  return answered && checkpoint.number(0) == 0 && checkpoint.number(1) == checkpoint.number(2);
}

enum class Saved { back, aside };

Result<Saved> save(Database& database, const JournalFiles& files, const std::string& copy) {
  TRY_VOID(make_folders(folder_of(files.path())));
  const Heads wanted = TRY(heads_in(database));
  TRY_VOID(write_copy(database, copy));
  auto back = files.is_ours("")      ? put_log_back(database, files)
              : exists(files.path()) ? put_into(files.path(), copy, wanted)
                                     : put_in_place(files, copy);
  // The copy is whole, whatever became of the journal.
  if (!back || !*back) return Saved::aside;
  ::unlink(copy.c_str());
  return Saved::back;
}

}  // namespace

void JournalFiles::note(const std::string& path) {
  path_ = path;
  for (std::size_t i = 0; i < files_.size(); ++i) files_[i] = file_at(path_ + kJournalFiles[i]);
  had_settings_ = exists(folder_of(path_) + "/config.yaml");
}

bool JournalFiles::is_ours(const char* suffix) const {
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (std::string_view(kJournalFiles[i]) == suffix)
      return files_[i] && file_at(path_ + suffix) == files_[i];
  return false;
}

std::string JournalFiles::changed() const {
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (files_[i] && file_at(path_ + kJournalFiles[i]) != files_[i])
      return path_ + kJournalFiles[i];
  return {};
}

Error rescue(Database& database, const JournalFiles& files, const std::string& stamp) {
  const std::string folder = folder_of(files.path());
  const std::string gone = files.changed();
  const std::string copy = folder + "/journal.rescued-" + stamp + ".db";
  const bool replaced = exists(gone);
  std::string what = printable(gone) + " was " + (replaced ? "replaced" : "removed") +
                     " while the run went on. The run has stopped here. ";
  const Result<Saved> saved = save(database, files, copy);
  std::string hint = "start the same command again: the run goes on where it was";
  if (!saved) {
    what += "What was recorded could not be saved: " + saved.error().message;
    hint = "snapshots of the work are under refs/capsule/: git for-each-ref refs/capsule";
  } else if (*saved == Saved::back) {
    what += "All that was recorded has been written back, and the snapshots of the work are there";
  } else {
    what += "There is another journal now; all that was recorded is in " + printable(copy) +
            ", and the snapshots of the work are there";
    hint = "to go on with this run, move " + std::string(kFolder) + "/journal.db* away, rename " +
           printable(copy.substr(folder.size() + 1)) +
           " to journal.db, and start the same command again";
  }
  if (files.had_settings_ && !exists(folder + "/config.yaml"))
    hint += "; " + std::string(kFolder) + "/config.yaml is gone too: put it back first";
  return {Reason::damaged, what, hint};
}

}  // namespace capsule::store
