// The one place that knows where the journal of a project is kept: in its own folder, or in a
// database that many machines share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/journal.h"

namespace capsule::world {

// To write to it; made as needed. `root` is the top of the project. Claims are locked in the folder
// `locks`, too; empty: in no other, for callers that claim nothing.
Result<std::unique_ptr<engine::Records>> open_journal_in(const std::string& root,
                                                         const std::string& locks = {});

// To read it; null: there is none yet.
Result<std::unique_ptr<engine::Records>> journal_in(const std::string& root);

// The note in the folder of a journal that has moved into a database; without a database a journal
// that has is refused.
std::string moved_note(const std::string& root);

// ---- In a database

// What there is at an address, for people.
struct Database {
  std::string address;      // without user and password
  std::string server;       // its version
  int version = 0;          // of the journal; 0: there is none
  int known = 0;            // that this program has
  std::string project;      // as the database calls it; empty: it does not know this one
  std::string synchronous;  // the standbys that a commit waits for; empty: none
  std::size_t runs = 0;
  std::vector<engine::Holder> at_work;
  std::vector<engine::WorkerSeen> workers;
  std::vector<engine::QueueSeen> queue;
  bool set_up = false;  // this call did something
  // The remote whose main is that of all clones; empty: each has its own. For whoever looked.
  std::string remote = {};
};

// The part of the program that has PostgreSQL's library. It is in a program of its own.
class DatabasePart {
 public:
  virtual ~DatabasePart() = default;
  virtual Result<std::unique_ptr<engine::Records>> open(const std::string& root,
                                                        const std::string& locks) = 0;
  // `address` empty: the one in use.
  virtual Result<Database> set_up(const std::string& address, const std::string& root) = 0;
  virtual Result<Database> look(const std::string& address, const std::string& root) = 0;

  // What the clone's own journal has, as it is copied: at home in the folder, so that nobody goes
  // on with it in the database.
  virtual Result<std::unique_ptr<engine::Records>> open_copy(const std::string& root) = 0;
  // All runs of this clone are at home in the database from now on, or in the folder again. Error
  // blocked: somebody works on one. Returns how many.
  virtual Result<std::size_t> bring_home(const std::string& root, bool in_folder) = 0;
};

// Before any journal is opened, once: it must outlive them all. With an address, journals are kept
// there from now on.
void use_database(DatabasePart& part, std::string address);
DatabasePart* database_part();  // null: this program has none
// Where journals are kept; empty: in the folders of their projects.
const std::string& journal_address();
// The variable that holds it.
inline constexpr const char* kJournalVariable = "CAPSULE_JOURNAL";

}  // namespace capsule::world
