// `capsule parse-signal` as scripts call it.

#include "tests/cases/cases.h"
#include "tests/program/harness.h"

namespace capsule::test {
namespace {

constexpr std::string_view kSignal =
    R"({"status":"PASS","feedback":"f","files_changed":["a.go"],"summary":"s"})";

class ParseSignalCases : public ProgramTest, public ::testing::WithParamInterface<Case> {};

TEST_P(ParseSignalCases, PrintsWhatTheRowSays) {
  const auto expected = Json::parse(GetParam().expected);
  const Outcome outcome = capsule({"parse-signal"}, GetParam().input);
  EXPECT_EQ(outcome.exit_code, expected.at("exit").get<int>());
  EXPECT_EQ(outcome.out, expected.at("signal").dump() + "\n");
  EXPECT_EQ(outcome.err, "");
}

INSTANTIATE_TEST_SUITE_P(Signals, ParseSignalCases, ::testing::ValuesIn(load_cases("contract")),
                         [](const auto& row) { return row.param.id; });

class ParseSignal : public ProgramTest {};

TEST_F(ParseSignal, ReadsAFileOnStdinFromItsPosition) {
  write_file(path("log"), "{\"old\":1}\n" + std::string(kSignal) + "\n");
  const Outcome outcome = call({.args = {"parse-signal"}, .input_file = path("log")});
  EXPECT_EQ(outcome.out, std::string(kSignal) + "\n");
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(ParseSignal, EmptyInputGivesTheSyntheticError) {
  const Outcome outcome = capsule({"parse-signal"}, "");
  EXPECT_EQ(outcome.out,
            "{\"status\":\"ERROR\",\"feedback\":\"No signal JSON found in phase output\","
            "\"files_changed\":[],\"summary\":\"Phase did not produce a signal\"}\n");
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST_F(ParseSignal, AStrayArgumentIsAUsageError) {
  for (const char* word : {"log.txt", "--dialect=line", "-x"}) {
    const Outcome outcome = capsule({"parse-signal", word}, std::string(kSignal));
    EXPECT_EQ(outcome.exit_code, 2) << word;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(word[0] == 'l' ? "log.txt" : "option"), std::string::npos);
  }
}

TEST_F(ParseSignal, HelpSaysWhatItDoes) {
  const Outcome outcome = capsule({"parse-signal", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("stdin"), std::string::npos);
}

TEST_F(ParseSignal, AnInputThatCannotBeReadIsSaidOnStderr) {
  const Outcome outcome = call({.args = {"parse-signal"}, .input_file = dir()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("cannot read stdin"), std::string::npos);
}

TEST_F(ParseSignal, AFullDiskUnderStdoutIsSaidOnStderr) {
  const Outcome outcome = call({.args = {"-c", "\"$0\" parse-signal > /dev/full", CAPSULE_BINARY},
                                .input = std::string(kSignal),
                                .program = "sh"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("cannot write"), std::string::npos);
}

// 200 MB in a process that may have 120 MB of address space: it cannot have kept the input.
#ifndef CAPSULE_SANITIZED
TEST_F(ParseSignal, AnInputLargerThanTheMemoryAllowedIsRead) {
  const Outcome outcome = call(
      {.args =
           {"-c",
            "ulimit -v 120000; { head -c 200000000 /dev/zero | tr '\\0' '{'; echo; echo \"$1\"; "
            "} | \"$0\" parse-signal",
            CAPSULE_BINARY, std::string(kSignal)},
       .program = "sh"});
  EXPECT_EQ(outcome.out, std::string(kSignal) + "\n");
  EXPECT_EQ(outcome.exit_code, 0);
}
#endif

}  // namespace
}  // namespace capsule::test
