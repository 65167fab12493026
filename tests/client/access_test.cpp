// Read-only reviewers: what each client that can be told to change nothing does when its model
// tries to write all the same.
#include <cstdlib>

#include "tests/client/agents.h"
#include "tests/client/client.h"

namespace capsule::test {
namespace {

// What the model calls to write. The shell's name is for clients that do not offer it then.
struct Writer {
  const char* client;
  const char* shell;
  const char* tool;
  const char* file;  // the names of its arguments
  const char* text;
};
constexpr Writer kWriters[] = {
    {"claude", "", "Write", "file_path", "content"},
    {"codex", "", "", "", ""},  // it writes by its shell
    {"gemini", "run_shell_command", "write_file", "file_path", "content"},
    {"opencode", "bash", "write", "filePath", "content"},
    {"qwen", "run_shell_command", "write_file", "file_path", "content"},
    {"copilot", "bash", "create", "path", "file_text"},
};

class ReadOnly : public AgentTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static Writer writer() {
    for (const Writer& one : kWriters)
      if (std::string_view(one.client) == GetParam()) return one;
    return {};
  }
  // The files that reach main when the model of a review tries to write, too.
  std::string changed_by_a_review(const std::string& access) {
    configure("provider: " + std::string(GetParam()) + "\n" + providers_of({GetParam()}) +
              "phases: {review: {access: " + access + "}}\n");
    write_small_workflow();
    // Nothing but the client stands in its way: what this review writes would be kept.
    write_file(project() + "/.capsule/workflows/small.yaml",
               "summary: A change and a look at it\n"
               "phases:\n"
               "  - name: change\n"
               "    prompt: prompts/small/change.md\n"
               "  - name: review\n"
               "    prompt: prompts/small/review.md\n"
               "    needs_work: {retry: change, limit: 3}\n"
               "end: merge\n");
    model().when("# Change it", {bash("echo done >feature.txt"),
                                 say(signal_text("PASS", "changed", "\"feature.txt\""))});
    const Writer way = writer();
    const std::string command = "echo x >by-shell.txt";
    std::vector<Say> answers{
        *way.shell == '\0' ? bash(command)
                           : calls(way.shell, {{"command", command}, {"description", "Write"}})};
    if (*way.tool != '\0')
      answers.push_back(
          calls(way.tool, {{way.file, worktree() + "/by-tool.txt"}, {way.text, "x\n"}}));
    answers.push_back(say(signal_text("PASS", "I tried to write")));
    const std::size_t steps = answers.size();
    model().when("# Look at it", answers);
    const std::string before = main_head();
    const Outcome outcome = run_small({"--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(model().turns().back().key, "# Look at it");
    EXPECT_EQ(model().turns().back().step, steps - 1) << "it went on to its last words";
    return git_out({"diff", "--name-only", before, "main"});
  }
};

TEST_P(ReadOnly, AReviewerThatTriesToWriteIsRefusedByItsClient) {
  if (!with_clients({GetParam()})) return;
  EXPECT_EQ(changed_by_a_review("read-only"), "feature.txt");
}

// The same calls are good ones: whoever may write does so by them.
TEST_P(ReadOnly, AReviewerThatMayWriteDoes) {
  const std::string name = GetParam();
  if (name != "claude" && name != "codex" && std::getenv("CAPSULE_TEST_FULL") == nullptr)
    GTEST_SKIP() << "./test --full runs it";
  if (!with_clients({name})) return;
  EXPECT_EQ(changed_by_a_review("write"), *writer().tool == '\0'
                                              ? "by-shell.txt\nfeature.txt"
                                              : "by-shell.txt\nby-tool.txt\nfeature.txt");
}

FOR_CLIENT(ReadOnly, "claude", Claude);
FOR_CLIENT(ReadOnly, "codex", Codex);
FOR_CLIENT(ReadOnly, "gemini", Gemini);
FOR_CLIENT(ReadOnly, "opencode", Opencode);
FOR_CLIENT(ReadOnly, "qwen", Qwen);
FOR_CLIENT(ReadOnly, "copilot", Copilot);

}  // namespace
}  // namespace capsule::test
