#include "agent/rehearsal/rehearsal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"

namespace capsule::agent::rehearsal {
namespace {

using testing::ExitedWithCode;

// Each call is made in a child process, whose stdout is its stderr, so that both can be matched.
[[noreturn]] void rehearse(const std::string& cassette, const char* phase, const char* attempt,
                           const std::string& folder, const char* prompt = "") {
  if (::chdir(folder.c_str()) != 0 || ::dup2(2, 1) != 1) std::abort();
  ::unsetenv("CAPSULE_PHASE");
  if (phase != nullptr) ::setenv("CAPSULE_PHASE", phase, 1);
  ::setenv("CAPSULE_ATTEMPT", attempt, 1);
  ::setenv("CAPSULE_BEAD", "demo-7", 1);
  ::unsetenv("CAPSULE_COMMIT_MSG");
  std::exit(rehearsal_main(cassette, prompt));
}

class Rehearsal : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "rehearse-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ASSERT_TRUE(write_file(folder_ + "/c.yaml", R"(cassette: 1
takes:
  - phase: execute
    steps:
      - print: "first ${CAPSULE_BEAD}"
      - exit: 5
  - phase: execute
    attempt: 2
    steps:
      - prompt_has: mend
      - print: second
      - run: ["false"]
  - phase: merge
    steps:
      - print: "${CAPSULE_COMMIT_MSG}"
)"));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(Rehearsal, PhaseAttemptAndBeadComeFromTheEnvironment) {
  EXPECT_EXIT(rehearse("c.yaml", "execute", "1", folder_), ExitedWithCode(5), "first demo-7\n");
}

TEST_F(Rehearsal, AFailedStepIsAnErrorSignalThatNamesItsLine) {
  EXPECT_EXIT(rehearse("c.yaml", "execute", "2", folder_, "mend it"), ExitedWithCode(1),
              "second\ncapsule rehearse: c.yaml:12: 'false' ended with exit code 1.*\n"
              ".\"status\":\"ERROR\",\"feedback\":\"Rehearsal: c.yaml:12: 'false' ended");
  EXPECT_EXIT(rehearse("c.yaml", "execute", "3", folder_), ExitedWithCode(1),
              "c.yaml:10: the prompt does not contain: mend");
  EXPECT_EXIT(rehearse("c.yaml", "merge", "1", folder_), ExitedWithCode(1),
              "c.yaml:15: ..CAPSULE_COMMIT_MSG. has no value in this phase");
}

TEST_F(Rehearsal, NothingToPlayIsSaidAndExitsWithTwo) {
  EXPECT_EXIT(rehearse("none.yaml", "execute", "1", folder_), ExitedWithCode(2), "none.yaml");
  EXPECT_EXIT(rehearse("c.yaml", "sign-off", "1", folder_), ExitedWithCode(2),
              "c.yaml has no take for the phase 'sign-off', attempt 1");
  EXPECT_EXIT(rehearse("c.yaml", nullptr, "1", folder_), ExitedWithCode(2),
              "CAPSULE_PHASE is not set");
  EXPECT_EXIT(rehearse("c.yaml", "execute", "0", folder_), ExitedWithCode(2),
              "CAPSULE_ATTEMPT is not a positive number");
}

TEST_F(Rehearsal, TheBuiltInCassetteNeedsNoFile) {
  EXPECT_EXIT(rehearse(built_in(kAnyProject), "execute", "1", folder_), ExitedWithCode(0),
              "capsule-rehearsal/demo-7.md");
  EXPECT_TRUE(exists(folder_ + "/capsule-rehearsal/demo-7.md"));
  EXPECT_TRUE(exists(folder_ + "/worklog.md"));
  EXPECT_EXIT(rehearse(built_in("no.yaml"), "execute", "1", folder_), ExitedWithCode(2),
              "there is no built-in cassette no.yaml");
}

}  // namespace
}  // namespace capsule::agent::rehearsal
