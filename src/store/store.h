// The journal and the claims of one project, in SQLite: .capsule/journal.db, with its write-ahead
// log, the mark beside it and the lock files in .capsule/locks/. docs/journal.md describes them.
//
// A Store belongs to one thread. Several processes may have one open on the same project. After a
// failed sync a store refuses everything (error io): open it again.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/journal.h"
#include "store/sqlite.h"

namespace capsule::store {

// For tests.
struct Seams {
  const char* vfs = nullptr;                     // SQLite's name of another file layer
  std::span<const char* const> migrations = {};  // empty: the real ones
  int take_over_milliseconds = 3000;             // how long to wait for a dead holder's children
};

class Store : public engine::Records {
 public:
  // Requires: `project_dir` exists. Makes .capsule/ and the journal as needed with
  // Access::read_write. Error not_found with Access::read_only: there is no journal yet.
  static Result<std::unique_ptr<Store>> open(const std::string& project_dir, Access access,
                                             const Seams& seams = {});
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() override;

  Result<std::uint64_t> begin(const engine::NewRun& run,
                              std::span<const event::NewFact> facts) override;
  Result<std::uint64_t> append(std::string_view run, std::uint64_t after,
                               std::span<const event::NewFact> facts,
                               const std::optional<engine::Ending>& ending) override;
  Result<std::vector<event::Fact>> read(std::string_view run, std::uint64_t after) override;
  Result<engine::RunHead> head(std::string_view run) override;
  Result<std::vector<engine::RunHead>> runs() override;
  Result<std::vector<engine::RunHead>> runs_of(std::string_view subject) override;

  Result<std::unique_ptr<engine::Claim>> claim(std::string_view subject, std::string_view run,
                                               std::string_view now) override;
  Result<std::optional<engine::Holder>> holder(std::string_view subject) override;

  // Claims are locked in this folder, too: one that does not go when .capsule is cleared away.
  // Before the first claim.
  void also_lock_in(std::string folder);

  // Whether the journal at its path is still the one that is open, and the locks of the claims are
  // still ours. Error damaged: no; all that was recorded is saved, as the message says.
  Result<void> intact() override;

  // The file's structure, every run and every fact.
  Result<void> verify() override;

  const std::string& project() const override { return project_; }

 private:
  struct Parts;
  Store(std::string project, std::shared_ptr<Parts> parts);

  std::string project_;
  std::shared_ptr<Parts> parts_;  // shared with the claims, which may outlive the store
};

}  // namespace capsule::store
