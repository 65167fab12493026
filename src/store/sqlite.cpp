#include "store/sqlite.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace capsule::store {
namespace {

constexpr int kBusyMilliseconds = 10'000;

}  // namespace

std::string restore_hint(const std::string& path) {
  return "keep a copy of " + path +
         "*, then restore them from a backup, or move them away to begin a new journal; merged "
         "work "
         "is in git";
}

Statement::Statement(Statement&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), database_(other.database_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(database_, other.database_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  return *this;
}

Statement& Statement::bind(int place, std::string_view text) {
  const char* bytes = text.data() == nullptr ? "" : text.data();  // a null pointer would be NULL
  const int code =
      sqlite3_bind_text64(handle_, place, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  // What could not be bound is NULL, which every column refuses.
  CHECK(code == SQLITE_OK || code == SQLITE_NOMEM || code == SQLITE_TOOBIG);
  return *this;
}

Statement& Statement::bind(int place, std::uint64_t number) {
  const int code = sqlite3_bind_int64(handle_, place, static_cast<sqlite3_int64>(number));
  CHECK(code == SQLITE_OK);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(handle_);
    return false;
  }
  Error error = database_->error(code);
  sqlite3_reset(handle_);
  return tl::unexpected(std::move(error));
}

Result<void> Statement::run() {
  if (TRY(step())) sqlite3_reset(handle_);
  return {};
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_, column));
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access,
                                                 const char* vfs) {
  CHECK(path.starts_with('/'), "a relative path could be read as a URI");
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (access == Access::read_only ? SQLITE_OPEN_READONLY
                                                 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, vfs);
  std::unique_ptr<Database> database(new Database(handle, path));
  if (code != SQLITE_OK) return tl::unexpected(database->error(code));
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return database;
}

Database::~Database() { sqlite3_close_v2(handle_); }

Result<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  Statement statement;
  statement.database_ = this;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement.handle_, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return statement;
}

Result<std::uint64_t> Database::number(const char* sql) {
  Statement statement = TRY(prepare(sql));
  return TRY(statement.step()) ? statement.number(0) : 0;
}

Result<std::string> Database::first_text(const char* sql) {
  Statement statement = TRY(prepare(sql));
  return TRY(statement.step()) ? statement.text(0) : std::string();
}

Error Database::error(int code) {
  const int extended = handle_ != nullptr ? sqlite3_extended_errcode(handle_) : code;
  if (extended == SQLITE_IOERR_FSYNC || extended == SQLITE_IOERR_DIR_FSYNC) lost_ = true;
  const int system_error = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
  std::string detail = sqlite3_errstr(extended);
  // A file that cannot be made is looked for once more, to be read: that it is not there says
  // nothing.
  const bool says_nothing = (code & 0xFF) == SQLITE_CANTOPEN && system_error == ENOENT;
  if (system_error != 0 && !says_nothing && (code & 0xFF) != SQLITE_CORRUPT)
    detail += std::string(" (") + std::strerror(system_error) + ")";
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Reason::blocked, "the journal " + path_ + " is locked by another process",
              "wait for it to end, then try again"};
    case SQLITE_FULL:
      return {Reason::io, "cannot write the journal " + path_ + ": the disk is full",
              "free some disk space, then try again"};
    case SQLITE_IOERR:
      return {Reason::io, "cannot read or write the journal " + path_ + ": " + detail,
              system_error == ENOSPC || system_error == EDQUOT
                  ? "free some disk space, then try again"
                  : "check the disk, then try again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Reason::io, "cannot write the journal " + path_ + ": it or its folder is read-only",
              "check its owner and permissions"};
    case SQLITE_CANTOPEN:
      return {Reason::io, "cannot open the journal " + path_ + ": " + detail,
              "check the owner and permissions of its folder, and whether the disk is full"};
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
    case SQLITE_INTERRUPT:
    case SQLITE_PROTOCOL:
      return {Reason::io, "cannot use the journal " + path_ + ": " + detail, "try again"};
    default:
      // Our statements are right, so whatever else SQLite complains about is in the file: its
      // structure, its schema, or a value of a type that we never wrote.
      return {Reason::damaged, "the journal " + path_ + " is damaged: " + detail,
              restore_hint(path_)};
  }
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Result<Transaction> Transaction::begin_write(Database& database) {
  TRY_VOID(database.execute("BEGIN IMMEDIATE"));
  return Transaction(&database);
}

Result<Transaction> Transaction::begin_read(Database& database) {
  TRY_VOID(database.execute("BEGIN"));
  return Transaction(&database);
}

Transaction::~Transaction() {
  // Some failures roll back by themselves; a failed rollback leaves nothing committed either.
  if (database_ != nullptr && database_->in_transaction()) (void)database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  TRY_VOID(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace capsule::store
