// A test that an agent wrote runs in the gates: without walls with the user's rights, inside them
// with none of them.
#include <filesystem>

#include "tests/contain/kernel.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

class ContainedGate : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    configure_gates();
  }
  // In the user's own file: agents have none.
  void contain_gates(const std::string& preset) {
    env()["XDG_CONFIG_HOME"] = path("config");
    env()["CAPSULE_CONTAIN"] = std::nullopt;
    write_file(path("config/capsule/config.yaml"),
               "contain: {preset: off}\nverify: {contain: " + preset + "}\n");
  }
  // The good agent's test, with what a hostile one adds.
  void have_hostile_test() {
    on("test-writer", 1,
       "mkdir -p tests; printf '%s\\n' 'echo out >\"$HOME/out\"; echo out >" + path("out") +
           "; echo here >left' '[ -e feature.txt ]' >tests/feature_test.sh; "
           "say PASS red '\"tests/feature_test.sh\"'");
  }
  bool got_out() const { return fs::exists(path("out")) || fs::exists(path("home/out")); }
};

TEST_F(ContainedGate, WithoutWallsATestGetsOut) {
  contain_gates("off");
  have_hostile_test();
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(got_out()) << "else the next test shows nothing";
}

TEST_F(ContainedGate, InsideThemItDoesNotAndTheWorkIsDone) {
  contain_gates("strict");
  have_hostile_test();
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(got_out());
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(git_out({"diff", "--name-only", "HEAD~1", "HEAD"}),
            "feature.txt\ntests/feature_test.sh");
}

TEST_F(ContainedGate, WhereTheyCannotBePutUpNobodyIsPaidAndTheRemedyIsNamed) {
  contain_gates("strict");
  Outcome outcome;
  std::thread([&] {
    without_user_namespaces();
    outcome = run_bead();
  }).join();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out + outcome.err, "user namespaces");
  EXPECT_TRUE(phases().empty());
  expect_untouched();
}

}  // namespace
}  // namespace capsule::test
