#include "config/key.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace capsule::config {
namespace {

using Texts = std::vector<std::string>;

std::int64_t timeout_of(std::string_view text) {
  const auto value = value_of(key("phase_timeout"), "phase_timeout", text);
  return value ? std::get<std::int64_t>(*value) : -1;
}

TEST(ConfigKey, DurationsAreSecondsOrNumbersWithUnits) {
  EXPECT_EQ(timeout_of("600"), 600);
  EXPECT_EQ(timeout_of("90s"), 90);
  EXPECT_EQ(timeout_of("10m"), 600);
  EXPECT_EQ(timeout_of("1h"), 3600);
  EXPECT_EQ(timeout_of("1h30m"), 5400);
  EXPECT_EQ(timeout_of("1d"), 86400);
  EXPECT_EQ(timeout_of("1d2h3m4s"), 93784);
  EXPECT_EQ(timeout_of("0600"), 600);
}

TEST(ConfigKey, ADurationThatIsNoneIsRefused) {
  for (const char* text : {"",
                           "0",
                           "0s",
                           "-5",
                           "+5",
                           "1.5h",
                           "10 m",
                           " 10",
                           "10x",
                           "m",
                           "1m1h",
                           "1m1m",
                           "1h30",
                           "0x10",
                           "1e3",
                           "ten",
                           "99999999999999999999",
                           "1000000001",
                           "99999d",
                           "600\n"})
    EXPECT_EQ(timeout_of(text), -1) << text;
}

TEST(ConfigKey, ACountIsAWholeNumberFromOne) {
  const Key& row = key("max_retries");
  EXPECT_EQ(value_of(row, "max_retries", "1"), Value(std::int64_t{1}));
  EXPECT_EQ(value_of(row, "max_retries", "1000000"), Value(std::int64_t{1'000'000}));
  for (const char* text :
       {"0", "-1", "+1", "", "three", "3.0", "1000001", "3x", " 3", "18446744073709551617"})
    EXPECT_FALSE(value_of(row, "max_retries", text)) << text;
}

TEST(ConfigKey, ABranchIsWhatGitAccepts) {
  const Key& row = key("main_branch");
  for (const char* text : {"main", "release/1.0", "a@b", "ä", "feature-x"})
    EXPECT_TRUE(value_of(row, "main_branch", text)) << text;
  for (const char* text : {"",         "-x",    "--upload-pack=x",
                           "a..b",     "/a",    "a/",
                           "a//b",     "a b",   "a~1",
                           "a^",       "a:b",   "a?",
                           "a*",       "a[b",   "a\\b",
                           "@",        "a@{1}", "HEAD",
                           ".a",       "x/.a",  "a.lock",
                           "a.lock/b", "a.",    "a\tb",
                           "a\x7f"})
    EXPECT_FALSE(value_of(row, "main_branch", text)) << text;
}

TEST(ConfigKey, AFolderStaysInside) {
  const Key& row = key("verify.dir");
  for (const char* text : {".", "src", "a/b", "..a", "a..b/c"})
    EXPECT_TRUE(value_of(row, "verify.dir", text)) << text;
  for (const char* text : {"", "/", "/etc", "..", "a/../..", "a/..", "a\nb"})
    EXPECT_FALSE(value_of(row, "verify.dir", text)) << text;
}

TEST(ConfigKey, ATextCannotPassForAnOption) {
  const Key& row = key("phases.*.model");
  EXPECT_TRUE(value_of(row, "x", "opus[1m]"));
  for (const char* text : {"", "-x", "--model", "a\nb"}) EXPECT_FALSE(value_of(row, "x", text));
}

TEST(ConfigKey, AWrongChoiceNamesTheNearestOne) {
  const auto value = value_of(key("tracker"), "tracker", "nativ");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "tracker cannot be 'nativ'");
  EXPECT_EQ(value.error().hint, "it must be one of auto, native, bd; did you mean native?");
}

TEST(ConfigKey, OnlyCommandsAndPatternsAreLists) {
  EXPECT_EQ(value_of(key("verify.test"), "x", Texts{"go", "test"}), Value(Texts{"go", "test"}));
  EXPECT_EQ(value_of(key("verify.test"), "x", "go test"), Value(std::string("go test")));
  EXPECT_EQ(value_of(key("exclude"), "x", Texts{}), Value(Texts{}));
  EXPECT_FALSE(value_of(key("exclude"), "x", "*.tmp"));
  EXPECT_FALSE(value_of(key("exclude"), "x", Texts{""}));
  EXPECT_FALSE(value_of(key("verify.test"), "x", " \n"));
  EXPECT_FALSE(value_of(key("verify.test"), "x", Texts{}));
  EXPECT_FALSE(value_of(key("verify.test"), "x", Texts{"", "a"}));
  EXPECT_FALSE(value_of(key("providers.*.command"), "x", "prog"));
  EXPECT_FALSE(value_of(key("providers.*.command"), "x", Texts{"a", std::string("b\0c", 3)}));
  EXPECT_FALSE(value_of(key("provider"), "x", Texts{"claude"}));
}

TEST(ConfigKey, TheDefaultsAreWhatTheProjectPromises) {
  EXPECT_EQ(default_of(key("provider")), Value(std::string("claude")));
  EXPECT_EQ(default_of(key("max_retries")), Value(std::int64_t{3}));
  EXPECT_EQ(default_of(key("phase_timeout")), Value(std::int64_t{600}));
  EXPECT_EQ(default_of(key("tracker")), Value(std::string("auto")));
  EXPECT_EQ(default_of(key("main_branch")), Value());
  EXPECT_EQ(default_of(key("exclude")),
            Value(Texts{"*.tmp", "*.bak", "*.swp", "*~", "*.orig", "*.rej"}));
  EXPECT_EQ(default_of(key("convergence")), Value(std::string("stop")));
}

TEST(ConfigKey, TheVariablesAreExactlyTheFiveThatAreConfiguration) {
  Texts names;
  for (const Key& row : keys())
    if (!row.variable.empty()) names.emplace_back(row.variable);
  EXPECT_EQ(names, (Texts{"CAPSULE_PROVIDER", "CAPSULE_MAX_RETRIES", "CAPSULE_PHASE_TIMEOUT",
                          "CAPSULE_TRACKER", "CAPSULE_MAIN_BRANCH"}));
}

TEST(ConfigKey, EveryRowHasADefaultOrAnExample) {
  for (const Key& row : keys()) {
    EXPECT_NE(row.initial.empty(), row.example.empty()) << row.path;
    EXPECT_EQ(row.kind == Kind::choice || row.kind == Kind::choices, !row.choices.empty())
        << row.path;
    EXPECT_FALSE(row.help.empty()) << row.path;
    EXPECT_NE(row.help.back(), '.') << row.path;
  }
}

TEST(ConfigKey, TheManualNamesEveryKeyWithItsDefaultAndVariable) {
  std::ifstream file(CAPSULE_SOURCE_DIR "/docs/configuration.md");
  std::string line;
  Texts rows;
  while (std::getline(file, line))
    if (line.starts_with("| `")) rows.push_back(line);
  ASSERT_FALSE(rows.empty());
  for (const Key& row : keys()) {
    std::string path(row.path);
    if (const auto star = path.find('*'); star != path.npos) path.replace(star, 1, "NAME");
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const std::string& text) {
      return text.starts_with("| `" + path + "` |");
    });
    ASSERT_NE(found, rows.end()) << path;
    EXPECT_NE(found->find(row.help), std::string::npos) << path;
    for (std::string_view word : {row.initial, row.variable, row.choices})
      for (std::string part; !word.empty();) {
        const auto end = word.find_first_of(" |");
        part = word.substr(0, end);
        EXPECT_NE(found->find(part), std::string::npos) << path << ": " << part;
        word.remove_prefix(end == word.npos ? word.size() : end + 1);
      }
  }
}

TEST(ConfigKey, WhatIsWrittenIsQuotedWhereYamlNeedsIt) {
  EXPECT_EQ(yaml_scalar("go test ./..."), "go test ./...");
  EXPECT_EQ(yaml_scalar("a: b"), "\"a: b\"");
  EXPECT_EQ(yaml_scalar("*.tmp"), "\"*.tmp\"");
  EXPECT_EQ(yaml_scalar("null"), "\"null\"");
  EXPECT_EQ(yaml_scalar(""), "\"\"");
  EXPECT_EQ(yaml_scalar("a \"b\" \\ \n\x01"), "\"a \\\"b\\\" \\\\ \\n\\x01\"");
  EXPECT_EQ(written(key("phase_timeout"), std::int64_t{90}), "90s");
  EXPECT_EQ(written(key("verify.test"), Texts{"go", "a b", ""}), "[go, a b, \"\"]");
}

TEST(ConfigKey, TheNearestNameIsNearOrNone) {
  constexpr std::string_view kNames[] = {"provider", "providers", "phases"};
  EXPECT_EQ(nearest_name("provder", kNames), "provider");
  EXPECT_EQ(nearest_name("phase", kNames), "phases");
  EXPECT_EQ(nearest_name("zzzzzz", kNames), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), kNames), "");
}

}  // namespace
}  // namespace capsule::config
