// What a Store is made of. Internal to store.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "store/high_water.h"
#include "store/rescue.h"
#include "store/store.h"

namespace capsule::store {

// One statement an operation, prepared at its first use and kept.
enum class Query {
  run_by_name,
  all_runs,
  insert_run,
  update_run,
  newest_seq,
  insert_fact,
  facts_of_run,
  fact_of_run,
  count_runs,
  get_claim,
  put_claim,
  drop_claim,
  count,
};

// A row of `runs`.
struct RunRow {
  std::uint64_t id = 0;
  engine::RunHead head;
  std::uint64_t chain = 0;
};

class SubjectLock;

struct Store::Parts {
  std::unique_ptr<Database> database;
  std::array<Statement, static_cast<std::size_t>(Query::count)> statements;
  std::array<bool, static_cast<std::size_t>(Query::count)> prepared{};
  HighWater high_water;
  HighWater::Mark mark;                   // what this handle knows
  std::vector<std::string> lock_folders;  // a claim is locked in each of them
  std::vector<const SubjectLock*> locks;  // of the claims that are held
  JournalFiles files;
  std::optional<Error> lost;  // the files or a lock vanished: nothing is recorded any more
  Access access = Access::read_write;
  int take_over_milliseconds = 0;

  explicit Parts(std::string mark_file) : high_water(std::move(mark_file)) {}
  ~Parts();

  // Ready to be bound. Error io after a failed sync.
  Result<Statement*> statement(Query query);
  // Whether the files and the locks at their paths are those that we have.
  Result<void> intact();
  Result<Transaction> begin_write();
  Result<Transaction> begin_read();
  Error damaged(const std::string& what) const;

  Result<std::optional<RunRow>> find_run(std::string_view run);
  Result<std::vector<engine::RunHead>> list(Statement& rows, bool all);
  // Appends to `row`, which it brings up to date. Requires: a write transaction.
  Result<void> add_facts(RunRow& row, std::span<const event::NewFact> facts);
  Result<void> save_run(const RunRow& row, Query query);
  void advance(const RunRow& row);
  Result<std::vector<event::Fact>> facts_of(const RunRow& row, std::uint64_t after);
};

}  // namespace capsule::store
