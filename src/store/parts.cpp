#include "store/parts.h"

#include <algorithm>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/text.h"
#include "store/subject_lock.h"

namespace capsule::store {
namespace {

#define RUN_COLUMNS                                                                    \
  "id, run, workflow, subject, started_at, ended_at, outcome, facts, last_seq, chain," \
  " checksum"

constexpr std::array<std::string_view, static_cast<std::size_t>(Query::count)> kSql{
    "SELECT " RUN_COLUMNS " FROM runs WHERE run = ?1",
    "SELECT " RUN_COLUMNS " FROM runs ORDER BY id",
    "INSERT INTO runs(" RUN_COLUMNS ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    "UPDATE runs SET run = ?2, workflow = ?3, subject = ?4, started_at = ?5, ended_at = ?6,"
    " outcome = ?7, facts = ?8, last_seq = ?9, chain = ?10, checksum = ?11 WHERE id = ?1",
    "SELECT seq FROM facts ORDER BY seq DESC LIMIT 1",
    "INSERT INTO facts(seq, run_id, kind, at, body, chain) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    "SELECT seq, kind, at, body, chain FROM facts WHERE run_id = ?1 AND seq > ?2 ORDER BY seq",
    "SELECT chain FROM facts WHERE run_id = ?1 AND seq = ?2",
    "SELECT id FROM runs ORDER BY id DESC LIMIT 1",
    "SELECT run, pid, start_time, boot_id, machine, host, since FROM claims WHERE subject = ?1",
    "INSERT OR REPLACE INTO claims(subject, run, pid, start_time, boot_id, machine, host, since)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    "DELETE FROM claims WHERE subject = ?1 AND run = ?2 AND pid = ?3 AND start_time = ?4",
};

std::uint64_t checksum_of(const RunRow& row) {
  const engine::RunHead& head = row.head;
  return Checksum(row.id)
      .add(head.run)
      .add(head.workflow)
      .add(head.subject)
      .add(head.started_at)
      .add(head.ended_at)
      .add(head.outcome)
      .add(head.facts)
      .add(head.last_seq)
      .add(row.chain)
      .value();
}

// Each fact's checksum goes on from that of the fact before it, so that a missing, doubled or moved
// fact breaks the chain.
std::uint64_t chained(std::uint64_t chain, std::uint64_t run_id, std::uint64_t seq,
                      std::string_view kind, std::string_view at, std::string_view body) {
  return Checksum(chain).add(run_id).add(seq).add(kind).add(at).add(body).value();
}

RunRow row_from(const Statement& from) {
  RunRow row;
  row.id = from.number(0);
  row.head = {from.text(1), from.text(2), from.text(3),   from.text(4),
              from.text(5), from.text(6), from.number(7), from.number(8)};
  row.chain = from.number(9);
  return row;
}

}  // namespace

Store::Parts::~Parts() {
  for (Statement& statement : statements) statement = Statement();  // before their database
}

Result<Statement*> Store::Parts::statement(Query query) {
  if (database->lost())
    return fail(
        Reason::io,
        "the journal " + database->path() + " could not be synced: what is on disk is unknown",
        "check the disk, then start again");
  const auto index = static_cast<std::size_t>(query);
  if (!prepared[index]) {
    statements[index] = TRY(database->prepare(kSql[index]));
    prepared[index] = true;
  }
  return &statements[index].reset();
}

Result<void> Store::Parts::intact() {
  if (lost) return tl::unexpected(*lost);
  if (!files.changed().empty()) {
    lost = rescue(*database, files, utc_stamp() + "-" + random_hex(2));
    return tl::unexpected(*lost);
  }
  for (const SubjectLock* lock : locks) {
    if (lock->is_current()) continue;
    lost = Error{Reason::damaged,
                 "the lock of this run, " + printable(lock->path()) +
                     ", was removed while the run went on: another capsule may have begun to work "
                     "on the same. The run has stopped here",
                 "start the same command again: the run goes on where it was"};
    return tl::unexpected(*lost);
  }
  return {};
}

Result<Transaction> Store::Parts::begin_write() {
  TRY_VOID(intact());
  TRY_VOID(statement(Query::newest_seq));
  return Transaction::begin_write(*database);
}

Result<Transaction> Store::Parts::begin_read() {
  TRY_VOID(statement(Query::newest_seq));
  return Transaction::begin_read(*database);
}

Error Store::Parts::damaged(const std::string& what) const {
  return {Reason::damaged, "the journal " + database->path() + " is damaged: " + what,
          restore_hint(database->path())};
}

Result<std::optional<RunRow>> Store::Parts::find_run(std::string_view run) {
  Statement& query = *TRY(statement(Query::run_by_name));
  if (!TRY(query.bind(1, run).step())) return std::nullopt;
  RunRow row = row_from(query);
  const bool intact = checksum_of(row) == query.number(10) && row.head.run == run;
  query.reset();
  if (!intact) return tl::unexpected(damaged("the head of the run " + printable(run)));
  return row;
}

Result<std::vector<engine::RunHead>> Store::Parts::list(Statement& rows, bool all) {
  std::vector<engine::RunHead> heads;
  std::uint64_t expected = 0;
  while (TRY(rows.step())) {
    RunRow row = row_from(rows);
    if (checksum_of(row) != rows.number(10))
      return tl::unexpected(damaged("the head of run number " + std::to_string(row.id)));
    // Runs are numbered without gaps and never removed.
    if (all && row.id != ++expected)
      return tl::unexpected(damaged("run number " + std::to_string(expected) + " is missing"));
    heads.push_back(std::move(row.head));
  }
  if (all && expected < mark.runs) return tl::unexpected(damaged("the newest runs are missing"));
  return heads;
}

Result<void> Store::Parts::add_facts(RunRow& row, std::span<const event::NewFact> facts) {
  Statement& newest = *TRY(statement(Query::newest_seq));
  std::uint64_t seq = TRY(newest.step()) ? newest.number(0) : 0;
  newest.reset();
  if (seq < row.head.last_seq || seq < mark.seq)
    return tl::unexpected(damaged("the newest facts are missing"));
  for (const event::NewFact& fact : facts) {
    ++seq;
    row.chain = chained(row.chain, row.id, seq, fact.kind, fact.at, fact.body);
    row.head.last_seq = seq;
    ++row.head.facts;
    Statement& insert = *TRY(statement(Query::insert_fact));
    TRY_VOID(insert.bind(1, seq)
                 .bind(2, row.id)
                 .bind(3, fact.kind)
                 .bind(4, fact.at)
                 .bind(5, fact.body)
                 .bind(6, row.chain)
                 .run());
  }
  return {};
}

Result<void> Store::Parts::save_run(const RunRow& row, Query query) {
  const engine::RunHead& head = row.head;
  Statement& save = *TRY(statement(query));
  return save.bind(1, row.id)
      .bind(2, head.run)
      .bind(3, head.workflow)
      .bind(4, head.subject)
      .bind(5, head.started_at)
      .bind(6, head.ended_at)
      .bind(7, head.outcome)
      .bind(8, head.facts)
      .bind(9, head.last_seq)
      .bind(10, row.chain)
      .bind(11, checksum_of(row))
      .run();
}

void Store::Parts::advance(const RunRow& row) {
  mark.seq = std::max(mark.seq, row.head.last_seq);
  mark.runs = std::max(mark.runs, row.id);
  high_water.write(mark);
}

Result<std::vector<event::Fact>> Store::Parts::facts_of(const RunRow& row, std::uint64_t after) {
  std::uint64_t chain = 0;
  if (after > 0) {
    Statement& known = *TRY(statement(Query::fact_of_run));
    if (!TRY(known.bind(1, row.id).bind(2, after).step()))
      return fail(Reason::not_found, "the run " + printable(row.head.run) + " has no fact number " +
                                         std::to_string(after));
    chain = known.number(0);
    known.reset();
  }
  std::vector<event::Fact> facts;
  if (after == 0) facts.reserve(row.head.facts);
  Statement& rows = *TRY(statement(Query::facts_of_run));
  rows.bind(1, row.id).bind(2, after);
  std::uint64_t last = after;
  while (TRY(rows.step())) {
    event::Fact fact{rows.number(0), row.head.run, rows.text(1), rows.text(2), rows.text(3)};
    chain = chained(chain, row.id, fact.seq, fact.kind, fact.at, fact.body);
    if (chain != rows.number(4))
      return tl::unexpected(damaged("fact " + std::to_string(fact.seq) + " of the run " +
                                    printable(row.head.run) + " was changed after it was written"));
    last = fact.seq;
    facts.push_back(std::move(fact));
  }
  if (chain != row.chain || last != row.head.last_seq ||
      (after == 0 && facts.size() != row.head.facts))
    return tl::unexpected(damaged("facts of the run " + printable(row.head.run) + " are missing"));
  return facts;
}

}  // namespace capsule::store
