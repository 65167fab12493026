// capsule tell with the real client: the facts on which `steer: true` relies.
#include <filesystem>

#include "tests/client/client.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ClientTell : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    configure("providers: {claude: {steer: true}}\n");
    model().when("# Test-Writer Phase",
                 {bash("mkdir -p tests; echo 'grep -q done feature.txt' >tests/feature_test.sh"),
                  say(signal_text("PASS", "red"))});
    for (const char* phase : {"# Test-Review Phase", "# Execute-Review Phase", "# Sign-Off Phase"})
      model().when(phase, {say(signal_text("PASS", "fine"))});
    model().when("# Merge Phase",
                 {bash("git add tests feature.txt && git commit -q -m \"$CAPSULE_COMMIT_MSG\""),
                  say(signal_text("PASS", "merged"))});
  }
  // All that the client has written down of its sessions.
  std::string transcripts() const {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(path("home/.claude/projects")))
      if (entry.path().extension() == ".jsonl") text += read_file(entry.path());
    return text;
  }
};

TEST_F(ClientTell, IsHeardBesideTheResultOfTheToolThatRuns) {
  model().when("# Execute Phase",
               {bash("echo ready >'" + mock("ready") + "'; while ! test -e '" + mock("go") +
                     "'; do sleep 0.05; done; echo done >feature.txt"),
                say(signal_text("PASS", "green"))});
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] { return fs::exists(mock("ready")); }))
      << running.out_so_far() << running.err_so_far();
  const Outcome told = command("tell", {kBead, "Use UTC everywhere"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("who works hears it at its next step"));
  write_file(mock("go"), "");
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("execute has heard the message while it works"));
  EXPECT_THAT(transcripts(), HasSubstr("Use UTC everywhere"));
}

}  // namespace
}  // namespace capsule::test
