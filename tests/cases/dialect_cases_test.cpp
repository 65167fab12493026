// The rows of the line and the block dialect, through the library. What a row expects must be in
// the result; the result may say more.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "signal/block.h"
#include "signal/line.h"
#include "tests/cases/cases.h"

namespace capsule::signal {
namespace {

using nlohmann::ordered_json;
using test::Case;

std::string case_name(const ::testing::TestParamInfo<Case>& info) { return info.param.id; }

class LineCases : public ::testing::TestWithParam<Case> {};

TEST_P(LineCases, GiveTheExpectedSignal) {
  const auto expected = ordered_json::parse(GetParam().expected);
  const LineResult result = parse_line(GetParam().input);
  EXPECT_EQ(row(result.signal).name, expected.at("signal").get<std::string>());
  EXPECT_EQ(result.handler(), expected.at("handler").get<std::string>());
  const auto& task_id = expected.at("task_id");
  ASSERT_EQ(result.task_id.has_value(), !task_id.is_null());
  EXPECT_EQ(result.task_id.value_or(""), task_id.is_null() ? "" : task_id.get<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Rows, LineCases, ::testing::ValuesIn(test::load_cases("line")), case_name);

class BlockCases : public ::testing::TestWithParam<Case> {};

TEST_P(BlockCases, GiveTheExpectedSignal) {
  const auto expected = ordered_json::parse(GetParam().expected);
  const BlockResult result = parse_block(GetParam().input);
  const auto& signal = expected.at("signal");
  ASSERT_EQ(result.signal.has_value(), !signal.is_null());
  if (result.signal) {
    EXPECT_EQ(row(*result.signal).name, signal.get<std::string>());
  }
  if (!expected.contains("fields")) return;
  for (const auto& [key, value] : expected.at("fields").items()) {
    ASSERT_NE(result.field(key), nullptr) << key;
    EXPECT_EQ(*result.field(key), value.get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, BlockCases, ::testing::ValuesIn(test::load_cases("block")),
                         case_name);

}  // namespace
}  // namespace capsule::signal
