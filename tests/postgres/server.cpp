#include "tests/postgres/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// PostgreSQL refuses to run as root.
std::vector<std::string> unprivileged(std::vector<std::string> words) {
  if (::geteuid() != 0) return words;
  std::vector<std::string> all{"setpriv",        "--reuid",     "nobody", "--regid", "nogroup",
                               "--clear-groups", "--pdeathsig", "KILL",   "--"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

pid_t launch(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    ::dup2(out, 1);
    ::dup2(out, 2);
    (void)!::chdir("/");
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  return pid;
}

struct Close {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Connection = std::unique_ptr<PGconn, Close>;

}  // namespace

std::string PostgresServer::programs() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", error))
    if (fs::exists(version.path() / "bin/initdb") && fs::exists(version.path() / "bin/postgres"))
      found.push_back(version.path() / "bin");
  std::sort(found.begin(), found.end());
  return found.empty() ? "" : found.back();
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() {
  std::string name = "/tmp/capsule-pg.XXXXXX";  // short: it becomes the path of a socket
  folder_ = ::mkdtemp(name.data());
  if (const passwd* nobody = ::getpwnam("nobody"); ::geteuid() == 0 && nobody != nullptr)
    (void)!::chown(folder_.c_str(), nobody->pw_uid, nobody->pw_gid);
  const pid_t made =
      launch(unprivileged({programs() + "/initdb", "-D", folder_ + "/data", "-U", "owner", "-A",
                           "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"}),
             folder_ + "/log");
  int status = 0;
  ::waitpid(made, &status, 0);
  EXPECT_EQ(status, 0) << "initdb failed";
  start();
}

PostgresServer::~PostgresServer() {
  kill9();
  std::error_code error;
  fs::remove_all(folder_, error);
}

void PostgresServer::start(const std::vector<std::string>& settings) {
  if (server_ != 0) return;
  std::vector<std::string> words{programs() + "/postgres", "-D", folder_ + "/data"};
  for (const char* setting : {"listen_addresses=", "fsync=off", "max_connections=60",
                              "shared_buffers=16MB", "restart_after_crash=off", "autovacuum=off"}) {
    words.emplace_back("-c");
    words.emplace_back(setting);
  }
  words.emplace_back("-c");
  words.push_back("unix_socket_directories=" + folder_);
  for (const std::string& setting : settings) {
    words.emplace_back("-c");
    words.push_back(setting);
  }
  server_ = launch(unprivileged(words), folder_ + "/log");
  const std::string there = address("postgres");
  for (int tries = 0; tries < 3000; ++tries) {
    const Connection connection(PQconnectdb(there.c_str()));
    if (PQstatus(connection.get()) == CONNECTION_OK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ADD_FAILURE() << "PostgreSQL does not start";
}

// Its processes are in sessions of their own.
std::vector<pid_t> PostgresServer::processes() const {
  std::vector<pid_t> all{server_};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);  // of one that has just ended, nothing
    const std::size_t after_name = text.rfind(") ");
    if (after_name == std::string::npos) continue;
    const int parent = std::atoi(text.c_str() + after_name + 4);
    if (parent == server_) all.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return all;
}

void PostgresServer::kill9() {
  if (server_ == 0) return;
  ::kill(server_, SIGSTOP);  // it begins no other meanwhile
  const std::vector<pid_t> all = processes();
  for (const pid_t pid : all) ::kill(pid, SIGKILL);
  ::waitpid(server_, nullptr, 0);
  // Whoever starts it again must find none of them. Some test programs inherit its children.
  for (const pid_t pid : all)
    while (::waitpid(pid, nullptr, WNOHANG) == 0 || ::kill(pid, 0) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  server_ = 0;
  fs::remove(folder_ + "/data/postmaster.pid");
}

void PostgresServer::freeze() {
  for (const pid_t pid : processes()) ::kill(pid, SIGSTOP);
}
void PostgresServer::thaw() {
  for (const pid_t pid : processes()) ::kill(pid, SIGCONT);
}

std::string PostgresServer::fresh_database() {
  const std::string name = "test" + std::to_string(++databases_);
  query("postgres", "CREATE DATABASE " + name);
  return name;
}

std::string PostgresServer::address(const std::string& database, const std::string& user) const {
  return "postgresql:///" + database + "?host=" + folder_ + "&user=" + user;
}

std::string PostgresServer::query(const std::string& database, const std::string& sql) const {
  const Connection connection(PQconnectdb(address(database).c_str()));
  PGresult* result = PQexec(connection.get(), sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  EXPECT_TRUE(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
      << sql << ": " << PQresultErrorMessage(result);
  const std::string text =
      PQntuples(result) > 0 ? PQgetvalue(result, PQntuples(result) - 1, 0) : "";
  PQclear(result);
  return text;
}

}  // namespace capsule::test
