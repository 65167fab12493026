#include "signal/contract.h"

#include <gtest/gtest.h>

#include <string>

namespace capsule::signal {
namespace {

const std::string kSignal =
    R"({"status":"PASS","feedback":"f","files_changed":["a.go"],"summary":"s"})";
const std::string kOther =
    R"({"status":"NEEDS_WORK","feedback":"n","files_changed":[],"summary":"old"})";

// The result, once whole and once in two pieces at every cut; all must agree.
ContractResult parse(const std::string& output) {
  ContractResult whole = parse_contract(output);
  if (output.size() < 2000) {
    for (std::size_t cut = 0; cut <= output.size(); ++cut) {
      ContractScanner scanner;
      const std::string first = output.substr(0, cut);
      const std::string second = output.substr(cut);
      scanner.feed(first);
      scanner.feed(second);
      const ContractResult pieces = scanner.finish();
      EXPECT_EQ(pieces.signal.json, whole.signal.json) << "cut at " << cut << " of " << output;
      EXPECT_EQ(pieces.fault, whole.fault);
    }
  }
  return whole;
}

void expect_signal(const std::string& output, const std::string& json = kSignal) {
  const ContractResult result = parse(output);
  EXPECT_EQ(result.fault, ContractFault::none) << output;
  EXPECT_EQ(result.signal.json, json) << output;
}

void expect_fault(const std::string& output, ContractFault fault, const std::string& feedback) {
  const ContractResult result = parse(output);
  EXPECT_EQ(result.fault, fault) << output;
  EXPECT_EQ(result.signal.feedback, feedback) << output;
  EXPECT_EQ(result.signal.status, Status::error);
  EXPECT_TRUE(result.signal.files_changed.empty());
  EXPECT_EQ(result.signal.summary, "Phase did not produce a signal");
}

void expect_none(const std::string& output) {
  expect_fault(output, ContractFault::no_signal, "No signal JSON found in phase output");
}

void expect_broken(const std::string& output) {
  expect_fault(output, ContractFault::broken_signal,
               "The last signal in the phase output is not valid JSON");
}

TEST(ContractScan, TheLastObjectIsTheSignal) {
  expect_signal(kOther + "\n" + kSignal + "\n");
  expect_signal(kOther + kSignal);
  expect_signal("{\"a\":1} " + kSignal + " and so on");
}

TEST(ContractScan, AnObjectMayStandAnywhereInALineOrOverSeveral) {
  expect_signal("Result: " + kSignal + ".");
  expect_signal(
      "```json\n{\n  \"status\": \"PASS\",\r\n\t\"feedback\" : \"f\",\n"
      "  \"files_changed\": [\n \"a.go\" ],\n  \"summary\": \"s\"\n}\n```\n");
}

TEST(ContractScan, BytesAroundTheSignalDoNotMatter) {
  expect_signal("\x1b[32m" + kSignal + "\x1b[0m\n");
  expect_signal("\xEF\xBB\xBF" + kSignal);
  expect_signal("\xFF\xFE\xC3(\x80" + kSignal + "\xE2\x82");
  expect_signal(std::string("a\0b", 3) + kSignal + std::string(3, '\0'));
  expect_signal("log\r" + kSignal + "\r");
}

TEST(ContractScan, WhatIsNoObjectIsPassedOver) {
  for (const char* after : {"42", "\"done\"", "true", "null", "}", "]", "\"{\\\"", "{not json}",
                            "if (x) { return y[i]; }", "{{ template }}", "[x]", "{", "["})
    expect_signal(kSignal + "\n" + after + "\n");
}

TEST(ContractScan, AnArrayIsPassedOverWithAllThatIsInIt) {
  expect_none("[" + kSignal + "]");
  expect_signal(kSignal + "[" + kOther + "," + kOther + "]");
}

TEST(ContractScan, NothingInsideAValueThatFailsCounts) {
  expect_none("{\"a\":" + kSignal + ",x}");
  expect_none("[" + kSignal + ",x]");
  expect_signal(kSignal + "{\"a\":" + kOther + ", oops}");
}

TEST(ContractScan, ReadingGoesOnAtTheByteThatFails) {
  expect_signal("{" + kSignal);
  expect_signal("{{" + kSignal + "}}");
  expect_signal("{\"a\":1" + kSignal);
  expect_signal("{\"a\"" + kSignal);
  expect_signal("[1" + kSignal + "]");
  expect_signal("[\"\\" + kSignal);        // an escape that is none
  expect_signal("[\"\\ud800" + kSignal);   // half a pair
  expect_signal("[\"\xE2\x82" + kSignal);  // half a character
  expect_signal("[tru" + kSignal);
  expect_signal("[-" + kSignal);
}

TEST(ContractScan, ABracketInsideAStringThatFailsLaterIsNotRead) {
  // The string runs over the signal up to the line feed; only then does the object fail.
  expect_none("{\"a\":\"" + std::string(R"({'status':'PASS'} [1] {})") + "\n");
}

TEST(ContractScan, AtLevel129ReadingGoesOnAtThatBracket) {
  expect_signal(std::string(128, '[') + kSignal);
  expect_none(std::string(127, '[') + kSignal);
  std::string objects;
  for (int i = 0; i < 128; ++i) objects += "{\"a\":";
  expect_signal(objects + kSignal);
  expect_signal(std::string(1280, '[') + kSignal);
  expect_none(std::string(1281, '[') + kSignal);
}

TEST(ContractScan, AValueMayHave16MiBAndNoByteMore) {
  const std::string head = R"({"status":"PASS","feedback":")";
  const std::string tail = R"(","files_changed":["a.go"],"summary":"s"})";
  const std::size_t room = json::kMaxBytes - head.size() - tail.size();
  EXPECT_EQ(parse_contract(head + std::string(room, 'x') + tail).fault, ContractFault::none);
  EXPECT_EQ(parse_contract(head + std::string(room + 1, 'x') + tail).fault,
            ContractFault::broken_signal);
  // It fails at the first byte beyond, and what stands there is read.
  const std::string filler = "{\"a\":\"" + std::string(json::kMaxBytes - 6, 'x');
  EXPECT_EQ(parse_contract(filler + kSignal).signal.json, kSignal);
  EXPECT_EQ(parse_contract(filler.substr(0, filler.size() - 1) + kSignal).fault,
            ContractFault::no_signal);
}

TEST(ContractScan, TheLimitHoldsInPiecesToo) {
  const std::string filler = "{\"a\":\"" + std::string(json::kMaxBytes - 6, 'x');
  ContractScanner scanner;
  for (std::size_t at = 0; at < filler.size(); at += 1'000'003)
    scanner.feed(std::string_view(filler).substr(at, 1'000'003));
  scanner.feed(kSignal);
  EXPECT_EQ(scanner.finish().signal.json, kSignal);
}

TEST(BrokenSignal, ABrokenLastSignalHidesAnEarlierValidOne) {
  expect_broken(kSignal + "\n{\"status\":\"PASS\",\n");
  expect_broken(kSignal + "\n{\"status\":\"PASS\",\"feedback\":f}\n");
  expect_broken(kSignal + "{\"status\" x");
}

TEST(BrokenSignal, AnyOfTheFourKeysFirstMakesAFailedObjectABrokenSignal) {
  for (const char* key : {"status", "feedback", "files_changed", "summary"}) {
    expect_broken(kSignal + "\n{\"" + key + "\":}");
    expect_broken(kSignal + "\n{ \n \"" + key + "\"");
  }
}

TEST(BrokenSignal, AFailedObjectWithAnotherFirstKeyIsNone) {
  for (const char* object :
       {"{\"Status\":}", "{\"statu\":}", "{\"status_\":}", "{\"a\":1,\"status\":}", "{status:}",
        "{\"\":}", "{\"files_changed_too\":}", "{\"files_changedx\":", "{'status':1}"})
    expect_signal(kSignal + "\n" + object);
}

TEST(BrokenSignal, TheKeyIsComparedAsWritten) {
  expect_signal(kSignal + "\n{\"\\u0073tatus\":}");
  expect_signal(kSignal + "\n{\"statu\\u0073\":}");
}

TEST(BrokenSignal, AKeyCutOffByTheEndCountsWhenItBeginsAContractKey) {
  for (const char* start : {"{\"", "{ \"s", "{\"st", "{\"status", "{\"files_", "{\"summar"})
    expect_broken(kSignal + "\n" + start);
  for (const char* start : {"{", "{ ", "{\"x", "{\"statuses", "{\"\\", "{\"st\\u", "{\"st\xC3"})
    expect_signal(kSignal + "\n" + start);
}

TEST(BrokenSignal, AKeyThatFailsForAnotherReasonThanTheEndIsNone) {
  expect_signal(kSignal + "\n{\"status\n");
  expect_signal(kSignal + "\n{\"sta\x01");
}

TEST(BrokenSignal, AFailedArrayIsNeverOne) {
  expect_signal(kSignal + "\n[{\"status\":\"PASS\",");
  expect_signal(kSignal + "\n[{\"status\":}");
}

TEST(BrokenSignal, AVerdictQuotedInsideItDoesNotStandInForIt) {
  expect_broken("{\"status\":\"ERROR\",\"feedback\":\"I saw \"" + kSignal + "\"\"}\n");
  expect_broken("{\"status\":\"ERROR\",\"detail\":" + kSignal + " oops}\n");
}

TEST(BrokenSignal, TheRestOfItsLineIsPassedOverAndTheNextLineCounts) {
  expect_broken("{\"status\":x " + kSignal);
  expect_signal("{\"status\":x " + kOther + "\n" + kSignal);
  expect_signal("{\"status\":x\r\n" + kSignal);
  expect_broken("{\"status\":\"cut\n");  // it fails at the line feed itself
  expect_signal("{\"status\":\"cut\n" + kSignal);
  expect_broken("{\"status\":x\r" + kSignal);  // CR ends no line
}

TEST(BrokenSignal, WhenOnlyBlanksStandBeforeTheByteThatFailsReadingGoesOnThere) {
  expect_signal("{\"status\":\"PASS\",\n" + kSignal);
  expect_signal("{\"status\":\"PASS\",\n \t\r " + kSignal);
  expect_signal("{\"status\":\"PASS\",\n  oops " + kSignal);
  expect_broken("{\"status\":\n\"PASS\" oops " + kSignal);
  expect_broken("{\"status\":\"PASS\", " + kSignal);
}

TEST(BrokenSignal, OneBeforeTheLastObjectDoesNotMatter) {
  expect_signal("{\"status\":\"PASS\",\"feedback\"\n" + kSignal);
  expect_fault("{\"status\":x\n{}", ContractFault::missing_field, "Missing required field: status");
}

TEST(ContractCheck, TheLastObjectIsCheckedAndNoEarlierOneStandsIn) {
  expect_fault(kSignal + "\n{\"tokens\":123}", ContractFault::missing_field,
               "Missing required field: status");
  expect_fault(kSignal + "\n{}", ContractFault::missing_field, "Missing required field: status");
}

TEST(ContractCheck, MissingFieldsAreNamedInTheirOrder) {
  expect_fault(R"({"summary":1})", ContractFault::missing_field, "Missing required field: status");
  expect_fault(R"({"status":1})", ContractFault::missing_field, "Missing required field: feedback");
  expect_fault(R"({"status":1,"feedback":2,"summary":3})", ContractFault::missing_field,
               "Missing required field: files_changed");
  expect_fault(R"({"status":1,"feedback":2,"files_changed":3})", ContractFault::missing_field,
               "Missing required field: summary");
}

std::string with_status(const std::string& status) {
  return "{\"status\":" + status + R"(,"feedback":"f","files_changed":[],"summary":"s"})";
}

TEST(ContractCheck, AnyOtherStatusIsInvalidAndShown) {
  const auto expect_shown = [](const std::string& status, const std::string& shown) {
    expect_fault(with_status(status), ContractFault::invalid_status,
                 "Invalid status value: " + shown + " (must be PASS, NEEDS_WORK, or ERROR)");
  };
  expect_shown("\"pass\"", "pass");
  expect_shown("\"\"", "");
  expect_shown("\"PASS \"", "PASS ");
  expect_shown("\"a\\u00e9\\n\\\"b\\\"\"", "aé\n\"b\"");
  expect_shown("null", "null");
  expect_shown("true", "true");
  expect_shown("1.50", "1.50");
  expect_shown("[ \"PASS\" , 1 ]", "[\"PASS\",1]");
  expect_shown("{ \"a\" : 1, \"a\":2 }", "{\"a\":2}");
}

TEST(ContractCheck, TheThreeStatusValuesAreKnown) {
  EXPECT_EQ(parse(with_status("\"PASS\"")).signal.status, Status::pass);
  EXPECT_EQ(parse(with_status("\"NEEDS_WORK\"")).signal.status, Status::needs_work);
  EXPECT_EQ(parse(with_status("\"ERROR\"")).signal.status, Status::error);
  EXPECT_EQ(parse(with_status("\"\\u0050ASS\"")).signal.status, Status::pass);
}

TEST(ContractCheck, TypesAreCheckedInTheirOrder) {
  const auto object = [](const std::string& feedback, const std::string& files,
                         const std::string& summary) {
    return "{\"status\":\"PASS\",\"feedback\":" + feedback + ",\"files_changed\":" + files +
           ",\"summary\":" + summary + "}";
  };
  for (const char* files : {"\"a.go\"", "null", "{}", "1", "false"})
    expect_fault(object("1", files, "1"), ContractFault::files_not_array,
                 "files_changed must be an array");
  for (const char* files : {"[1]", "[\"a\",null]", "[[]]", "[{}]"})
    expect_fault(object("1", files, "1"), ContractFault::files_not_strings,
                 "files_changed must be an array of strings");
  for (const char* feedback : {"1", "null", "[]", "{\"a\":\"b\"}"})
    expect_fault(object(feedback, "[]", "1"), ContractFault::feedback_not_string,
                 "feedback must be a string");
  for (const char* summary : {"1", "null", "[\"s\"]"})
    expect_fault(object("\"\"", "[]", summary), ContractFault::summary_not_string,
                 "summary must be a string");
}

TEST(ContractCheck, EmptyStringsAreFine) {
  expect_signal(R"({"status":"PASS","feedback":"","files_changed":[""],"summary":""})",
                R"({"status":"PASS","feedback":"","files_changed":[""],"summary":""})");
}

TEST(ContractCheck, KeysAreCaseSensitive) {
  expect_fault(R"({"Status":"PASS","feedback":"f","files_changed":[],"summary":"s"})",
               ContractFault::missing_field, "Missing required field: status");
}

TEST(ContractOutput, ExtraFieldsOrderAndNumbersAreKept) {
  expect_signal(
      R"( { "n" : 12345678901234567890, "summary":"s", "x":[1.0, {"y" : -0e1}], "status":"PASS",)"
      R"("feedback":"f","files_changed":[] } )",
      R"({"n":12345678901234567890,"summary":"s","x":[1.0,{"y":-0e1}],"status":"PASS",)"
      R"("feedback":"f","files_changed":[]})");
}

TEST(ContractOutput, ADuplicateKeyCountsWithItsLastValue) {
  expect_signal(
      R"({"status":"ERROR","feedback":"f","files_changed":1,"summary":"s","status":"PASS","files_changed":[]})",
      R"({"status":"PASS","feedback":"f","files_changed":[],"summary":"s"})");
  expect_fault(R"({"status":"PASS","feedback":"f","files_changed":[],"summary":"s","status":1})",
               ContractFault::invalid_status,
               "Invalid status value: 1 (must be PASS, NEEDS_WORK, or ERROR)");
}

TEST(ContractOutput, AKeyMayBeWrittenWithEscapes) {
  expect_signal(R"({"\u0073tatus":"PASS","feedback":"f","files_changed":["a.go"],"summary":"s"})");
}

TEST(ContractOutput, FieldsHoldWhatTheTextStandsFor) {
  const ContractSignal signal =
      parse(R"({"status":"NEEDS_WORK","feedback":"a\n\u00e9\ud83d\ude00","files_changed":)"
            R"(["x\/y","\u0000"],"summary":"\"q\""})")
          .signal;
  EXPECT_EQ(signal.status, Status::needs_work);
  EXPECT_EQ(signal.feedback, "a\né😀");
  EXPECT_EQ(signal.files_changed, (std::vector<std::string>{"x/y", std::string(1, '\0')}));
  EXPECT_EQ(signal.summary, "\"q\"");
  EXPECT_EQ(signal.json,
            "{\"status\":\"NEEDS_WORK\",\"feedback\":\"a\\né😀\",\"files_changed\":[\"x/"
            "y\",\"\\u0000\"],\"summary\":\"\\\"q\\\"\"}");
}

TEST(ContractOutput, TheSyntheticErrorIsAValidSignalWhateverItsReason) {
  const ContractSignal error = synthetic_error("quote \" and \x01 and \xFF");
  EXPECT_EQ(error.json,
            "{\"status\":\"ERROR\",\"feedback\":\"quote \\\" and \\u0001 and \uFFFD\","
            "\"files_changed\":[],\"summary\":\"Phase did not produce a signal\"}");
  const ContractResult again = parse_contract(error.json);
  EXPECT_EQ(again.fault, ContractFault::none);
  EXPECT_EQ(again.signal.feedback, error.feedback);
}

TEST(ContractExplain, TellsEveryValueWithItsOffsetAndWhy) {
  const std::string output = "{}[1]{x [2 " + kOther + "{\"status\":}\n" + kSignal;
  const auto notes = explain_contract(output);
  using Kind = ContractNote::Kind;
  const std::vector<std::pair<Kind, std::size_t>> expected{
      {Kind::object, 0},
      {Kind::array, 2},
      {Kind::failed_object, 5},
      {Kind::failed_array, 8},
      {Kind::object, 11},
      {Kind::broken_signal, 11 + kOther.size()},
      {Kind::object, output.size() - kSignal.size()}};
  ASSERT_EQ(notes.size(), expected.size());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    EXPECT_EQ(notes[i].kind, expected[i].first) << i;
    EXPECT_EQ(notes[i].begin, expected[i].second) << i;
    EXPECT_EQ(notes[i].taken, i + 1 == notes.size());
    EXPECT_NE(notes[i].why, "");
  }
  EXPECT_EQ(notes[2].end, 6U);
  EXPECT_EQ(notes.back().end, output.size());
}

TEST(ContractExplain, TheBrokenSignalThatDecidesIsTheOneTaken) {
  const auto notes = explain_contract(kSignal + "\n{\"status\":");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_FALSE(notes[0].taken);
  EXPECT_TRUE(notes[1].taken);
  EXPECT_EQ(notes[1].fault, json::Fault::cut_off);
}

}  // namespace
}  // namespace capsule::signal
