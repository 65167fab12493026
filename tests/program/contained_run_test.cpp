// A whole run of agents that try to get out, inside walls and without.
#include <filesystem>

#include "tests/contain/kernel.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

// Does what a good agent does, and tries a few things besides.
constexpr const char* kAgent = R"SH(#!/bin/sh
cat >/dev/null
say() { printf '{"status":"PASS","feedback":"fine","files_changed":[%s],"summary":"s"}\n' "$1"; }
echo out >'@ROOT@/out'
git -C '@PROJECT@' update-ref refs/heads/planted HEAD
case $CAPSULE_PHASE in
  test-writer) mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh
    say '"tests/feature_test.sh"' ;;
  execute) echo done >feature.txt; say '"feature.txt"' ;;
  merge) git add tests feature.txt && git commit -q -m "$CAPSULE_COMMIT_MSG" >&2
    say '"tests/feature_test.sh","feature.txt"' ;;
  *) echo "by $CAPSULE_PHASE" >>feature.txt; say ;;
esac
)SH";

class ContainedRun : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    configure_gates();
    std::string text = kAgent;
    text.replace(text.find("@ROOT@"), 6, path(""));
    text.replace(text.find("@PROJECT@"), 9, project());
    write_file(path("agent.sh"), text);
    fs::permissions(path("agent.sh"), fs::perms::owner_all);
  }
  void contain_with(const std::string& preset) {
    env()["XDG_CONFIG_HOME"] = path("config");
    write_file(path("config/capsule/config.yaml"),
               "provider: mine\nproviders: {mine: {command: ['" + path("agent.sh") +
                   "']}}\ncontain: {preset: " + preset + "}\n");
  }
  bool planted() const {
    return git({"rev-parse", "-q", "--verify", "refs/heads/planted"}).exit_code == 0;
  }
};

TEST_F(ContainedRun, WithoutWallsAnAgentGetsOut) {
  contain_with("off");
  (void)run_bead();
  EXPECT_TRUE(fs::exists(path("out"))) << "else the next test shows nothing";
  EXPECT_TRUE(planted());
}

TEST_F(ContainedRun, InsideThemNoneDoesAndTheWorkIsDone) {
  contain_with("strict");
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_FALSE(planted());
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done") << "no reviewer has changed it";
  EXPECT_HAS(outcome.out + outcome.err, "tried to change feature.txt");
  EXPECT_TRUE(fs::is_empty(project() + "/.capsule/tmp"));
}

TEST_F(ContainedRun, WhereTheyCannotBePutUpNothingIsMade) {
  contain_with("strict");
  Outcome outcome;
  std::thread([&] {
    without_user_namespaces();
    outcome = run_bead();
  }).join();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.err, "user namespaces");
  EXPECT_FALSE(fs::exists(path("out")));
  expect_untouched();
}

}  // namespace
}  // namespace capsule::test
