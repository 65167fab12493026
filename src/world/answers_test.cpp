#include "world/answers.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"

namespace capsule::world {
namespace {

class Answers : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-answers-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  AnswersFile file(const std::string& text) {
    EXPECT_TRUE(write_file(root_ + "/answers", text));
    auto read = AnswersFile::read(root_ + "/answers");
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read.value_or(AnswersFile());
  }
  std::string root_;
};

TEST_F(Answers, TheFirstOneWins) {
  ASSERT_TRUE(leave_answer(root_, "run-1", 3, "blue"));
  const auto second = leave_answer(root_, "run-1", 3, "red");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason, Reason::exists);
  EXPECT_EQ(pending_answer(root_, "run-1", 3), "blue");
  EXPECT_EQ(pending_answer(root_, "run-1", 4), std::nullopt);
  EXPECT_EQ(pending_answer(root_, "run-2", 3), std::nullopt);
}

TEST_F(Answers, KeysAreQuestionsTasksOrAStar) {
  AnswersFile answers = file("# a remark\n2: by number\nT-1: by task\n*: any\n");
  EXPECT_EQ(answers.answer(1, "T-1"), "by task");
  EXPECT_EQ(answers.answer(2, "T-1"), "by number");
  EXPECT_EQ(answers.answer(3, "T-9"), "any");
  EXPECT_EQ(answers.answer(4, ""), "any");
}

TEST_F(Answers, LinesWithoutAKeyAreUsedInTheirOrderAndOnce) {
  AnswersFile answers = file("the first, with a comma\r\nthe second\n");
  EXPECT_EQ(answers.answer(1, "T-1"), "the first, with a comma");
  EXPECT_EQ(answers.answer(2, "T-2"), "the second");
  EXPECT_EQ(answers.answer(3, "T-3"), std::nullopt);
  EXPECT_EQ(answers.answer(1, "T-1"), "the first, with a comma") << "asked again after a crash";
}

TEST_F(Answers, AJsonObjectDoesToo) {
  AnswersFile answers = file(R"({"T-1": ["one", "two"], "*": "any"})");
  EXPECT_EQ(answers.answer(1, "T-1"), "one");
  EXPECT_EQ(answers.answer(2, "T-1"), "two");
  EXPECT_EQ(answers.answer(3, "T-2"), "any");
  ASSERT_TRUE(write_file(root_ + "/answers", "{\"broken"));
  EXPECT_FALSE(AnswersFile::read(root_ + "/answers"));
}

}  // namespace
}  // namespace capsule::world
