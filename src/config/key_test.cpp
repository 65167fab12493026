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

TEST(ConfigKey, ASizeIsBytesOrANumberWithAUnit) {
  const Key& row = key("contain.memory");
  const auto bytes = [&](std::string_view text) {
    const auto value = value_of(row, "contain.memory", text);
    return value ? std::get<std::int64_t>(*value) : -1;
  };
  EXPECT_EQ(bytes("1000"), 1000);
  EXPECT_EQ(bytes("7B"), 7);
  EXPECT_EQ(bytes("2K"), 2048);
  EXPECT_EQ(bytes("500MB"), 500 * 1024 * 1024);
  EXPECT_EQ(bytes("4GB"), std::int64_t{4} << 30);
  EXPECT_EQ(bytes("1024TB"), std::int64_t{1} << 50);
  for (const char* text : {"", "0", "0GB", "-1", "1.5GB", "4 GB", "4gb", "4GiB", "GB", "1025TB",
                           "99999999999999999999", "9999999999999GB"})
    EXPECT_EQ(bytes(text), -1) << text;
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{4} << 30})
    EXPECT_EQ(bytes(written(row, size)), size);
  EXPECT_EQ(written(row, std::int64_t{4} << 30), "4GB");
}

TEST(ConfigKey, HostsPortsPlacesAndNamesAreWhatTheySay) {
  const auto fits = [](std::string_view path, std::string_view text) {
    return value_of(key(path), path, text) && value_of(key(path), path, Texts{std::string(text)});
  };
  for (const char* text : {"example.com", "a.b:443", "*.example.com:8443", "localhost", "A-1.x_y"})
    EXPECT_TRUE(fits("contain.allow", text)) << text;
  for (const char* text : {"", "*", "*.", "a..b", ".a", "a.", "-a.b", "a-.b", "a:0", "a:65536",
                           "a:", "a:b", "https://a.b", "a b", "*.*.a", "a/b", "a@b", "[::1]:443"})
    EXPECT_FALSE(fits("contain.allow", text)) << text;
  EXPECT_FALSE(fits("contain.allow", std::string(64, 'a') + ".com"));
  for (const char* text : {"1", "5432", "65535"}) EXPECT_TRUE(fits("contain.forward", text));
  for (const char* text : {"", "0", "65536", "x", "80/tcp"})
    EXPECT_FALSE(fits("contain.forward", text)) << text;
  for (const char* text : {"/opt/x", "~/.cache/go-build"}) EXPECT_TRUE(fits("contain.read", text));
  for (const char* text : {"", "/", "~", "~/", "~x/y", "relative", "../x", "/a\nb"})
    EXPECT_FALSE(fits("contain.read", text)) << text;
  for (const char* text : {"JAVA_HOME", "_x1"}) EXPECT_TRUE(fits("contain.env", text));
  for (const char* text : {"", "1A", "A=b", "A B", "A*"})
    EXPECT_FALSE(fits("contain.env", text)) << text;
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

TEST(ConfigKey, TheVariablesAreExactlyTheSevenThatAreConfiguration) {
  Texts names;
  for (const Key& row : keys())
    if (!row.variable.empty()) names.emplace_back(row.variable);
  EXPECT_EQ(names,
            (Texts{"CAPSULE_PROVIDER", "CAPSULE_MAX_RETRIES", "CAPSULE_PHASE_TIMEOUT",
                   "CAPSULE_TRACKER", "CAPSULE_MAIN_BRANCH", "CAPSULE_REMOTE", "CAPSULE_CONTAIN"}));
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
