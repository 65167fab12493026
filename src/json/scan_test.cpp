#include "json/scan.h"

#include <gtest/gtest.h>

#include <string>

namespace capsule::json {
namespace {

using Verdict = Scan::Verdict;

struct Read {
  Verdict verdict;
  std::size_t used;
  bool operator==(const Read&) const = default;
};

void PrintTo(const Read& read, std::ostream* out) {
  constexpr const char* kNames[] = {"more", "complete", "failed"};
  *out << kNames[static_cast<int>(read.verdict)] << " after " << read.used;
}

// Reads whole, then byte by byte; both must say the same.
Read read(std::string_view text) {
  Scan whole;
  whole.begin();
  const Scan::Step step = whole.read(text);
  Scan slow;
  slow.begin();
  Read in_bytes{Verdict::more, 0};
  while (in_bytes.verdict == Verdict::more && in_bytes.used < text.size()) {
    const Scan::Step one = slow.read(text.substr(in_bytes.used, 1));
    in_bytes = {one.verdict, in_bytes.used + one.used};
  }
  EXPECT_EQ(in_bytes, (Read{step.verdict, step.used})) << text;
  EXPECT_EQ(slow.fault(), whole.fault());
  return {step.verdict, step.used};
}

Read complete(std::string_view text) { return {Verdict::complete, text.size()}; }
Read failed(std::size_t at) { return {Verdict::failed, at}; }

TEST(JsonScan, AcceptsEveryKindOfValue) {
  for (std::string_view text : {"{}",
                                "[]",
                                "[ ]",
                                "{ \t\r\n}",
                                "[1]",
                                "[-0]",
                                "[0.5]",
                                "[1e5]",
                                "[1E+05]",
                                "[-12.75e-3]",
                                "[true,false,null]",
                                "[\"\"]",
                                "[\"a\\\"b\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]",
                                "{\"a\":1}",
                                "{\"a\":{\"b\":[{},[]]} , \"c\" : \"d\"}",
                                "[\"\x7f\"]",
                                "[\"\xC2\x80\xDF\xBF\"]",
                                "[\"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\"]",
                                "[\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"]",
                                "[\"\\ud800\\udc00\\uDBFF\\uDFFF\"]",
                                "[\"\\ud7ff\\ue000\"]"})
    EXPECT_EQ(read(text), complete(text)) << text;
}

TEST(JsonScan, EndsWithTheValueAndLeavesTheRest) {
  EXPECT_EQ(read("{}{}"), (Read{Verdict::complete, 2}));
  EXPECT_EQ(read("[[]]]"), (Read{Verdict::complete, 4}));
}

TEST(JsonScan, FailsAtTheFirstByteThatCannotBelong) {
  struct Row {
    std::string_view text;
    std::size_t at;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"{x", 1},         {"{,", 1},          {"[,", 1},         {"{]", 1},
           {"[}", 1},         {"[1,]", 3},        {"{\"a\":1,}", 7}, {"{\"a\" 1}", 5},
           {"{\"a\":}", 5},   {"[1 2]", 3},       {"[1:2]", 2},      {"[01]", 2},
           {"[+1]", 1},       {"[.5]", 1},        {"[1.]", 3},       {"[1.e5]", 3},
           {"[1e]", 3},       {"[1e+]", 4},       {"[-]", 2},        {"[-a]", 2},
           {"[truE]", 4},     {"[nul]", 4},       {"[falsey]", 6},   {"[tru\n", 4},
           {"['a']", 1},      {"{a:1}", 1},       {"[NaN]", 1},      {"[1}", 2},
           {"{\"a\":1]", 6},  {"[\"a\nb\"]", 3},  {"[\"\x01", 2},    {"[\"\\x", 3},
           {"[\"\\u00g0", 6}, {"[1/*", 2},        {"[\v]", 1},       {"[1\f]", 2},
           {"[1{", 2},        {"{\"a\":1{", 6},   {"{{", 1},         {"{[", 1},
           {"{\"a\"{", 4},    {"[\"a\"\"b\"]", 4}})
    EXPECT_EQ(read(row.text), failed(row.at)) << row.text;
}

TEST(JsonScan, BadUtf8FailsAtTheByteThatMakesItBad) {
  struct Row {
    std::string_view bytes;
    std::size_t good;  // how many of them can still belong
  };
  for (const Row& row : std::initializer_list<Row>{{"\x80", 0},
                                                   {"\xBF", 0},
                                                   {"\xC0\x80", 0},
                                                   {"\xC1\xBF", 0},
                                                   {"\xC2x", 1},
                                                   {"\xC2\xC2", 1},
                                                   {"\xE0\x9F\xBF", 1},
                                                   {"\xE2\x82x", 2},
                                                   {"\xED\xA0\x80", 1},
                                                   {"\xF0\x8F\xBF\xBF", 1},
                                                   {"\xF0\x9F\x98\"", 3},
                                                   {"\xF4\x90\x80\x80", 1},
                                                   {"\xF5", 0},
                                                   {"\xFF", 0}}) {
    EXPECT_EQ(read("[\"" + std::string(row.bytes)), failed(2 + row.good));
    EXPECT_EQ(read("{\"" + std::string(40, 'k') + std::string(row.bytes)), failed(42 + row.good));
  }
}

TEST(JsonScan, HalfASurrogatePairFailsWhereTheOtherHalfIsMissing) {
  EXPECT_EQ(read("[\"\\ud800\""), failed(8));  // a backslash is due
  EXPECT_EQ(read("[\"\\ud800x"), failed(8));
  EXPECT_EQ(read("[\"\\ud800\\n"), failed(9));       // a u is due
  EXPECT_EQ(read("[\"\\ud800\\u0041"), failed(10));  // a d is due
  EXPECT_EQ(read("[\"\\ud800\\ud800"), failed(11));  // c to f is due
  EXPECT_EQ(read("[\"\\udc00"), failed(5));          // no first half begins so
  EXPECT_EQ(read("[\"\\uDFff"), failed(5));
}

TEST(JsonScan, ABracketThatWouldOpenLevel129FailsThere) {
  EXPECT_EQ(read(std::string(128, '[') + std::string(128, ']')), (Read{Verdict::complete, 256}));
  EXPECT_EQ(read(std::string(129, '[')), failed(128));
  std::string objects;
  for (int i = 0; i < 128; ++i) objects += "{\"a\":";
  EXPECT_EQ(read(objects + "1" + std::string(128, '}')),
            (Read{Verdict::complete, objects.size() + 129}));
  EXPECT_EQ(read(objects + "{"), failed(objects.size()));
  EXPECT_EQ(read(objects + "[]"), failed(objects.size()));
}

TEST(JsonScan, EveryLevelRemembersItsOwnKindOfBracket) {
  std::string open;
  std::string close;
  for (int i = 0; i < 64; ++i) {
    open += "[{\"a\":";
    close += "}]";
  }
  EXPECT_EQ(read(open + "0" + close), complete(open + "0" + close));
  EXPECT_EQ(read(open + "0]"), failed(open.size() + 1));
  EXPECT_EQ(read(open + "0}}"), failed(open.size() + 2));
}

TEST(JsonScan, AValueOfExactly16MiBIsCompleteAndOneByteMoreIsNot) {
  const std::string whole = "[\"" + std::string(kMaxBytes - 4, 'x') + "\"]";
  Scan scan;
  scan.begin();
  EXPECT_EQ(scan.read(whole).verdict, Verdict::complete);
  const std::string longer = "[\"" + std::string(kMaxBytes - 3, 'x') + "\"]";
  scan.begin();
  const Scan::Step step = scan.read(longer);
  EXPECT_EQ(step.verdict, Verdict::failed);
  EXPECT_EQ(step.used, kMaxBytes);
  EXPECT_EQ(scan.fault(), Fault::too_long);
  // The same when the limit falls on the border of two pieces.
  scan.begin();
  EXPECT_EQ(scan.read(longer.substr(0, kMaxBytes)).verdict, Verdict::more);
  const Scan::Step next = scan.read(longer.substr(kMaxBytes));
  EXPECT_EQ(next.verdict, Verdict::failed);
  EXPECT_EQ(next.used, 0U);
}

TEST(JsonScan, SaysWhyItFailed) {
  const auto fault = [](std::string_view text) {
    Scan scan;
    scan.begin();
    EXPECT_EQ(scan.read(text).verdict, Verdict::failed) << text;
    EXPECT_NE(sentence_of(scan.fault()), "");
    return scan.fault();
  };
  EXPECT_EQ(fault("{x"), Fault::unexpected_byte);
  EXPECT_EQ(fault("[\"\n"), Fault::control_byte);
  EXPECT_EQ(fault("[\"\\x"), Fault::bad_escape);
  EXPECT_EQ(fault("[\"\\u00x"), Fault::bad_escape);
  EXPECT_EQ(fault("[\"\\ud800x"), Fault::lone_surrogate);
  EXPECT_EQ(fault("[\"\\udc00"), Fault::lone_surrogate);
  EXPECT_EQ(fault("[\"\xFF"), Fault::bad_utf8);
  EXPECT_EQ(fault(std::string(129, '[')), Fault::too_deep);
}

TEST(JsonScan, KnowsTheFirstKeyOfTheOutermostObjectAsWritten) {
  const auto key = [](std::string_view text) {
    Scan scan;
    scan.begin();
    for (char byte : text) scan.read({&byte, 1});
    return std::pair(scan.first_key_state(), std::string(scan.first_key()));
  };
  using Key = Scan::Key;
  EXPECT_EQ(key("{").first, Key::none);
  EXPECT_EQ(key("{\""), std::pair(Key::open, std::string()));
  EXPECT_EQ(key("{ \"sta"), std::pair(Key::open, std::string("sta")));
  EXPECT_EQ(key("{\"status\":{\"b\":1,\"c"), std::pair(Key::closed, std::string("status")));
  EXPECT_EQ(key("{\"\\u0073tatus\"").first, Key::other);
  EXPECT_EQ(key("{\"sta\xC3").first, Key::other);
  EXPECT_EQ(key("{\"sixteen_letters_").first, Key::other);
  EXPECT_EQ(key("[{\"status\"").first, Key::none);
}

}  // namespace
}  // namespace capsule::json
