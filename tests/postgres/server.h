// A real PostgreSQL for tests: Debian's programs, in a temporary folder, as an unprivileged user,
// reachable by a socket in that folder alone. One server for a test program, a database a test.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace capsule::test {

class PostgresServer {
 public:
  // The folder with initdb and postgres, the newest version; empty: not installed.
  static std::string programs();
  // The one server of this program, which runs at first; it ends with the program.
  static PostgresServer& shared();

  PostgresServer();  // started
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Unless it runs. Ensures: it answers. `settings` as on its command line: "fsync=on".
  void start(const std::vector<std::string>& settings = {});
  // The server and all its processes, by SIGKILL.
  void kill9();
  // None of its processes does anything more until the second call.
  void freeze();
  void thaw();

  // Of a database that is made for the caller; empty, owned by `owner`.
  std::string fresh_database();
  std::string address(const std::string& database, const std::string& user = "owner") const;
  // The file by which it is reached.
  std::string socket() const { return folder_ + "/.s.PGSQL.5432"; }
  // By the owner, each statement a transaction; the first column of the last row.
  std::string query(const std::string& database, const std::string& sql) const;

 private:
  std::vector<pid_t> processes() const;

  std::string folder_;
  pid_t server_ = 0;
  int databases_ = 0;
};

}  // namespace capsule::test
