// The least that the store needs of SQLite, with errors as values. A Database and its Statements
// belong to one thread; a Statement must not outlive its Database.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace capsule::store {

enum class Access { read_only, read_write };

// What to do about a damaged journal.
std::string restore_hint(const std::string& path);

class Database;

// One prepared statement, used again and again.
class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Starts anew: forgets the row and the values of the last use.
  Statement& reset();
  Statement& bind(int place, std::string_view text);  // from 1; the text must live until the row
  Statement& bind(int place, std::uint64_t number);

  // Goes to the next row; false: there is none.
  Result<bool> step();
  Result<void> run();  // for statements without rows

  std::string text(int column) const;  // from 0
  std::uint64_t number(int column) const;

 private:
  friend class Database;
  sqlite3_stmt* handle_ = nullptr;
  Database* database_ = nullptr;
};

class Database {
 public:
  // `vfs` is SQLite's name of a file layer; nullptr: the system's.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Access access,
                                                const char* vfs);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  Result<void> execute(const char* sql);
  Result<Statement> prepare(std::string_view sql);
  Result<std::uint64_t> number(const char* sql);    // the first column of the first row
  Result<std::string> first_text(const char* sql);  // the same as a text

  // The error of the call that just failed, in our words.
  Error error(int code);
  // A sync failed: what is on disk is unknown, so this handle must not be used any more.
  bool lost() const { return lost_; }
  bool in_transaction() const;
  const std::string& path() const { return path_; }

 private:
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  sqlite3* handle_;
  std::string path_;
  bool lost_ = false;
};

// BEGIN … COMMIT. Rolls back unless commit() was called and went well.
class Transaction {
 public:
  static Result<Transaction> begin_write(Database& database);
  static Result<Transaction> begin_read(Database& database);
  Transaction(Transaction&& other) noexcept : database_(other.database_) {
    other.database_ = nullptr;
  }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace capsule::store
