#include "base/moment.h"

#include <gtest/gtest.h>

namespace capsule {
namespace {

TEST(Moment, TheEpochIsZeroAndLeapDaysCount) {
  EXPECT_EQ(seconds_of("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(seconds_of("2000-02-29T00:00:00Z"), 951782400);
  EXPECT_EQ(seconds_of("2000-03-01T00:00:00Z"), 951868800);
  EXPECT_EQ(seconds_of("2024-01-15T10:30:00Z"), 1705314600);
}

TEST(Moment, MillisecondsAreKeptWhereTheyAreAskedFor) {
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:01.5Z"), 1500);
  EXPECT_EQ(milliseconds_of("2024-01-15T10:30:00.1239Z"), 1705314600123);
  EXPECT_EQ(milliseconds_of("1969-12-31T23:59:59.250Z"), -750);
  EXPECT_EQ(seconds_of("1969-12-31T23:59:59.250Z"), -1);
  EXPECT_FALSE(milliseconds_of("soon"));
}

TEST(Moment, ZonesFractionsAndBlanksAreUnderstood) {
  const auto same = seconds_of("2024-01-15T10:30:00Z");
  for (const char* text : {"2024-01-15T10:30:00.999Z", "2024-01-15T12:30:00+02:00",
                           "2024-01-15T05:00:00-0530", "2024-01-15 10:30:00", "2024-01-15T10:30",
                           "2024-01-15T10:30:00.123456", "2024-01-15T11:30:00+01"})
    EXPECT_EQ(seconds_of(text), same) << text;
}

TEST(Moment, WhatIsNoTimeIsNone) {
  for (const char* text : {"", "now", "2024-01-15", "2024-13-01T00:00:00Z", "2024-01-15T10:30:00X",
                           "2024-01-15T10:30:00.Z", "[ISO8601]", "2024-01-15T25:00:00Z"})
    EXPECT_EQ(seconds_of(text), std::nullopt) << text;
}

}  // namespace
}  // namespace capsule
