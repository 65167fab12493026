#include "world/run_requests.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"
#include "world/requests.h"

namespace capsule::world {
namespace {

using workflow::Stop;

class Requests : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-requests-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    auto loop = process::Loop::create();
    ASSERT_TRUE(loop);
    loop_ = *std::move(loop);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void tell(const std::string& id) {
    ASSERT_TRUE(leave_message(root_, "r1", {id, "", "use tabs", "sam", false}));
  }
  std::string root_;
  std::unique_ptr<process::Loop> loop_;
};

TEST_F(Requests, AStopIsToldOnceAndAnAbortAlsoAfterAPause) {
  RunRequests requests(*loop_, root_, "r1");
  EXPECT_FALSE(requests.new_stop(false));
  ASSERT_TRUE(leave_request(root_, "r1", Request::pause));
  EXPECT_EQ(requests.new_stop(false), Stop::paused);
  EXPECT_FALSE(requests.new_stop(false));
  EXPECT_FALSE(requests.ends());
  ASSERT_TRUE(leave_request(root_, "r1", Request::abort));
  EXPECT_EQ(requests.new_stop(false), Stop::aborted);
  EXPECT_TRUE(requests.ends());
  EXPECT_FALSE(requests.new_stop(false));
  EXPECT_FALSE(requests.new_stop(true)) << "it ends already";
}

TEST_F(Requests, AnAbortThatAlsoKnockedIsAnAbort) {
  RunRequests requests(*loop_, root_, "r1");
  ASSERT_TRUE(leave_request(root_, "r1", Request::abort));
  EXPECT_EQ(requests.new_stop(true), Stop::aborted);
}

TEST_F(Requests, CtrlCIsHeardAfterAPause) {
  RunRequests requests(*loop_, root_, "r1");
  ASSERT_TRUE(leave_request(root_, "r1", Request::pause));
  EXPECT_EQ(requests.new_stop(false), Stop::paused);
  EXPECT_EQ(requests.new_stop(true), Stop::interrupted);
  EXPECT_FALSE(requests.new_stop(true));
}

TEST_F(Requests, AMessageIsToldOnceAndItsFileGoesOnlyWhenItIsRecorded) {
  RunRequests requests(*loop_, root_, "r1");
  tell("m1");
  EXPECT_EQ(requests.news().size(), 1U);
  EXPECT_TRUE(requests.news().empty());
  requests.forget_recorded();  // it is in the inbox, and nobody was handed that
  EXPECT_EQ(pending_messages(root_, "r1").size(), 1U);
  requests.handed_over();
  EXPECT_EQ(pending_messages(root_, "r1").size(), 1U);
  requests.forget_recorded();
  EXPECT_TRUE(pending_messages(root_, "r1").empty());
}

TEST_F(Requests, WhatStandsWhenARunBeginsIsRecordedWithItsBeginning) {
  RunRequests requests(*loop_, root_, "r1");
  tell("m1");
  ASSERT_TRUE(leave_take_back(root_, "r1", 3));
  EXPECT_EQ(requests.standing().size(), 2U);
  EXPECT_TRUE(requests.news().empty());
  EXPECT_TRUE(take_back_pending(root_, "r1", 3));
  requests.forget_recorded();
  EXPECT_TRUE(pending_messages(root_, "r1").empty());
  EXPECT_FALSE(take_back_pending(root_, "r1", 3));
}

TEST_F(Requests, AnAnswerCanBeWantedBackAgainOnceTheFirstWishIsDecided) {
  RunRequests requests(*loop_, root_, "r1");
  ASSERT_TRUE(leave_take_back(root_, "r1", 3));
  EXPECT_EQ(requests.news().size(), 1U);
  requests.handed_over();
  EXPECT_TRUE(requests.news().empty());
  requests.forget_recorded();
  ASSERT_TRUE(leave_take_back(root_, "r1", 3));
  EXPECT_EQ(requests.news().size(), 1U);
}

TEST_F(Requests, OfAnotherRunAreNotTold) {
  RunRequests requests(*loop_, root_, "r2");
  tell("m1");
  ASSERT_TRUE(leave_request(root_, "r1", Request::abort));
  EXPECT_TRUE(requests.news().empty());
  EXPECT_FALSE(requests.new_stop(false));
}

}  // namespace
}  // namespace capsule::world
