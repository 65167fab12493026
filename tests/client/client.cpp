#include "tests/client/client.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

extern char** environ;  // NOLINT: POSIX gives it no header

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// Once a test program: which version of the client is driven and where it is, or why not. ctest has
// these tests twice, with the oldest version that is tested and with the newest.
struct Installed {
  std::string version, program, why_not;
};
const Installed& installed() {
  static const Installed found = [] {
    const Outcome outcome =
        run({.args = {"--where"}, .program = CAPSULE_SOURCE_DIR "/tests/client/install"});
    const std::vector<std::string> lines = lines_of(outcome.out);
    if (outcome.exit_code != 0 || lines.empty()) return Installed{"", "", outcome.err};
    const bool newest = std::getenv("CAPSULE_TEST_NEWEST") != nullptr;
    const std::string& line = newest ? lines.back() : lines.front();
    const std::size_t blank = line.find(' ');
    return Installed{line.substr(0, blank), line.substr(blank + 1), ""};
  }();
  return found;
}

// What would reach the client from the caller: its own settings, and proxies.
bool concerns_client(std::string_view name) {
  for (const std::string_view prefix : {"ANTHROPIC_", "CLAUDE", "DISABLE_", "OTEL_"})
    if (name.starts_with(prefix)) return true;
  for (const std::string_view proxy :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    if (name == proxy) return true;
  return name == "IS_SANDBOX";
}

}  // namespace

std::string signal_text(const std::string& status, const std::string& feedback,
                        const std::string& files) {
  const nlohmann::json signal{{"status", status},
                              {"feedback", feedback},
                              {"files_changed", nlohmann::json::array()},
                              {"summary", "did it"}};
  std::string text = signal.dump();
  if (!files.empty()) text.replace(text.find("[]"), 2, "[" + files + "]");
  return "Here is what I did — all of it.\n\n" + text;
}

std::string completion(const std::string& signal) {
  return "That is it.\n\n---\nSIGNAL: " + signal +
         "\nSTATUS: complete\nTIMESTAMP: 2026-01-31T23:59:59Z\n---";
}

void ClientTest::SetUp() {
  ProjectTest::SetUp();
  if (!installed().why_not.empty()) GTEST_SKIP() << installed().why_not;
  fs::remove(path("bin/claude"));
  fs::create_symlink(installed().program, path("bin/claude"));
  fs::create_directories(path("tmp"));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (concerns_client(name)) env().insert_or_assign(std::string(name), std::nullopt);
  }
  env().insert_or_assign("ANTHROPIC_BASE_URL", model_.url());
  env().insert_or_assign("ANTHROPIC_API_KEY", "dummy");
  env().insert_or_assign("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
  env().insert_or_assign("SHELL", "/bin/bash");  // for its tool, whatever else is installed
  env().insert_or_assign("TMPDIR", path("tmp"));
  if (geteuid() == 0) env().insert_or_assign("IS_SANDBOX", "1");
  make_project(Way::binary);
}

void ClientTest::TearDown() {
  EXPECT_THAT(script_.surprises(), ::testing::IsEmpty());
  if (IsSkipped()) has_repository_ = false;
  ProjectTest::TearDown();
}

const std::string& ClientTest::version() { return installed().version; }

Outcome ClientTest::client(std::vector<std::string> args, std::string input) const {
  Call call = calling("", {});
  call.program = path("bin/claude");
  call.args = std::move(args);
  call.input = std::move(input);
  return run(call);
}

void ClientTest::install_hook() {
  const Outcome installed = command("hook", {"install", "--project"});
  ASSERT_EQ(installed.exit_code, 0) << installed.err;
  git_out({"add", "-f", ".claude"});
  git_out({"commit", "-q", "-m", "Use the hook"});
}

}  // namespace capsule::test
