// The tests of other people's projects inside walls, with their own runners: servers, workers,
// semaphores and SQLite, for who writes, who judges and checks. Where a runner is not there, its
// test is left out with a line that says so.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "tests/program/harness.h"

namespace capsule::test {
namespace {

constexpr const char* kPython =
    R"PY(import http.server, multiprocessing, os, socket, sqlite3, threading, urllib.request

def square(x):
    return x * x

def test_workers_share_a_pool_and_a_semaphore():
    lock = multiprocessing.Semaphore(2)
    with lock, multiprocessing.Pool(2) as pool:
        assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]

def test_a_server_answers_its_own_client():
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/" % server.server_port
    assert urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url).status == 200
    server.shutdown()

def test_a_socket_file(tmp_path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s"))
    listener.listen()
    socket.socket(socket.AF_UNIX).connect(str(tmp_path / "s"))

def test_sqlite_with_a_shared_log():
    base = sqlite3.connect("in the folder.db")
    assert base.execute("pragma journal_mode=wal").fetchone() == ("wal",)
    base.execute("create table t (x)")
    base.commit()
    assert os.path.exists("in the folder.db-shm")
)PY";

constexpr const char* kNode = R"JS(const test = require('node:test');
const assert = require('node:assert');
const http = require('node:http');
const { Worker } = require('node:worker_threads');
const { execFileSync } = require('node:child_process');

test('a server answers its own client', async () => {
  const server = http.createServer((_, answer) => answer.end('here')).listen(3000, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  assert.equal(await (await fetch('http://127.0.0.1:3000/')).text(), 'here');
  server.closeAllConnections();
  server.close();
});
test('a worker and a child process', async () => {
  const worker = new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
  assert.equal(await new Promise((done) => worker.once('message', done)), 42);
  assert.equal(execFileSync('sh', ['-c', 'echo child']).toString(), 'child\n');
});
)JS";

constexpr const char* kGo = R"GO(package inside

import (
	"net"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestServers(t *testing.T) {
	for network, at := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		listener, err := net.Listen(network, at)
		if err != nil {
			t.Fatal(err)
		}
		go listener.Accept()
		if _, err := net.Dial(network, listener.Addr().String()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestChild(t *testing.T) {
	if out, err := exec.Command("echo", "child").Output(); err != nil || string(out) != "child\n" {
		t.Fatal(string(out), err)
	}
}
)GO";

class ToolsInside : public ProgramTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // Whether the runner is on this machine at all, outside.
  bool has(const std::string& command) const { return shell(command).exit_code == 0; }
  Outcome shell(const std::string& text) const {
    return call({.args = {"-c", text}, .program = "sh"});
  }
  Outcome inside(const std::vector<std::string>& command) const {
    std::vector<std::string> args{"contain", "--preset=strict", std::string("--role=") + GetParam(),
                                  "--"};
    args.insert(args.end(), command.begin(), command.end());
    return call({.args = args, .cwd = path("work")});
  }
};

INSTANTIATE_TEST_SUITE_P(As, ToolsInside, ::testing::Values("writer", "reviewer", "gate"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(ToolsInside, Pytest) {
  if (!has("python3 -m pytest --version")) GTEST_SKIP() << "pytest is not installed";
  write_file(path("work/test_all.py"), kPython);
  const Outcome outcome = inside({"python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "4 passed");
}

TEST_P(ToolsInside, NpmTest) {
  if (!has("npm --version && node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'"))
    GTEST_SKIP() << "npm with Node.js 18 is not installed";
  write_file(path("work/package.json"), R"({"scripts": {"test": "node --test"}})");
  write_file(path("work/all.test.js"), kNode);
  const Outcome outcome = inside({"npm", "test"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "pass 2");
}

// Without its cache the first run compiles for half a minute.
TEST_P(ToolsInside, GoTest) {
  if (std::getenv("CAPSULE_TEST_FULL") == nullptr) GTEST_SKIP() << "with CAPSULE_TEST_FULL=1";
  if (!has("go version")) GTEST_SKIP() << "go is not installed";
  write_file(path("work/go.mod"), "module example.com/inside\n\ngo 1.20\n");
  write_file(path("work/all_test.go"), kGo);
  const Outcome outcome = inside({"go", "test", "-vet=off", "./..."});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "ok ");
}

}  // namespace
}  // namespace capsule::test
