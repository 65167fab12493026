#include "gate/telltale.h"

#include <gtest/gtest.h>

#include "gate/gates.h"

namespace capsule::gate {
namespace {

TEST(Telltales, AreWordsThatOnlyCodeNeedsWhichLooksAtItsTests) {
  std::map<std::string, std::string> texts{
      {"to:calc.py", "if 'PYTEST_CURRENT_TEST' in os.environ: return 12"},
      {"to:calc.go", "import \"testing\""},
      {"to:same.py", "import pytest, os"},
      {"from:same.py", "import pytest"},
      {"to:names.js", "print('test_negative')"},
      {"to:README.md", "run pytest"},
      {"to:test_x.py", "import unittest"},
      {"to:plain.py", "latest = contest(testing)"}};
  const TestReport tests{{{"test_calc.TestAdd::test_negative", TestState::passed}}};
  const auto look = [&](const std::string& path, char status = 'M') {
    return *telltales_in(
        {{status, path, ""}}, "from", "to",
        [](std::string_view file) { return is_test_file(file, {}); },
        [&](const std::string& commit, const std::string& file) {
          return Result<std::string>(texts[commit + ":" + file]);
        },
        &tests);
  };
  using Told = std::vector<std::string>;
  EXPECT_EQ(look("calc.py"), Told{"calc.py: PYTEST_CURRENT_TEST"});
  EXPECT_EQ(look("calc.go", 'A'), Told{"calc.go: \"testing\""});
  EXPECT_EQ(look("names.js"), Told{"names.js: test_negative"});
  for (const char* quiet : {"same.py", "README.md", "test_x.py", "plain.py"})
    EXPECT_EQ(look(quiet), Told{}) << quiet;
}

}  // namespace
}  // namespace capsule::gate
