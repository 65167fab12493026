#include "gate/report_run.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace capsule::gate {
namespace {

namespace fs = std::filesystem;

// A folder for temporary files of its own.
class ReportFolders : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path().string() + "/report-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    parent_ = name;
    const char* held = ::getenv("TMPDIR");
    held_ = held == nullptr ? "" : held;
    ::setenv("TMPDIR", parent_.c_str(), 1);
  }
  void TearDown() override {
    held_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", held_.c_str(), 1);
    fs::remove_all(parent_);
  }
  std::size_t folders() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(parent_), fs::directory_iterator()));
  }
  std::string parent_, held_;
};

TEST_F(ReportFolders, OfAKilledProcessAreSweptAndThoseOfALiveOneStay) {
  const auto live = ReportRun::prepare({{"pytest"}, ""}, "auto", parent_ + "/none", "");
  ASSERT_TRUE(live);
  const pid_t child = ::fork();
  if (child == 0) {
    // Ends without a destructor, as a process that is killed does.
    const auto left = ReportRun::prepare({{"pytest"}, ""}, "auto", parent_ + "/none", "");
    ::_exit(left ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  fs::create_directories(parent_ + "/capsule-report-young");
  fs::create_directories(parent_ + "/somebody-elses");
  EXPECT_EQ(folders(), 4U);
  sweep_private_folders();
  EXPECT_EQ(folders(), 3U) << "that of the process that is gone, and no other";
}

}  // namespace
}  // namespace capsule::gate
