// Auto mode when money ends while an agent works, through the binary.
#include "tests/program/demo_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class AutoService : public DemoProject {
 protected:
  void SetUp() override {
    DemoProject::SetUp();
    make_project();
  }
  // A client that has done half of `init` when it has used 190 tokens, once.
  void agent() const {
    program("claude", R"(
complete() { printf -- '---\nSIGNAL: %s_COMPLETE\nPHASE: %s\nSTATUS: complete\nTIMESTAMP: 2026-01-31T23:59:59Z\n---\n' "${CAPSULE_PHASE^^}" "$CAPSULE_PHASE"; }
if [ "$CAPSULE_PHASE" = init ] && mkdir ')" +
                          path("once") +
                          R"(' 2>/dev/null; then
  echo half >half.txt
  echo '{"type":"system","subtype":"init","session_id":"s"}'
  echo '{"type":"assistant","message":{"id":"m","model":"x","content":[],"usage":{"input_tokens":10,"output_tokens":180}}}'
  exec sleep 600
fi
[ "$CAPSULE_PHASE" = init ] && printf '%s ' "$@" >')" +
                          path("words") + "' && mv half.txt '" + path("kept") + "'\n" +
                          kGoodInAuto);
  }
};

TEST_F(AutoService, AHardBudgetEndsATurnThatGoesOnWithItsWorkWhenTheRunIsTakenUp) {
  write_file(project() + "/.capsule/config.yaml", "budget: {tokens: 110, hard: true}\n");
  agent();
  const Outcome outcome = in({"auto", "run", "Say hello", "--skip-expansion", "--skip-qa",
                              "--skip-review", "--skip-reflect"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("190 tokens of 110 tokens spent; nothing new starts"));
  ASSERT_EQ(in({"answer", "1001", "500k"}).exit_code, 0);
  const Outcome again = in({"auto", "continue"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(read_file(path("kept")), "half\n") << "nothing of it was taken back";
  EXPECT_THAT(read_file(path("words")), HasSubstr("--resume s "));
}

}  // namespace
}  // namespace capsule::test
