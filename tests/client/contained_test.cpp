// The real client inside the walls of `strict`: through the proxy, and without its key.
#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

class ClientContained : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    env()["ANTHROPIC_API_KEY"] = "the-real-one";
    env()["XDG_CONFIG_HOME"] = path("config");
    env()["CAPSULE_CONTAIN"] = std::nullopt;
    write_file(path("config/capsule/config.yaml"),
               "contain: {preset: strict, net: proxy, broker: true}\n");
  }
};

TEST_F(ClientContained, SixPhasesWithARetryReachMainAndNoAgentHasTheKey) {
  configure_gates();
  // Rules that come first win.
  model().when("# Execute Phase",
               {bash("env; cat /proc/self/environ; curl -s http://elsewhere.example/; exit 0"),
                bash("echo done >feature.txt"), bash("sh tests/feature_test.sh && echo GREEN"),
                bash("printf '\\n### Attempt 1\\n\\n- Status: PASS\\n' >>worklog.md"),
                say(signal_text("PASS", "green", "\"feature.txt\""))});
  script_pipeline(model());
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("test-review: NEEDS_WORK (attempt 1/3)"));
  EXPECT_THAT(outcome.out, HasSubstr("test-review: PASS (attempt 2/3)"));
  EXPECT_TRUE(is_closed());
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done");
  const std::vector<Turn> turns = model().turns();
  EXPECT_GE(turns.size(), 20U);
  EXPECT_THAT(turns, Each(Field(&Turn::credential, "the-real-one")));
  EXPECT_THAT(turns, Each(Field(&Turn::tool, Not(HasSubstr("the-real-one")))));
  EXPECT_THAT(turns, Contains(Field(&Turn::tool, HasSubstr("ANTHROPIC_API_KEY=kept-outside"))));
  EXPECT_THAT(turns, Contains(Field(&Turn::tool, HasSubstr("elsewhere.example:80 was refused"))));
}

}  // namespace
}  // namespace capsule::test
