#include "world/parkings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"

namespace capsule::world {
namespace {

using event::Fault;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Parkings : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-parkings-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    folder_ = root_ + "/capsule/providers";
    auto loop = process::Loop::create();
    ASSERT_TRUE(loop);
    loop_ = *std::move(loop);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::vector<std::string> names(std::int64_t now) {
    std::vector<std::string> names;
    for (const Parking& one : read_parkings(folder_, now)) names.push_back(one.provider);
    return names;
  }
  void put(const std::string& file, const std::string& text) {
    ASSERT_TRUE(make_folders(folder_));
    ASSERT_TRUE(write_file(folder_ + "/" + file, text));
  }
  // Turns the loop until something was told.
  void turn() {
    const std::size_t before = told_.size();
    loop_->run_while([&] { return told_.size() == before; });
  }
  std::string root_, folder_;
  std::unique_ptr<process::Loop> loop_;
  std::vector<workflow::SupplyNews> told_;
};

TEST_F(Parkings, AreFoundBelowTheStateFolderAndOnlyBelowAnAbsoluteOne) {
  const auto with = [](const char* state, const char* home) {
    return parkings_folder(
        [=](const char* name) { return std::string_view(name) == "HOME" ? home : state; });
  };
  EXPECT_EQ(with("/s", "/h"), "/s/capsule/providers");
  EXPECT_EQ(with(nullptr, "/h"), "/h/.local/state/capsule/providers");
  EXPECT_EQ(with("relative", "/h"), "/h/.local/state/capsule/providers");
  EXPECT_EQ(with(nullptr, nullptr), "");
}

TEST_F(Parkings, HoldUntilTheirTime) {
  ASSERT_TRUE(
      leave_parking(folder_, {"claude", 1000, true, Fault::usage_limit, "limit\n", 0}, 500));
  ASSERT_TRUE(leave_parking(folder_, {"codex", 0, false, Fault::no_credit, "", 0}, 500));
  EXPECT_THAT(names(999), ElementsAre("claude", "codex"));
  EXPECT_THAT(names(1000), ElementsAre("codex"));
  const Parking read = read_parkings(folder_, 999).front();
  EXPECT_TRUE(read.guessed);
  EXPECT_EQ(read.fault, Fault::usage_limit);
  EXPECT_EQ(read.words, "limit");
  EXPECT_EQ(read.since, 500);
}

TEST_F(Parkings, WhatWasLiftedWhileNobodyCarriedTheRunOnIsToldAtItsStart) {
  ASSERT_TRUE(lift_parking(folder_, "claude", "a person", 500));
  const auto told_since = [&](std::int64_t heard) {
    return ParkingWatch(*loop_, folder_, [] { return std::int64_t{600}; }).standing(heard);
  };
  EXPECT_THAT(told_since(0), IsEmpty()) << "a new run has nothing that could be lifted";
  EXPECT_THAT(told_since(501), IsEmpty()) << "the run lived then, and has heard of it";
  const auto told = told_since(500);
  ASSERT_EQ(told.size(), 1U);
  const auto& news = std::get<workflow::SupplyNews>(told.front());
  EXPECT_EQ(std::get<workflow::FreedElsewhere>(news.what).provider, "claude");
  EXPECT_EQ(std::get<workflow::FreedElsewhere>(news.what).by, "a person");
  // Parked again since.
  ASSERT_TRUE(leave_parking(folder_, {"claude", 0, false, Fault::no_credit, "", 0}, 550));
  const auto parked = told_since(500);
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<workflow::ParkedElsewhere>(
      std::get<workflow::SupplyNews>(parked.front()).what));
}

TEST_F(Parkings, OneThatLastsLongerStays) {
  ASSERT_TRUE(leave_parking(folder_, {"claude", 1000, false, Fault::usage_limit, "", 0}, 1));
  ASSERT_TRUE(leave_parking(folder_, {"claude", 900, true, Fault::usage_limit, "", 0}, 1));
  EXPECT_EQ(read_parkings(folder_, 1).front().until, 1000);
  ASSERT_TRUE(leave_parking(folder_, {"claude", 0, false, Fault::no_credit, "", 0}, 1));
  ASSERT_TRUE(leave_parking(folder_, {"claude", 5000, false, Fault::usage_limit, "", 0}, 1));
  EXPECT_EQ(read_parkings(folder_, 1).front().until, 0);
}

TEST_F(Parkings, WhatMakesNoSenseIsNotThere) {
  const char* good = R"({"until":100,"guessed":false,"fault":"usage_limit","words":"w","since":1})";
  put("good.parked", good);
  put("broken.parked", "{");
  put("list.parked", "[1]");
  put("no-time.parked", R"({"fault":"usage_limit"})");
  put("text-time.parked", R"({"until":"soon","fault":"usage_limit"})");
  put("far.parked", R"({"until":99999999999,"fault":"usage_limit"})");
  put("negative.parked", R"({"until":-5,"fault":"usage_limit"})");
  put("agent.parked", R"({"until":100,"fault":"no_signal"})");
  put("unheard.parked", R"({"until":100,"fault":"bored"})");
  put("-option.parked", good);
  put("huge.parked",
      "{\"until\":100,\"fault\":\"usage_limit\",\"words\":\"" + std::string(100'000, 'x') + "\"}");
  put("escape.parked", R"({"until":100,"fault":"usage_limit","words":"\u001b[2Jx"})");
  ASSERT_TRUE(make_folders(folder_ + "/folder.parked"));
  ASSERT_EQ(::mkfifo((folder_ + "/pipe.parked").c_str(), 0600), 0);
  EXPECT_THAT(names(50), ElementsAre("escape", "good"));
  EXPECT_EQ(read_parkings(folder_, 50).front().words, "\\x1b[2Jx");
  EXPECT_FALSE(leave_parking(folder_, {"../up", 100, false, Fault::usage_limit, "", 0}, 50));
}

TEST_F(Parkings, ARunHearsOfOthersAndNotOfItself) {
  ASSERT_TRUE(leave_parking(folder_, {"codex", 0, false, Fault::no_credit, "w", 0}, 1));
  ParkingWatch watch(*loop_, folder_, [] { return std::int64_t{50}; });
  ASSERT_EQ(watch.standing().size(), 1U);
  watch.follow([this](workflow::SupplyNews news) { told_.push_back(std::move(news)); });
  watch.park({"claude", 100, false, Fault::usage_limit, "w"});
  ASSERT_TRUE(leave_parking(folder_, {"gemini", 200, true, Fault::usage_limit, "g", 0}, 50));
  turn();
  ASSERT_EQ(told_.size(), 1U) << "not of its own";
  const auto& parked = std::get<workflow::ParkedElsewhere>(told_[0].what);
  EXPECT_EQ(parked.provider, "gemini");
  EXPECT_EQ(parked.until, 200);
  EXPECT_TRUE(parked.guessed);
  ASSERT_TRUE(lift_parking(folder_, "codex", "me", 50));
  turn();
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(std::get<workflow::FreedElsewhere>(told_[1].what).provider, "codex");
  EXPECT_EQ(std::get<workflow::FreedElsewhere>(told_[1].what).by, "me");
  watch.unpark("claude");
  ASSERT_TRUE(lift_parking(folder_, "gemini", "me", 50));
  turn();
  ASSERT_EQ(told_.size(), 3U);
  EXPECT_EQ(std::get<workflow::FreedElsewhere>(told_[2].what).provider, "gemini");
  EXPECT_THAT(names(50), IsEmpty());
}

TEST_F(Parkings, LiftingOneThatNobodyWroteIsHeardToo) {
  ParkingWatch watch(*loop_, folder_, [] { return std::int64_t{50}; });
  EXPECT_THAT(watch.standing(), IsEmpty());
  watch.follow([this](workflow::SupplyNews news) { told_.push_back(std::move(news)); });
  ASSERT_TRUE(lift_parking(folder_, "claude", "me", 50));
  turn();
  EXPECT_EQ(std::get<workflow::FreedElsewhere>(told_.at(0).what).provider, "claude");
  ASSERT_TRUE(lift_parking(folder_, "claude", "me", 50));
  turn();
  EXPECT_EQ(told_.size(), 2U) << "in the same second";
}

TEST_F(Parkings, WithoutAPlaceNothingIsShared) {
  ParkingWatch watch(*loop_, "", [] { return std::int64_t{50}; });
  EXPECT_THAT(watch.standing(), IsEmpty());
  watch.park({"claude", 100, false, Fault::usage_limit, "w"});
  watch.unpark("claude");
  EXPECT_THAT(read_parkings("", 50), IsEmpty());
}

}  // namespace
}  // namespace capsule::world
