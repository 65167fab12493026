#include "auto_state/document.h"

#include <gtest/gtest.h>

namespace capsule::auto_state {
namespace {

TEST(AutoDocument, AStateComesBackAsItWas) {
  auto_mode::Config config;
  config.skip_review = true;
  auto_mode::State state = auto_mode::started("täsk\n\"x\"", config, 7, "2026-01-01T00:00:00Z");
  state.detected.push_back({"INIT_COMPLETE", "2026-01-01T00:00:01Z"});
  state.phases[1].signal_detected = true;
  state.phases[1].duration_s = 12;
  state.last_error = "e";
  state.session = "s";
  state.last_stop = {"record-1", "2026-01-01T00:00:02Z", 77};
  const std::string text = write_document({}, state);
  const auto read = read_document(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state, state);
  EXPECT_EQ(write_document(read->json, read->state), text);
}

TEST(AutoDocument, WhatIsMissingHasItsUsualValue) {
  const auto read = read_document("\xEF\xBB\xBF {\"active\": true}\r\n");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->state.active);
  EXPECT_EQ(read->state.max_iterations, 20);
  EXPECT_TRUE(read->state.config.parallel_validation);
}

TEST(AutoDocument, ForeignMembersStayAsTheyAre) {
  const auto read = read_document(
      R"({"x":1e400,"active":true,"last_error":{"code":5},"exit_reason":"odd","qa":{"n":[]}})");
  ASSERT_TRUE(read);
  auto_mode::State state = read->state;
  state.active = false;
  const std::string text = write_document(read->json, state);
  for (const char* part : {"\"x\": 1e400", "\"code\": 5", "\"exit_reason\": \"odd\"", "\"n\": []"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

TEST(AutoDocument, NumbersMayBeWrittenInAnyWay) {
  const auto read = read_document(R"({"iteration":3.0,"max_iterations":99999999999999999999})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state.iteration, 3);
  EXPECT_EQ(read->state.max_iterations, INT64_MAX);
}

TEST(AutoDocument, DamageAndOtherSchemasAreToldApart) {
  for (const char* text :
       {"", "[]", "{", "{\"phase\":1}", "{\"active\":\"yes\"}", "{\"iteration\":\"3\"}", "{} {}",
        "{\"iteration\":-1}", "{\"max_iterations\":-1e9}"})
    EXPECT_EQ(read_document(text).error().reason, Reason::damaged) << text;
  for (const char* text : {R"({"schema_version":"1.0"})", R"({"schema_version":3})"})
    EXPECT_EQ(read_document(text).error().reason, Reason::refused) << text;
  EXPECT_TRUE(read_document(R"({"schema_version":"2.1"})"));
}

}  // namespace
}  // namespace capsule::auto_state
