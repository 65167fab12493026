#include "dashboard/rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capsule::dashboard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Rest, WhatACursorOnlyPassesIsNotFetched) {
  Rest rest;
  std::int64_t now = 1000;
  for (int row = 0; row < 100; ++row, now += 30)  // a key that is held down
    EXPECT_THAT(rest.ripe({"log " + std::to_string(row)}, now), IsEmpty()) << row;
  EXPECT_THAT(rest.ripe({"log 99"}, now), IsEmpty());
  EXPECT_THAT(rest.ripe({"log 99"}, now + kRestMs), ElementsAre("log 99"));
}

TEST(Rest, WhoComesBackBeginsAnew) {
  Rest rest;
  EXPECT_THAT(rest.ripe({"a"}, 0), IsEmpty());
  EXPECT_THAT(rest.ripe({"b"}, 100), IsEmpty());
  EXPECT_THAT(rest.ripe({"a"}, kRestMs), IsEmpty());
  EXPECT_THAT(rest.ripe({"a"}, 2 * kRestMs), ElementsAre("a"));
}

TEST(Rest, SeveralTextsOfOneRowRestTogether) {
  Rest rest;
  EXPECT_THAT(rest.ripe({"status", "archive"}, 0), IsEmpty());
  EXPECT_THAT(rest.ripe({"status", "archive"}, kRestMs), ElementsAre("status", "archive"));
}

}  // namespace
}  // namespace capsule::dashboard
