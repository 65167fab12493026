#include "workspace/archive.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"

namespace capsule::workspace {
namespace {

namespace fs = std::filesystem;

class Archive : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-archive-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    worktree_ = root_ + "/worktree";
    folder_ = root_ + "/logs/bead";
    write(worktree_ + "/worklog.md", "the worklog");
    write(worktree_ + "/.capsule/output/a.log", "a");
  }
  void TearDown() override { fs::remove_all(root_); }
  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    ASSERT_TRUE(write_file(path, text));
  }
  std::string kept(const std::string& name) const {
    return read_file(folder_ + "/" + name).value_or("(missing)");
  }
  std::string root_, worktree_, folder_;
};

TEST_F(Archive, HoldsTheWorklogAndEveryLog) {
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  EXPECT_EQ(kept("worklog.md"), "the worklog");
  EXPECT_EQ(kept("a.log"), "a");
}

TEST_F(Archive, IsSafeToRepeat) {
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  write(worktree_ + "/.capsule/output/b.log", "b");
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  EXPECT_EQ(kept("a.log"), "a");
  EXPECT_EQ(kept("b.log"), "b");
}

TEST_F(Archive, AnEarlierRunMovesToAFolderOfItsName) {
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  write(worktree_ + "/worklog.md", "the second");
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-2"));
  EXPECT_EQ(archive_of(folder_, "run-2"), folder_);
  EXPECT_EQ(archive_of(folder_, "run-1"), folder_ + "/run-1");
  EXPECT_EQ(archive_of(folder_, "run-3"), "");
  EXPECT_EQ(kept("worklog.md"), "the second");
  EXPECT_EQ(kept("run-1/worklog.md"), "the worklog");
  EXPECT_EQ(kept("run-1/a.log"), "a");
}

// Killed while the name of the run was written aside.
TEST_F(Archive, ACutOffBeforeTheFirstFileLeavesNoEarlierRun) {
  write(folder_ + "/run-id.new", "run");
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  EXPECT_EQ(kept("run-id"), "run-1\n");
  EXPECT_FALSE(fs::exists(folder_ + "/earlier"));
}

TEST_F(Archive, ACutOffWhileAnEarlierRunMovesIsGoneOnWith) {
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  fs::create_directories(folder_ + "/run-1");
  fs::rename(folder_ + "/a.log", folder_ + "/run-1/a.log");
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-2"));
  EXPECT_EQ(kept("run-1/a.log"), "a");
  EXPECT_EQ(kept("run-1/worklog.md"), "the worklog");
  EXPECT_EQ(kept("run-1/run-id"), "run-1\n");
  EXPECT_FALSE(fs::exists(folder_ + "/run-1-2"));
}

TEST_F(Archive, FilesOfNoKnownRunOverwriteNothing) {
  write(folder_ + "/worklog.md", "by hand");
  write(folder_ + "/earlier/worklog.md", "by hand before");
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  EXPECT_EQ(kept("earlier/worklog.md"), "by hand before");
  EXPECT_EQ(kept("earlier-2/worklog.md"), "by hand");
}

TEST_F(Archive, LinksAndPipesAreLeftOutAndPlantedNamesReplaceNothing) {
  write(root_ + "/secret", "secret");
  const std::string output = worktree_ + "/.capsule/output";
  fs::create_symlink(root_ + "/secret", output + "/link.log");
  ASSERT_EQ(::mkfifo((output + "/pipe.log").c_str(), 0600), 0);
  write(output + "/worklog.md", "forged");
  write(output + "/run-id", "forged");
  ASSERT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
  EXPECT_EQ(kept("link.log"), "(missing)");
  EXPECT_EQ(kept("pipe.log"), "(missing)");
  EXPECT_EQ(kept("worklog.md"), "the worklog");
  EXPECT_EQ(kept("run-id"), "run-1\n");
  EXPECT_EQ(kept("output-worklog.md"), "forged");
}

TEST_F(Archive, AWorktreeWithoutAnythingIsNoError) {
  fs::remove_all(worktree_);
  fs::create_directories(worktree_);
  EXPECT_TRUE(archive_worktree(worktree_, folder_, "run-1"));
}

}  // namespace
}  // namespace capsule::workspace
