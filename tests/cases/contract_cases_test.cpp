// Every contract row of signals.jsonl, through the library, whole and in pieces.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "signal/contract.h"
#include "tests/cases/cases.h"

namespace capsule::signal {
namespace {

using test::Case;

class ContractCases : public ::testing::TestWithParam<Case> {};

void expect_row(const Case& row, const ContractResult& result) {
  const auto expected = nlohmann::ordered_json::parse(row.expected);
  EXPECT_EQ(result.fault == ContractFault::none ? 0 : 1, expected.at("exit").get<int>());
  const auto& signal = expected.at("signal");
  EXPECT_EQ(result.signal.json, signal.dump());
  EXPECT_EQ(name_of(result.signal.status), signal.at("status").get<std::string>());
  EXPECT_EQ(result.signal.feedback, signal.at("feedback").get<std::string>());
  EXPECT_EQ(result.signal.files_changed,
            signal.at("files_changed").get<std::vector<std::string>>());
  EXPECT_EQ(result.signal.summary, signal.at("summary").get<std::string>());
}

TEST_P(ContractCases, IsReadAsTheRowSays) {
  expect_row(GetParam(), parse_contract(GetParam().input));
}

TEST_P(ContractCases, IsReadTheSameByteByByte) {
  ContractScanner scanner;
  for (const char& byte : GetParam().input) scanner.feed({&byte, 1});
  expect_row(GetParam(), scanner.finish());
}

INSTANTIATE_TEST_SUITE_P(Signals, ContractCases, ::testing::ValuesIn(test::load_cases("contract")),
                         [](const auto& row) { return row.param.id; });

}  // namespace
}  // namespace capsule::signal
