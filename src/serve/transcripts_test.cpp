#include "serve/transcripts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files.h"

namespace capsule::serve {
namespace {

class TranscriptsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_folders(folder_)); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void prints(std::string_view bytes, const std::string& name = "1-developer.log") {
    std::ofstream(folder_ + "/" + name, std::ios::app) << bytes;
  }
  // As a page does: from where it was left, until there is no more.
  std::string rest(bool at_work, const std::vector<std::string>& names = {"1-developer.log"}) {
    Transcripts::Stream stream{"r1/1", {}, at_work};
    for (const std::string& name : names) stream.files.push_back({folder_, name, "developer", 1});
    std::string all;
    for (;;) {
      const auto piece = transcripts_.piece(stream, next_);
      if (!piece) return "error: " + piece.error().message;
      const auto json = nlohmann::json::parse(*piece);
      EXPECT_EQ(json.at("from"), next_);
      all += json.at("text").get<std::string>();
      next_ = json.at("next");
      if (next_ == json.at("size")) return all;
    }
  }
  std::string folder_ = ::testing::TempDir() + "capsule-transcripts-" + random_hex(6);
  Transcripts transcripts_;
  std::uint64_t next_ = 0;
};

TEST_F(TranscriptsTest, NothingIsNotFound) {
  EXPECT_EQ(rest(true), "error: nothing was printed, or it was cleared away");
  prints("");
  EXPECT_EQ(rest(true), "");
}

TEST_F(TranscriptsTest, WhatIsAddedFollowsWhatWasTold) {
  prints("I read\nand ");
  EXPECT_EQ(rest(true), "I read\n") << "it may become an event";
  prints("write\n");
  EXPECT_EQ(rest(true), "and write\n");
  prints("done");
  EXPECT_EQ(rest(false), "done");
  next_ = 0;
  EXPECT_EQ(rest(false), "I read\nand write\ndone");
}

TEST_F(TranscriptsTest, StreamsThatAreAskedForInTurnAreReadOnNotAnew) {
  const auto text_of = [&](const std::string& name, bool at_work = true) {
    const Transcripts::Stream stream{name, {{folder_, name, "developer", 1}}, at_work};
    const auto piece = transcripts_.piece(stream, 0);
    return piece ? nlohmann::json::parse(*piece).at("text").get<std::string>() : "gone";
  };
  prints("out\n", "1-developer.log");
  prints("err\n", "1-developer.log.stderr");
  EXPECT_EQ(text_of("1-developer.log"), "out\n");
  EXPECT_EQ(text_of("1-developer.log.stderr"), "err\n");
  std::filesystem::remove(folder_ + "/1-developer.log");
  EXPECT_EQ(text_of("1-developer.log"), "out\n") << "as it was read";
  EXPECT_EQ(text_of("1-developer.log", false), "out\n");
  EXPECT_EQ(text_of("1-developer.log"), "gone") << "what is told to its end is not kept";
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    prints(name + "\n", name);
    EXPECT_EQ(text_of(name), name + "\n");
  }
  EXPECT_EQ(transcripts_.kept(), 4U);
}

TEST_F(TranscriptsTest, TheHalfOfACharacterWaitsForTheOther) {
  for (int i = 0; i < 60; ++i) prints("a line\n");
  prints("gr\xC3");
  EXPECT_TRUE(rest(true).ends_with("a line\ngr"));
  prints("\xBCn");
  EXPECT_EQ(rest(true), "ün");
}

TEST_F(TranscriptsTest, TheBeginningOfAnEventIsNotTakenForText) {
  const std::string event = R"({"type":"assistant","message":{"id":"m","model":"opus","content":[)"
                            R"({"type":"text","text":"I shall see\n"}]}})";
  prints("{\"type\":\"system\",\"subtype\":\"init\",\"model\":\"opus\"}\n" + event.substr(0, 20));
  EXPECT_EQ(rest(true).find("\"type\""), std::string::npos);
  prints(event.substr(20) + "\n");
  const std::string told = rest(true);
  EXPECT_NE(told.find("I shall see"), std::string::npos) << told;
  EXPECT_EQ(told.find("\"type\""), std::string::npos) << told;
  prints(event.substr(0, 20));
  EXPECT_EQ(rest(true).find("\"type\""), std::string::npos);
}

// An agent whose service failed has one log for each time it was called.
TEST_F(TranscriptsTest, SeveralLogsFollowEachOther) {
  prints("first\n");
  EXPECT_EQ(rest(true), "first\n");
  prints("second\n", "1-developer.2.log");
  EXPECT_EQ(rest(true, {"1-developer.log", "1-developer.2.log"}), "second\n");
}

TEST_F(TranscriptsTest, AFloodIsToldToItsEnd) {
  const std::string line(1023, 'x');
  std::string much;
  for (int i = 0; i < 1024; ++i) much += line + "\n";
  for (int i = 0; i < 33; ++i) prints(much);
  prints("the end\n");
  next_ = 33 * much.size();
  EXPECT_EQ(rest(false), "the end\n");
}

}  // namespace
}  // namespace capsule::serve
