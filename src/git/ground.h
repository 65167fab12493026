// The ground under the agents' feet: what is the user's in a repository, and what an agent has no
// business to change. Refs but those of Capsule's own, HEAD, what is staged and which files differ
// in the user's checkout, and the files by which git is configured.
//
// Looking reads files and starts no process; comparing starts one or two, only when files of the
// checkout seem to differ. Values; any thread. A look asks for every file of the checkout, for
// which it takes the time of several threads while it lasts; a glance asks for its folders only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "git/index_file.h"
#include "git/repository.h"

namespace capsule::git {

// How a file is on disk; all zero: there is none.
struct Stamp {
  std::uint64_t inode = 0, size = 0;
  std::int64_t ctime_ns = 0, mtime_ns = 0;
  std::uint32_t mode = 0;
  bool operator==(const Stamp&) const = default;
};

struct Ground {
  std::map<std::string, std::string> refs;        // name to id, or to "ref: …"
  std::string head;                               // of the checkout, as it is written
  std::map<std::string, std::uint64_t> settings;  // ".git/config", ".git/hooks/x": by content
  std::uint64_t staged = 0;                       // as in IndexFile; 0: not known
  bool knows_files = false;
  std::map<std::string, Stamp> dirty;      // tracked files that differ from the index, it seems
  std::map<std::string, Stamp> untracked;  // files and folders beside tracked ones, ignored or not

  // What the next look need not read again.
  struct Folder {
    Stamp stamp;
    bool settled = false;  // its newest change was long past when it was read
    std::vector<std::string> untracked;
  };
  Stamp index_stamp, packed_stamp;
  std::shared_ptr<const IndexFile> index;
  std::shared_ptr<const std::map<std::string, std::string>> packed;
  std::map<std::string, Folder> folders;
};

// What of it is looked at: in a run that works in the user's checkout all but the settings is its
// own business.
enum class Extent { all, settings };

// `before`: an earlier look, to save reading; may be null.
Ground look(const Repository& repository, Extent extent, const Ground* before = nullptr);

// Whether all is as it was when `before` was looked at but for what may have been written into
// files that were there then: a look later tells of those, and their stamps tell when. False also
// where only a look can say.
bool glance(const Repository& repository, Extent extent, const Ground& before);

struct Differences {
  std::vector<std::string> what;   // sentences without a full stop
  std::vector<std::string> files;  // of the checkout: changed, new or gone
  bool main_moved = false;
  std::string main_what, main_from, main_to;  // a sentence, and commits; empty: it was not there
};

// `main_ref` is told apart from the other refs. `exclude`: untracked files that do not count.
// Requires: both looks had the same extent.
Differences differences(const Repository& repository, const Ground& before, const Ground& after,
                        const std::string& main_ref, const std::vector<std::string>& exclude);

}  // namespace capsule::git
