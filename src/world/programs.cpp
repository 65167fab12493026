#include "world/programs.h"

#include <fcntl.h>

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "process/command.h"
#include "world/assets.h"

namespace capsule::world {
namespace {

// Debian's packages of programs that test commands use.
struct Package {
  std::string_view program, package;
};
constexpr Package kPackages[] = {{"go", "golang-go"},    {"npm", "npm"},     {"node", "nodejs"},
                                 {"python3", "python3"}, {"cargo", "cargo"}, {"cmake", "cmake"},
                                 {"make", "make"},       {"git", "git"},     {"ctest", "cmake"}};

Result<std::string> on_own_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  return process::find_program(program, path != nullptr ? path : "", AT_FDCWD);
}

}  // namespace

bool on_path(std::string_view program) { return on_own_path(program).has_value(); }

std::string own_word() {
  const auto found = on_own_path("capsule");
  const auto real = found ? real_path(*found) : found;
  return real && *real == own_program() ? "capsule" : shell_word(own_program());
}

std::string installed_by(std::string_view program) {
  for (const Package& row : kPackages)
    if (row.program == program) return "apt-get install " + std::string(row.package);
  return {};
}

Result<void> check_test_program(const config::Config& config) {
  const auto& test = config.verify.test;
  if (!test || test->argv.empty()) return {};
  const std::string& program = test->argv.front();
  if (program.find('/') != program.npos || on_path(program)) return {};
  const std::string how = installed_by(program);
  return fail(Reason::missing_program,
              "the test command's " + printable(program) + " is not installed",
              (how.empty() ? "install it" : how) + ", or change verify.test (capsule config show)");
}

}  // namespace capsule::world
