// A journal whose files were removed or replaced while it was open. The open handle still has all
// of it: it is written back where that takes nothing from anybody, and beside the new one
// otherwise. Internal to store.
#pragma once

#include <array>
#include <string>

#include "store/file_id.h"
#include "store/sqlite.h"

namespace capsule::store {

// The files of an open journal, as they were when it was opened.
class JournalFiles {
 public:
  // Requires: the database at `path` is open and was read, so that SQLite has made its files.
  void note(const std::string& path);
  // The first that is not the one that is open; empty: all are. Three system calls.
  std::string changed() const;
  const std::string& path() const { return path_; }
  bool is_ours(const char* suffix) const;  // the file that is there now is the one that is open

 private:
  std::string path_;
  std::array<std::optional<FileId>, 3> files_;
  bool had_settings_ = false;
  friend Error rescue(Database& database, const JournalFiles& files, const std::string& stamp);
};

// Saves what the handle has, and says what happened, what is kept and what to do. `stamp` goes into
// the name of the file that may stay. Requires: no transaction. The handle is not to be used for
// writing any more.
Error rescue(Database& database, const JournalFiles& files, const std::string& stamp);

}  // namespace capsule::store
