#include "gate/rewritten.h"

#include <gtest/gtest.h>

namespace capsule::gate {
namespace {

TEST(RewrittenTests, NameTheWordsThatAreGoneFromTheFilesOfTests) {
  const TextOf text_of = [](const std::string& commit, const std::string& path) {
    if (path == "new_name") return Result<std::string>("def test_kept");
    if (path == "test_added") return Result<std::string>("def test_moved");
    return Result<std::string>(commit == "from" ? "def test_kept test_gone test_moved" : "");
  };
  const auto is_test = [](std::string_view path) { return path.starts_with("test_"); };
  const auto look = [&](const std::vector<Changed>& changes) {
    return *rewritten_tests(changes, "from", "to", is_test, text_of);
  };
  EXPECT_TRUE(look({{'M', "code", ""}, {'A', "test_added", ""}}).files.empty());
  const RewrittenTests moved = look({{'R', "new_name", "test_a"}, {'M', "code", ""}});
  EXPECT_EQ(moved.files, std::vector<std::string>{"test_a"});
  EXPECT_EQ(moved.vanished, (std::vector<std::string>{"test_gone", "test_moved"}));
}

}  // namespace
}  // namespace capsule::gate
