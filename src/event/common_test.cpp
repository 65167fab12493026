#include "event/common.h"

#include <gmock/gmock.h>

namespace capsule::event {
namespace {

TEST(TokenUse, WhatIsNotKnownAddsNothingAndIsTheCallersToSay) {
  TokenUse sum;
  sum.tokens_known = true;
  add_known(sum, {.tokens_known = true,
                  .input = 5,
                  .output = 3,
                  .cache_read = 2,
                  .cache_written = 1,
                  .cost_known = false,
                  .cost_micros = 77,
                  .turns = 2});
  add_known(sum, {.tokens_known = false,
                  .input = 90,
                  .cost_known = true,
                  .cost_micros = 40,
                  .turns = 1,
                  .compactions = 1,
                  .cache_rewrites = 1});
  const TokenUse expected{.tokens_known = true,
                          .input = 5,
                          .output = 3,
                          .cache_read = 2,
                          .cache_written = 1,
                          .cost_known = false,
                          .cost_micros = 40,
                          .turns = 3,
                          .compactions = 1,
                          .cache_rewrites = 1};
  EXPECT_EQ(sum, expected);
}

}  // namespace
}  // namespace capsule::event
