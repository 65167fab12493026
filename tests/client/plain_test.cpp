// Each real client as a `command` provider, with plain output: its tools work in the worktree, its
// last text is its signal, and no failure of its service is taken for work.
#include <csignal>
#include <filesystem>

#include "tests/client/agents.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::pair<Fault, const char*> kAtOnce[] = {{Fault::unauthorised, "unauthorised"},
                                                     {Fault::rate_limited, "rate limited"},
                                                     {Fault::usage_limit, "usage limit"},
                                                     {Fault::no_credit, "no credit"},
                                                     {Fault::overloaded, "overloaded"},
                                                     {Fault::server_error, "server error"},
                                                     {Fault::cut, "cut"},
                                                     {Fault::refused, "refused"},
                                                     {Fault::too_long, "too long"}};

class Plain : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AgentTest::SetUp();
    hide_from_capsule();
    if (!with_clients({GetParam()})) return;
    configure("provider: plain-" + std::string(GetParam()) + "\n" + plain_provider(GetParam()));
    write_small_workflow();
  }
};

TEST_P(Plain, AChangeGoesThroughAReworkToMainAndTheClientLeavesNothing) {
  script_small_workflow();
  const std::string before = main_head();
  const Outcome outcome = run_small();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(model().keys(),
              ElementsAre("# Change it", "# Look at it", "Please greet", "# Look at it"));
  EXPECT_THAT(outcome.out, HasSubstr("review: NEEDS_WORK"));
  EXPECT_THAT(model().turns()[1].tool, HasSubstr(worktree()));
  EXPECT_EQ(git_out({"show", "main:feature.txt"}), "done\nhello");
  EXPECT_EQ(git_out({"diff", "--name-only", before, "main"}), "feature.txt");
  EXPECT_TRUE(is_closed());
  EXPECT_FALSE(fs::exists(worktree()));
}

// Nothing that a service does instead of answering is a signal, whatever the client makes of it:
// goose says it in words and exits with 0. Faults that the client would wait for are left to our
// clock.
TEST_P(Plain, AFaultOfTheServiceIsNeverTakenForWork) {
  commit_file("prompts/change.md", "# Change it\n");
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  const auto is_quick = [](Fault fault) {
    return std::string_view(GetParam()) == "codex" || fault == Fault::unauthorised ||
           fault == Fault::refused;
  };
  for (const auto& [fault, name] : kAtOnce) {
    if (!is_quick(fault)) continue;
    SCOPED_TRACE(name);
    model().when(std::string("This time: ") + name + ".", {fails(fault)});
    const Outcome outcome = command(
        "run-phase", {"change", worktree(), std::string("--feedback=This time: ") + name + "."});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
    EXPECT_EQ(model().turns().back().fault, fault);
    EXPECT_THAT(outcome.out, HasSubstr(R"("status":"ERROR")"));
  }
  EXPECT_EQ(git_out({"status", "--porcelain"}, worktree()), "?? worklog.md");
}

// The fixture sees to it that no process is left.
TEST_P(Plain, AClientThatWaitsForItsModelEndsWithUsAndSoDoesWhatItStarted) {
  commit_file("prompts/change.md", "# Change it\n");
  ASSERT_EQ(command("prep", {kBead}).exit_code, 0);
  model().when("# Change it",
               {bash("setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo $! >left.pid"),
                fails(Fault::silent)});
  Running phase(calling("run-phase", {"change", worktree()}));
  ASSERT_TRUE(eventually([&] {
    const std::vector<Turn> turns = model().turns();
    return !turns.empty() && turns.back().fault == Fault::silent;
  }));
  phase.send(SIGTERM);
  EXPECT_NE(phase.wait().exit_code, 0);
  const std::string pid = lines_of(read_file(worktree() + "/left.pid")).at(0);
  EXPECT_FALSE(fs::exists("/proc/" + pid));
}

}  // namespace

#define EACH_CLIENT(name, Name)                                          \
  INSTANTIATE_TEST_SUITE_P(Client##Name, Plain, ::testing::Values(name), \
                           [](const auto&) { return name; })
namespace {
EACH_CLIENT("codex", Codex);
EACH_CLIENT("gemini", Gemini);
EACH_CLIENT("opencode", Opencode);
EACH_CLIENT("goose", Goose);
EACH_CLIENT("qwen", Qwen);
EACH_CLIENT("copilot", Copilot);
EACH_CLIENT("kimi", Kimi);
EACH_CLIENT("grok", Grok);
}  // namespace

}  // namespace capsule::test
