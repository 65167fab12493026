// `capsule signal parse`, `list` and `format` as people and scripts call them.
#include <gmock/gmock.h>

#include "tests/cases/cases.h"
#include "tests/program/harness.h"

namespace capsule::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SignalParseCases : public ProgramTest, public ::testing::WithParamInterface<Case> {};

TEST_P(SignalParseCases, PrintWhatTheRowSays) {
  const auto expected = Json::parse(GetParam().expected);
  const Outcome outcome =
      capsule({"signal", "parse", "--dialect=" + GetParam().dialect}, GetParam().input);
  EXPECT_EQ(outcome.err, "");
  ASSERT_THAT(outcome.out, EndsWith("}\n"));
  const auto printed = Json::parse(outcome.out);
  if (GetParam().dialect == "contract") {
    EXPECT_EQ(outcome.exit_code, expected.at("exit").get<int>());
    EXPECT_EQ(outcome.out, expected.at("signal").dump() + "\n");
    return;
  }
  const auto& signal = expected.at("signal");
  EXPECT_EQ(outcome.exit_code, signal.is_null() || signal == "unknown" ? 1 : 0);
  for (const auto& [key, value] : expected.items()) {
    if (key != "fields") {
      EXPECT_EQ(printed.at(key), value) << key;
      continue;
    }
    for (const auto& [label, text] : value.items()) EXPECT_EQ(printed.at(key).at(label), text);
  }
  EXPECT_TRUE(printed.at("fields").is_object());
  EXPECT_TRUE(printed.at("warnings").is_array());
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const char* dialect : {"contract", "line", "block"})
    for (Case& row : load_cases(dialect)) all.push_back(std::move(row));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Rows, SignalParseCases, ::testing::ValuesIn(all_cases()),
                         [](const auto& row) { return row.param.id; });

class SignalParse : public ProgramTest {};

TEST_F(SignalParse, PrintsAllMembersOfALineSignal) {
  const Outcome outcome = capsule({"signal", "parse", "--dialect", "line"},
                                  "FILE CONFLICT: a \"b\"\nReason: x\ny\n\nFILE CONFLICT: c\xFF\n");
  EXPECT_EQ(
      outcome.out,
      "{\"signal\":\"file_conflict\",\"task_id\":\"a \\\"b\\\"\",\"more\":[\"c\xEF\xBF\xBD\"],"
      "\"handler\":\"QUEUE_OR_COORDINATE\",\"fields\":{\"Reason\":\"x\\ny\"},"
      "\"warnings\":[]}\n");
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(SignalParse, PrintsWhyALineIsUnknown) {
  const Outcome outcome = capsule({"signal", "parse", "--dialect=line"}, "done\n");
  EXPECT_EQ(outcome.out,
            "{\"signal\":\"unknown\",\"task_id\":null,\"handler\":\"REQUEST_CLARIFICATION\","
            "\"fields\":{},\"warnings\":[\"no line of the text is a signal\"]}\n");
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST_F(SignalParse, PrintsAllMembersOfABlockSignal) {
  const Outcome outcome = capsule({"signal", "parse", "--dialect=block", "--phase=planning"},
                                  "SIGNAL: QA_COMPLETE\nphase: qa\n");
  EXPECT_EQ(outcome.out,
            "{\"signal\":\"QA_COMPLETE\",\"fields\":{\"PHASE\":\"qa\"},\"warnings\":[\"QA_COMPLETE "
            "is not what the phase planning waits for, which is PLANNING_COMPLETE\"]}\n");
  EXPECT_EQ(outcome.exit_code, 0);
  const Outcome none = capsule({"signal", "parse", "--dialect=block"}, "done\n");
  EXPECT_EQ(none.out, "{\"signal\":null,\"fields\":{},\"warnings\":[]}\n");
  EXPECT_EQ(none.exit_code, 1);
}

TEST_F(SignalParse, ChecksTheRoleAndTheTask) {
  const std::vector<std::string> call{"signal", "parse", "--dialect=line"};
  const auto exit_with = [&](std::vector<std::string> options) {
    options.insert(options.begin(), call.begin(), call.end());
    return capsule(options, "AUDIT_PASSED: t1\n").exit_code;
  };
  EXPECT_EQ(exit_with({"--role=auditor", "--task=t1"}), 0);
  EXPECT_EQ(exit_with({"--role=developer"}), 1);
  EXPECT_EQ(exit_with({"--task=t2"}), 1);
}

TEST_F(SignalParse, ReadsAFileOrStdin) {
  write_file(path("out.txt"), "AUDIT_PASSED: t1\n");
  const auto from_file = capsule({"signal", "parse", "--dialect=line", "out.txt"}, "nothing");
  const auto from_stdin = capsule({"signal", "parse", "--dialect=line", "-"}, "AUDIT_PASSED: t1\n");
  const auto redirected =
      call({.args = {"signal", "parse", "--dialect=line"}, .input_file = path("out.txt")});
  EXPECT_EQ(from_file.exit_code, 0);
  EXPECT_EQ(from_file.out, from_stdin.out);
  EXPECT_EQ(from_file.out, redirected.out);
}

TEST_F(SignalParse, ExplainListsEveryCandidate) {
  const auto line = Json::parse(capsule({"signal", "parse", "--dialect=line", "--explain"},
                                        " AUDIT_PASSED: t\nAUDIT_FAILED: t\n")
                                    .out);
  EXPECT_EQ(line.at("explain").dump(),
            "[{\"offset\":0,\"text\":\" AUDIT_PASSED: t\",\"verdict\":\"not taken\","
            "\"reason\":\"not at column 0\"},{\"offset\":17,\"text\":\"AUDIT_FAILED: t\","
            "\"verdict\":\"taken\",\"reason\":\"the result\"}]");
  const auto block = Json::parse(
      capsule({"signal", "parse", "--dialect=block", "--explain"}, "SIGNAL: QA_COMPLETE\n").out);
  EXPECT_EQ(block.at("explain").at(0).at("verdict"), "taken");
  const auto contract = Json::parse(
      capsule({"signal", "parse", "--dialect=contract", "--explain"},
              "{}\n{\"status\":\"PASS\",\"feedback\":\"\",\"files_changed\":[],\"summary\":\"\"}")
          .out);
  EXPECT_EQ(contract.at("status"), "PASS");
  EXPECT_EQ(contract.at("explain").size(), 2U);
  EXPECT_EQ(contract.at("explain").at(1).at("offset"), 3);
  EXPECT_EQ(contract.at("explain").at(1).at("verdict"), "taken");
}

TEST_F(SignalParse, AWrongCallIsOneLineThatSaysWhatIsValid) {
  struct Wrong {
    std::vector<std::string> args;
    std::string said;
  };
  const std::vector<Wrong> calls{
      {{"signal", "parse"}, "contract, line, block"},
      {{"signal", "parse", "--dialect=xml"}, "contract, line, block"},
      {{"signal", "parse", "--dialect=line", "--role=boss"}, "health-auditor"},
      {{"signal", "parse", "--dialect=line", "--task=../x"}, "without '..'"},
      {{"signal", "parse", "--dialect=line", "--task="}, "letters"},
      {{"signal", "parse", "--dialect=block", "--phase=lunch"}, "reflect"},
      {{"signal", "parse", "--dialect=line", "--rolle=critic"}, "--role"},
      {{"signal", "parse", "--dialect=line", "no-such-file"}, "no-such-file"},
      {{"signal", "parse", "--dialect=line", "."}, "."},
      {{"signal", "parse", "--dialect=line", "a", "b"}, "'b'"},
      {{"signal", "list", "--dialect=xml"}, "contract, line, block"},
      {{"signal", "format"}, "NAME"},
      {{"signal", "format", "REDY_FOR_REVIEW"}, "ready_for_review"},
      {{"signal", "format", "x"}, "PLANNING_COMPLETE"},
      {{"signal", "format", "unknown"}, "unknown signal"},
      {{"signal", "format", "QA_COMPLETE", "--phase=fix"}, "--phase=qa"},
      {{"signal", "format", "TRANSITION_TO_QA", "--phase=fix"}, "--phase=execution"},
      {{"signal", "format", "AUDIT_PASSED", "--task=a b"}, "task id"},
      {{"signal"}, "parse, list, format"},
      {{"signal", "pars"}, "parse"}};
  for (const Wrong& wrong : calls) {
    const Outcome outcome = capsule(wrong.args, "AUDIT_PASSED: t1\n");
    EXPECT_EQ(outcome.exit_code, 2) << wrong.said;
    EXPECT_EQ(outcome.out, "") << wrong.said;
    EXPECT_THAT(outcome.err, StartsWith("capsule: "));
    EXPECT_THAT(outcome.err, HasSubstr(wrong.said));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(SignalParse, AFullDiskUnderStdoutIsSaidOnStderr) {
  const Outcome outcome =
      call({.args = {"-c", "\"$0\" signal parse --dialect=line > /dev/full", CAPSULE_BINARY},
            .input = "AUDIT_PASSED: t1\n",
            .program = "sh"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write"));
}

// 200 MB in a process that may have 60 MB of data of its own: the input is not among them.
#ifndef CAPSULE_SANITIZED
TEST_F(SignalParse, ATextLargerThanTheMemoryAllowedIsRead) {
  for (const std::string text :
       {"EXPERT_CREATED: e\nTasks: ", "SIGNAL: QA_COMPLETE\nPHASE: qa\nX: "}) {
    const std::string dialect = text.starts_with("E") ? "line" : "block";
    const Outcome outcome = call(
        {.args = {"-c",
                  "{ echo \"$1\"; head -c 100000000 /dev/zero | tr '\\0' '\\n'; head -c 100000000 "
                  "/dev/zero; } > big; ulimit -d 60000; \"$0\" signal parse --dialect=" +
                      dialect + " big",
                  CAPSULE_BINARY, text},
         .program = "sh"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                HasSubstr(text.starts_with("E") ? "\"task_id\":\"e\"" : "QA_COMPLETE"));
  }
}

TEST_F(SignalParse, ATranscriptLargerThanTheMemoryAllowedIsRead) {
  const Outcome outcome = call(
      {.args = {"-c",
                "{ printf '{\"type\":\"assistant\",\"text\":\"SIGNAL: QA_COMPLETE\\\\nX: '; "
                "head -c 100000000 /dev/zero | tr '\\0' x; printf '\"}\\n{\"type\":\"user\"}\\n'; "
                "} > big; ulimit -d 60000; \"$0\" signal parse --dialect=block big",
                CAPSULE_BINARY},
       .program = "sh"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("{\"signal\":\"QA_COMPLETE\""));
}
#endif

class SignalList : public ProgramTest {};

TEST_F(SignalList, ShowsEverySignalInATable) {
  const Outcome outcome = capsule({"signal", "list"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* name : {"PASS", "ready_for_review", "unknown", "TRANSITION_TO_FIX",
                           "REQUEST_CLARIFICATION", "business-analyst", "2 divine"})
    EXPECT_THAT(outcome.out, HasSubstr(name));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 38);
}

TEST_F(SignalList, PrintsJsonForPrograms) {
  const auto all = Json::parse(capsule({"signal", "list", "--json"}).out);
  EXPECT_EQ(all.size(), 37U);
  const auto line = Json::parse(capsule({"signal", "list", "--json", "--dialect=line"}).out);
  EXPECT_EQ(line.size(), 20U);
  for (const char* key : {"dialect", "name", "meaning", "senders", "handler", "priority"})
    for (const auto& row : all) EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_EQ(line.at(0).at("senders").dump(), "[\"developer\"]");
  EXPECT_EQ(line.at(0).at("priority"), 5);
}

class SignalFormat : public ProgramTest {};

TEST_F(SignalFormat, PrintsTheTextOfEverySignalByBothItsNames) {
  for (const auto& row : Json::parse(capsule({"signal", "list", "--json"}).out)) {
    if (row.at("name") == "unknown") continue;
    const Outcome by_name = capsule({"signal", "format", row.at("name")});
    const Outcome by_wire = capsule({"signal", "format", row.at("wire")});
    EXPECT_EQ(by_name.exit_code, 0) << row.at("name");
    EXPECT_EQ(by_name.out, by_wire.out);
    EXPECT_THAT(by_name.out, HasSubstr(row.at("wire").get<std::string>()));
  }
}

TEST_F(SignalFormat, FillsInTheTaskAndThePhase) {
  EXPECT_THAT(capsule({"signal", "format", "AUDIT_PASSED", "--task=t1"}).out,
              StartsWith("AUDIT_PASSED: t1\n\nVerification Results:\n"));
  EXPECT_THAT(capsule({"signal", "format", "divine_clarification", "--task", "t1"}).out,
              HasSubstr("\nTask: t1\n"));
  EXPECT_THAT(capsule({"signal", "format", "PHASE_ERROR", "--phase=qa"}).out,
              HasSubstr("PHASE: qa\n"));
  EXPECT_EQ(capsule({"signal", "format", "QA_COMPLETE", "--phase=qa"}).out,
            "---\nSIGNAL: QA_COMPLETE\nPHASE: qa\nSTATUS: complete\nTIMESTAMP: [ISO8601]\n"
            "NEXT: review\n---\n");
}

TEST_F(SignalFormat, WhatItPrintsIsRecognised) {
  const Outcome line = capsule({"signal", "format", "review_failed", "--task=t1"});
  EXPECT_EQ(capsule({"signal", "parse", "--dialect=line", "--role=critic", "--task=t1"}, line.out)
                .exit_code,
            0);
  const Outcome contract = capsule({"signal", "format", "NEEDS_WORK"});
  EXPECT_EQ(capsule({"parse-signal"}, contract.out).exit_code, 0);
}

}  // namespace
}  // namespace capsule::test
