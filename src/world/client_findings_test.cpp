#include "world/client_findings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"

namespace capsule::world {
namespace {

// A client of that version on a PATH of its own.
class Clients : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/capsule-clients-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    path_ = ::getenv("PATH");
    ::setenv("PATH", (root_ + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(root_);
  }
  void install(const std::string& name, const std::string& script) {
    ASSERT_TRUE(write_file(root_ + "/" + name, "#!/bin/sh\n" + script + "\n", 0755));
  }
  ClientState look(const std::string& name) {
    return look_at_client(*agent::client_named(name), [this](const char* variable) {
      const auto found = variables_.find(variable);
      return found == variables_.end() ? nullptr : found->second.c_str();
    });
  }
  std::string root_, path_;
  std::map<std::string, std::string> variables_;
};

TEST_F(Clients, AreToldWithVersionAccountAndWhetherTheyCanBeReadOnly) {
  install("codex", "[ \"$*\" = --version ] && echo 'codex-cli 0.166.0'");
  variables_["OPENAI_API_KEY"] = "x";
  const ClientState state = look("codex");
  EXPECT_EQ(state.version, "0.166.0");
  EXPECT_TRUE(state.tested);
  const Finding finding = finding_of(state, true);
  EXPECT_EQ(finding.health, Health::good);
  EXPECT_EQ(finding.what, "client codex");
  EXPECT_EQ(finding.text,
            "0.166.0, tested; can be told to change nothing; account: OPENAI_API_KEY");
}

TEST_F(Clients, AnotherVersionThanTheTestedOnesIsSaid) {
  install("claude", "echo '9.9.9 (Claude Code)'");
  ASSERT_TRUE(make_folders(root_ + "/.claude"));
  ASSERT_TRUE(write_file(root_ + "/.claude/.credentials.json", "{}"));
  variables_["HOME"] = root_;
  const Finding finding = finding_of(look("claude"), true);
  EXPECT_EQ(finding.health, Health::doubtful);
  EXPECT_EQ(finding.text,
            "9.9.9, not tested; 2.1.197, 2.1.326 are; can be told to change nothing; account: "
            "~/.claude/.credentials.json");
  EXPECT_EQ(finding_of(look("claude"), false).health, Health::good) << "nobody uses it here";
}

TEST_F(Clients, OneWithoutASignOfAnAccountIsDoubtfulWhereItIsUsed) {
  install("grok", "exit 1");
  const ClientState state = look("grok");
  EXPECT_TRUE(state.found);
  EXPECT_EQ(state.version, "");
  const Finding finding = finding_of(state, true);
  EXPECT_EQ(finding.health, Health::doubtful);
  EXPECT_EQ(finding.text,
            "it does not tell its version; tested with 1.0.41; cannot be told to change nothing; "
            "no sign of an account");
  ASSERT_EQ(finding.mend.size(), 1U);
  EXPECT_EQ(finding.mend[0], "log in with grok, or set one of: XAI_API_KEY, GROK_API_KEY");
}

TEST_F(Clients, ThoseThatAreNotThereAreNamedTogether) {
  const Findings findings = check_clients({});
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.back().what, "other clients");
  EXPECT_NE(findings.back().text.find("kimi"), std::string::npos) << findings.back().text;
}

}  // namespace
}  // namespace capsule::world
