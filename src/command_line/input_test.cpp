#include "command_line/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace capsule::command_line {
namespace {

class InputTest : public ::testing::Test {
 protected:
  InputTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "input-XXXXXX").string();
    dir_ = mkdtemp(pattern.data());
  }
  ~InputTest() override { std::filesystem::remove_all(dir_); }
  std::string file(std::string_view text) const {
    std::string path = dir_ + "/file";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string fifo_with(std::string text) {
    std::string path = dir_ + "/fifo";
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    writer_ = std::jthread(
        [path, text = std::move(text)] { std::ofstream(path, std::ios::binary) << text; });
    return path;
  }
  std::string dir_;
  std::jthread writer_;
};

std::string all_chunks(Input& input) {
  std::string text;
  for (;;) {
    const auto chunk = input.next_chunk();
    EXPECT_TRUE(chunk.has_value());
    if (!chunk || chunk->empty()) return text;
    text += *chunk;
  }
}

std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(InputTest, AFileIsReadInChunksOrWhole) {
  const std::string path = file(long_text());
  auto chunks = Input::open(path);
  ASSERT_TRUE(chunks.has_value());
  EXPECT_EQ(all_chunks(*chunks), long_text());
  auto whole = Input::open(path);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->whole().value(), long_text());
}

TEST_F(InputTest, APipeIsReadInChunks) {
  auto input = Input::open(fifo_with(long_text()));
  ASSERT_TRUE(input.has_value());
  EXPECT_EQ(all_chunks(*input), long_text());
}

TEST_F(InputTest, APipeIsReadWhole) {
  auto input = Input::open(fifo_with(long_text()));
  ASSERT_TRUE(input.has_value());
  EXPECT_EQ(input->whole().value(), long_text());
}

TEST_F(InputTest, AnEmptyFileAndAnEmptyPipeAreEmpty) {
  auto empty_file = Input::open(file(""));
  EXPECT_EQ(empty_file.value().whole().value(), "");
  auto empty_pipe = Input::open(fifo_with(""));
  EXPECT_EQ(empty_pipe.value().whole().value(), "");
}

TEST_F(InputTest, AFileThatClaimsToBeEmptyIsReadAllTheSame) {
  auto input = Input::open("/proc/self/status");
  EXPECT_NE(input.value().whole().value().find("Pid:"), std::string_view::npos);
}

TEST_F(InputTest, StdinIsReadFromWhereItStands) {
  const int saved = dup(0);
  const int fd = open(file(long_text()).c_str(), O_RDONLY | O_CLOEXEC);
  lseek(fd, 5001, SEEK_SET);
  dup2(fd, 0);
  EXPECT_EQ(Input::standard_input().whole().value(), long_text().substr(5001));
  auto dash = Input::open("-");
  EXPECT_EQ(all_chunks(dash.value()), long_text().substr(5001));
  dup2(saved, 0);
  close(saved);
  close(fd);
}

TEST_F(InputTest, WhatCannotBeReadSaysWhy) {
  EXPECT_EQ(Input::open(dir_ + "/none").error().reason, Reason::not_found);
  EXPECT_EQ(Input::open("").error().reason, Reason::not_found);
  EXPECT_EQ(Input::open(dir_).error().reason, Reason::refused);
}

}  // namespace
}  // namespace capsule::command_line
