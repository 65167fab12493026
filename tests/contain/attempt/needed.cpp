// What any agent and any test suite needs. These must work: each prints "works" at its end.
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/contain/attempt/attempt.h"

namespace attempt {
namespace {

void works_if(bool good) { say(good ? "works\n" : "does not work\n"); }

void commit() {
  works_if(run({"git", "status", "--short"}) == 0 &&
           run({"sh", "-c", "echo more >>a01.txt"}) == 0 && run({"git", "add", "a01.txt"}) == 0 &&
           run({"git", "-c", "user.name=a", "-c", "user.email=a@lab", "commit", "-q", "-m",
                "a01"}) == 0 &&
           run({"git", "log", "-1", "--format=%s"}) == 0);
}

void look() {
  works_if(run({"git", "status", "--short"}) == 0 &&
           run({"git", "log", "-1", "--format=%s"}) == 0 &&
           run({"git", "diff", "HEAD~1", "--stat"}) == 0);
}

void loopback() {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(3000);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (answer("bind", bind(server, reinterpret_cast<sockaddr*>(&here), sizeof here)) < 0)
    return works_if(false);
  if (answer("listen", listen(server, 8)) < 0) return works_if(false);
  if (fork() == 0) {
    const int client = accept(server, nullptr, nullptr);
    _exit(write(client, "hello", 5) == 5 ? 0 : 1);
  }
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  char text[6] = {};
  const bool got =
      answer("connect", connect(fd, reinterpret_cast<sockaddr*>(&here), sizeof here)) == 0 &&
      recv(fd, text, 5, MSG_WAITALL) == 5;
  wait(nullptr);
  works_if(got && std::strcmp(text, "hello") == 0);
}

void temporary_files() {
  char name[] = "/tmp/a03-XXXXXX";
  const int fd = mkstemp(name);
  const char* given = getenv("HOME");
  const bool kept =
      given && chdir(given) == 0 && run({"sh", "-c", "echo x >a03-home && cat a03-home"}) == 0;
  works_if(answer("mkstemp", fd) >= 0 && write(fd, "x", 1) == 1 && unlink(name) == 0 && kept &&
           run({"sh", "-c", "echo x >/dev/null && head -c 4 /dev/urandom >/dev/null"}) == 0);
}

void renames() {
  mkdir("a04-one", 0755);
  mkdir("a04-two", 0755);
  works_if(run({"sh", "-c",
                "echo x >a04-one/f && mv a04-one/f a04-two/f && ln a04-two/f a04-two/g && "
                "chmod 700 a04-two/g && rm -r a04-one a04-two"}) == 0);
}

void semaphores() {
  sem_t* named = sem_open("/a05", O_CREAT, 0600, 1);
  const int set = semget(IPC_PRIVATE, 1, 0600);
  const bool good = named != SEM_FAILED && sem_wait(named) == 0 && sem_post(named) == 0 && set >= 0;
  answer("semget", set);
  if (set >= 0) semctl(set, 0, IPC_RMID);
  sem_unlink("/a05");
  works_if(good);
}

void socket_file() {
  sockaddr_un here{};
  here.sun_family = AF_UNIX;
  std::strcpy(here.sun_path, "/tmp/a06.sock");
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  works_if(answer("bind", bind(server, reinterpret_cast<sockaddr*>(&here), sizeof here)) == 0 &&
           listen(server, 1) == 0 &&
           answer("connect", connect(socket(AF_UNIX, SOCK_STREAM, 0),
                                     reinterpret_cast<sockaddr*>(&here), sizeof here)) == 0);
}

void python() {
  works_if(run({"/usr/bin/python3", "-c", R"PY(
import http.server, multiprocessing, os, sqlite3, subprocess, tempfile, threading, urllib.request
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
assert opener.open("http://127.0.0.1:%d/README.md" % server.server_port).status == 200
with multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
base = sqlite3.connect(os.path.join(tempfile.mkdtemp(), "a.db"))
base.execute("pragma journal_mode=wal"); base.execute("create table t(x)"); base.execute("insert into t values(1)")
base.commit(); assert base.execute("select x from t").fetchall() == [(1,)]
assert subprocess.run(["sh", "-c", "exit 3"]).returncode == 3
)PY"}) == 0);
}

}  // namespace

Attempts needed() {
  return {
      {"A01", "git commit", commit},
      {"A08", "git status, log and diff", look},
      {"A02", "a server on loopback, on a port that others use too", loopback},
      {"A03", "temporary files, a home and devices", temporary_files},
      {"A04", "renames, links and modes in the worktree", renames},
      {"A05", "semaphores of both kinds", semaphores},
      {"A06", "a socket file of its own", socket_file},
      {"A09", "an allowed host behind the proxy", [] { works_if(proxy_reaches_allowed()); }},
      {"A10", "the same after hundreds of connections that say little",
       [] { works_if(proxy_outlasts_crowd()); }},
      {"A07", "python: HTTP server, pool of processes, SQLite with a write-ahead log", python},
  };
}

}  // namespace attempt
