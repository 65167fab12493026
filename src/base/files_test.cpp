#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace capsule {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "capsule-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string root_;
};

TEST_F(Files, AWrittenFileIsReadBackAndReplacesTheOldOne) {
  const std::string path = root_ + "/a b\nc";
  ASSERT_TRUE(write_file(path, "one").has_value());
  ASSERT_TRUE(write_file(path, std::string("two\0x", 5)).has_value());
  EXPECT_EQ(read_file(path).value(), std::string("two\0x", 5));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_), {}), 1)
      << "nothing is left aside";
}

TEST_F(Files, AReplacedFileIsReadBackAndNothingStaysBesideIt) {
  const std::string path = root_ + "/a";
  ASSERT_TRUE(replace_file(path, "one").has_value());
  ASSERT_TRUE(replace_file(path, "two").has_value());
  EXPECT_EQ(read_file(path).value(), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_), {}), 1);
}

TEST_F(Files, AFolderIsNeverReplacedByAFile) {
  std::filesystem::create_directories(root_ + "/folder/inner");
  EXPECT_FALSE(replace_file(root_ + "/folder", "x").has_value());
  EXPECT_FALSE(write_file(root_ + "/folder", "x").has_value());
  EXPECT_TRUE(is_folder(root_ + "/folder/inner"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_), {}), 1);
}

TEST_F(Files, AMissingFileIsNotFoundAndAFolderIsRefused) {
  EXPECT_EQ(read_file(root_ + "/none").error().reason, Reason::not_found);
  EXPECT_EQ(read_file(root_).error().reason, Reason::refused);
}

TEST_F(Files, AFileOverTheLimitIsRefused) {
  ASSERT_TRUE(write_file(root_ + "/big", std::string(11, 'x')).has_value());
  EXPECT_EQ(read_file(root_ + "/big", 10).error().reason, Reason::refused);
  EXPECT_EQ(read_file(root_ + "/big", 11).value().size(), 11U);
}

TEST_F(Files, APipeIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_file(root_ + "/pipe").has_value());
  EXPECT_FALSE(open_beneath(root_, "pipe", O_RDONLY).has_value());
}

TEST_F(Files, NothingBeneathARootLeadsOutOfIt) {
  ASSERT_TRUE(make_folders(root_ + "/in").has_value());
  ASSERT_TRUE(write_file(root_ + "/secret", "s").has_value());
  std::filesystem::create_symlink("../secret", root_ + "/in/link");
  std::filesystem::create_directory_symlink("..", root_ + "/in/up");
  const std::string in = root_ + "/in";
  EXPECT_FALSE(read_file_beneath(in, "link").has_value());
  EXPECT_FALSE(read_file_beneath(in, "up/secret").has_value());
  EXPECT_FALSE(read_file_beneath(in, "../secret").has_value());
  EXPECT_FALSE(make_folders_beneath(in, "up/x").has_value());
  EXPECT_FALSE(make_folders_beneath(in, "a/../../x").has_value());
  EXPECT_FALSE(open_beneath(in, "link", O_WRONLY | O_CREAT).has_value());
  EXPECT_EQ(read_file(root_ + "/secret").value(), "s");
  EXPECT_FALSE(exists(root_ + "/x"));
}

TEST_F(Files, FoldersBeneathARootAreMadeOnce) {
  EXPECT_TRUE(make_folders_beneath(root_, "a/b/c").has_value());
  EXPECT_TRUE(make_folders_beneath(root_, "a/b/c").has_value());
  EXPECT_TRUE(is_folder(root_ + "/a/b/c"));
}

TEST_F(Files, AbsolutePathsHaveNoDotsAndNoSlashAtTheEnd) {
  EXPECT_EQ(absolute_path("/a/./b/../c/"), "/a/c");
  EXPECT_EQ(absolute_path("/"), "/");
  EXPECT_EQ(absolute_path(""), std::filesystem::current_path().string());
}

}  // namespace
}  // namespace capsule
