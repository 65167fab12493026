#include "agent/rehearsal/play.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "agent/rehearsal/rehearsal.h"
#include "assets/embedded.h"
#include "base/files.h"
#include "process/command.h"
#include "worklog/signoff.h"

namespace capsule::agent::rehearsal {
namespace {

// A worktree of its own for each test, and what was printed there.
class Playing : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "rehearsal-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
    tree_ = home_ + "/tree";
    ASSERT_TRUE(make_folders(tree_));
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  struct Played {
    int code = -1;
    int line = 0;
    std::string error, out, err;
  };

  Played play_take(const Take& take, std::string prompt = "",
                   std::map<std::string, std::string, std::less<>> variables = {}) {
    const File out(::open((home_ + "/out").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    const File err(::open((home_ + "/err").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    Stage stage{tree_, take.phase, std::move(prompt), {}, out.fd(), err.fd()};
    stage.variable = [&](std::string_view name) -> Lookup {
      const auto found = variables.find(name);
      return found == variables.end() ? Lookup{} : Lookup{Known::set, found->second};
    };
    Played played;
    const auto code = play(take, stage);
    if (code) {
      played.code = *code;
    } else {
      played.line = code.error().line;
      played.error = code.error().error.message;
    }
    played.out = *read_file(home_ + "/out");
    played.err = *read_file(home_ + "/err");
    return played;
  }

  // The steps of an `execute` take, as YAML, indented by six spaces.
  Played play_steps(const std::string& steps, std::string prompt = "",
                    std::map<std::string, std::string, std::less<>> variables = {}) {
    const auto cassette =
        parse_cassette("cassette: 1\ntakes:\n  - phase: execute\n    steps:\n" + steps, "test");
    EXPECT_TRUE(cassette) << cassette.error().message;
    if (!cassette) return {};
    return play_take(cassette->takes[0], std::move(prompt), std::move(variables));
  }

  std::string file(const std::string& name) {
    const auto text = read_file(tree_ + "/" + name);
    return text ? *text : "(no file)";
  }

  std::string home_, tree_;
};

TEST_F(Playing, FilesAreWrittenEditedAndDeleted) {
  const Played played = play_steps(
      "      - {write: a/b/c.txt, text: \"one two three\"}\n"
      "      - {edit: a/b/c.txt, find: two, replace: \"2\"}\n"
      "      - {write: gone.txt, text: x}\n"
      "      - {delete: gone.txt}\n"
      "      - {write: run.sh, text: x, executable: true}\n");
  EXPECT_EQ(played.code, 0) << played.error;
  EXPECT_EQ(file("a/b/c.txt"), "one 2 three");
  EXPECT_FALSE(exists(tree_ + "/gone.txt"));
  EXPECT_EQ(::access((tree_ + "/run.sh").c_str(), X_OK), 0);
  EXPECT_EQ(played.out, "");
}

TEST_F(Playing, AnEditHasToMeetItsTextExactlyOnce) {
  ASSERT_TRUE(write_file(tree_ + "/f", "aXbXc"));
  EXPECT_EQ(play_steps("      - {edit: f, find: Y, replace: Z}\n").error,
            "the text to replace is not in f");
  const Played twice = play_steps("      - print: x\n      - {edit: f, find: X, replace: Z}\n");
  EXPECT_EQ(twice.error, "the text to replace occurs more than once in f");
  EXPECT_EQ(twice.line, 6);
  EXPECT_EQ(file("f"), "aXbXc");
}

TEST_F(Playing, NoPathLeavesTheWorktree) {
  ASSERT_EQ(::symlink(home_.c_str(), (tree_ + "/link").c_str()), 0);
  ASSERT_EQ(::symlink((home_ + "/victim").c_str(), (tree_ + "/file").c_str()), 0);
  ASSERT_TRUE(write_file(home_ + "/victim", "safe"));
  for (const char* path : {"../victim", "a/../../victim", "/tmp/x", "link/victim", "file", "", ".",
                           "..", ".git/config", "a/.git/hooks/x"}) {
    const std::string p(path);
    EXPECT_NE(play_steps("      - {write: \"" + p + "\", text: bad}\n").error, "") << p;
    EXPECT_NE(play_steps("      - {edit: \"" + p + "\", find: safe, replace: bad}\n").error, "")
        << p;
    if (p != "file") {
      EXPECT_NE(play_steps("      - {delete: \"" + p + "\"}\n").error, "") << p;
    }
  }
  for (const char* folder : {"..", "/", "link", "missing", ".git"})
    EXPECT_NE(play_steps("      - {run: [touch, x], in: \"" + std::string(folder) + "\"}\n").error,
              "")
        << folder;
  EXPECT_EQ(*read_file(home_ + "/victim"), "safe");
  EXPECT_FALSE(exists(home_ + "/x"));
}

TEST_F(Playing, AVariableCannotLeadAPathOutOfTheWorktree) {
  EXPECT_EQ(play_steps("      - {write: \"${BEAD}/x\", text: bad}\n", "", {{"BEAD", ".."}}).error,
            "a path must not contain '..': ../x");
}

TEST_F(Playing, AWorklogThatIsALinkIsNotFollowed) {
  ASSERT_TRUE(write_file(home_ + "/victim", "safe"));
  ASSERT_EQ(::symlink((home_ + "/victim").c_str(), (tree_ + "/worklog.md").c_str()), 0);
  EXPECT_NE(play_steps("      - worklog: bad\n").error, "");
  EXPECT_EQ(*read_file(home_ + "/victim"), "safe");
}

TEST_F(Playing, CommandsPrintAndAreHeldToTheirExitCode) {
  const Played played = play_steps(
      "      - run: [sh, -c, \"echo out; echo err >&2; pwd\"]\n        in: src\n"
      "      - {run: [\"false\"], expect: fail}\n"
      "      - {run: [\"false\"], expect: 1}\n"
      "      - {run: [\"false\"], expect: any}\n");
  EXPECT_NE(played.error, "") << "src does not exist";
  ASSERT_TRUE(make_folders(tree_ + "/src"));
  const Played again = play_steps(
      "      - run: [sh, -c, \"echo out; echo err >&2; pwd\"]\n        in: src\n"
      "      - {run: [\"false\"], expect: fail}\n"
      "      - {run: [\"false\"], expect: 1}\n"
      "      - {run: [\"false\"], expect: any}\n");
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(again.out, "out\n" + *real_path(tree_ + "/src") + "\n");
  EXPECT_EQ(again.err, "err\n");
}

TEST_F(Playing, AnUnexpectedEndStopsTheTake) {
  EXPECT_EQ(play_steps("      - run: [\"false\"]\n      - {write: f, text: x}\n").error,
            "'false' ended with exit code 1; 0 was expected");
  EXPECT_FALSE(exists(tree_ + "/f"));
  EXPECT_EQ(play_steps("      - {run: [\"true\"], expect: fail}\n").error,
            "'true' ended with exit code 0; a failure was expected");
  EXPECT_EQ(play_steps("      - {run: [sh, -c, exit 127], expect: fail}\n").error,
            "'sh -c exit 127' ended with exit code 127; a failure was expected");
  EXPECT_EQ(play_steps("      - {run: [sh, -c, kill -9 $$], expect: any}\n").error,
            "'sh -c kill -9 $$' ended with signal 9; an exit code was expected");
  EXPECT_NE(play_steps("      - {run: [no-such-program-here], expect: any}\n").error, "");
}

TEST_F(Playing, WordsReachTheCommandAsTheyAre) {
  const Played played = play_steps("      - run: [printf, \"%s|\", \"${M}\", $(id), \"`x` *\"]\n",
                                   "", {{"M", "it's; \"$(touch f)\" ${M}"}});
  EXPECT_EQ(played.out, "it's; \"$(touch f)\" ${M}|$(id)|`x` *|");
}

TEST_F(Playing, SavedOutputCanBeUsedLater) {
  const Played played = play_steps(
      "      - run: [echo, 1234]\n        save: commit\n"
      "      - signal: {status: PASS, feedback: f, files_changed: [], summary: s, "
      "commit_hash: \"${commit}\"}\n");
  EXPECT_EQ(played.out,
            "{\"status\":\"PASS\",\"feedback\":\"f\",\"files_changed\":[],\"summary\":\"s\","
            "\"commit_hash\":\"1234\"}\n");
}

TEST_F(Playing, AWorklogEntryGoesUnderItsPhase) {
  ASSERT_TRUE(write_file(tree_ + "/worklog.md",
                         "# Worklog\n\n## Phase 3: execute\n\n## Phase 4: execute-review\n"));
  EXPECT_EQ(play_steps("      - worklog: |\n          Done.\n").code, 0);
  EXPECT_EQ(file("worklog.md"),
            "# Worklog\n\n## Phase 3: execute\n\nDone.\n\n## Phase 4: execute-review\n");
}

TEST_F(Playing, APromptWithoutTheFeedbackStopsTheTake) {
  EXPECT_EQ(play_steps("      - prompt_has: mend it\n", "please mend it now").code, 0);
  EXPECT_EQ(play_steps("      - prompt_has: mend it\n", "go on").error,
            "the prompt does not contain: mend it");
}

TEST_F(Playing, ExitEndsTheTake) {
  const Played played =
      play_steps("      - print: a\n      - stderr: b\n      - exit: 7\n      - print: c\n");
  EXPECT_EQ(played.code, 7);
  EXPECT_EQ(played.out, "a\n");
  EXPECT_EQ(played.err, "b\n");
}

// The demo cassettes with the real go, as the pipeline plays them.
class DemoCassette : public Playing {
 protected:
  void SetUp() override {
    Playing::SetUp();
    const std::string template_folder = CAPSULE_SOURCE_DIR "/templates/demo-capsule/";
    std::filesystem::copy(template_folder + "src", tree_ + "/src",
                          std::filesystem::copy_options::recursive);
    ::setenv("GOTOOLCHAIN", "local", 1);
    ::setenv("GOFLAGS", "-trimpath", 1);  // so that one test can use what another one built
    ::setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    must({"git", "init", "-q"});
    must({"git", "config", "user.name", "Test"});
    must({"git", "config", "user.email", "test@example.com"});
    must({"git", "add", "src"});
    must({"git", "commit", "-q", "-m", "start"});
  }

  std::string must(std::vector<std::string> argv, const std::string& folder = "") {
    process::Spec spec;
    spec.argv = std::move(argv);
    spec.cwd = tree_ + "/" + folder;
    const auto output = process::run(spec);
    EXPECT_TRUE(output && output->ok()) << spec.argv[0] << " " << spec.argv[1];
    return output ? output->out : "";
  }

  void load(const std::string& name) {
    const auto text =
        read_file(CAPSULE_SOURCE_DIR "/templates/demo-capsule/cassettes/" + name + ".yaml");
    ASSERT_TRUE(text);
    cassette_ = *parse_cassette(*text, name);
    for (Take& take : cassette_.takes)  // the pauses are for people who watch
      std::erase_if(take.steps, [](const Step& s) { return std::holds_alternative<Wait>(s.what); });
  }

  // The last line of what the phase printed; the error when it could not be played.
  std::string phase(const std::string& name, int attempt, const std::string& prompt = "") {
    const Take* take = find_take(cassette_, name, attempt);
    EXPECT_NE(take, nullptr);
    const Played played = play_take(*take, prompt,
                                    {{"CAPSULE_ATTEMPT", std::to_string(attempt)},
                                     {"CAPSULE_COMMIT_MSG", "demo: It's $(done)"}});
    EXPECT_EQ(played.code, 0) << name << " line " << played.line << ": " << played.error << "\n"
                              << played.out << played.err;
    const std::size_t brace = played.out.rfind("{\"status\":");
    return brace == std::string::npos ? "(no signal)" : played.out.substr(brace, 24);
  }

  void finish(const std::string& name) {
    EXPECT_TRUE(worklog::signed_off(file("worklog.md")));
    EXPECT_TRUE(phase("merge", 1).starts_with("{\"status\":\"PASS\""));
    EXPECT_EQ(must({"git", "log", "-1", "--format=%s"}), "demo: It's $(done)\n");
    EXPECT_EQ(must({"git", "show", "--format=", "--name-only", "HEAD"}),
              "src/" + name + ".go\nsrc/" + name + "_test.go\n");
    must({"go", "test", "./..."}, "src");
    must({"go", "vet", "./..."}, "src");
    EXPECT_EQ(must({"go", "fmt", "./..."}, "src"), "") << "the cassette's code is not formatted";
  }

  Cassette cassette_;
};

constexpr std::string_view kPass = "{\"status\":\"PASS\"";
constexpr std::string_view kNeedsWork = "{\"status\":\"NEEDS_WORK\"";

TEST_F(DemoCassette, TheReviewsFeedbackChangesTheSecondAttempt) {
  load("demo-1.1.1");
  EXPECT_TRUE(phase("test-writer", 1).starts_with(kPass));
  EXPECT_TRUE(phase("test-review", 1).starts_with(kNeedsWork));
  const std::string first = file("src/email_test.go");
  EXPECT_TRUE(phase("test-writer", 2, "more than one at sign … names the rejected value")
                  .starts_with(kPass));
  EXPECT_NE(file("src/email_test.go"), first);
  for (const char* name : {"test-review", "execute", "execute-review", "sign-off"})
    EXPECT_TRUE(phase(name, 2).starts_with(kPass)) << name;
  finish("email");
}

TEST_F(DemoCassette, WithoutTheFeedbackTheSecondAttemptCannotBePlayed) {
  load("demo-1.1.1");
  phase("test-writer", 1);
  EXPECT_EQ(play_take(*find_take(cassette_, "test-writer", 2), "no feedback here").error,
            "the prompt does not contain: more than one at sign");
}

TEST_F(DemoCassette, TheSecondTaskPassesAtOnce) {
  load("demo-1.1.2");
  for (const char* name : {"test-writer", "test-review", "execute", "execute-review", "sign-off"})
    EXPECT_TRUE(phase(name, 1).starts_with(kPass)) << name;
  finish("phone");
}

TEST_F(DemoCassette, TheLieIsALieAndIsMendedWhenTold) {
  load("demo-1.1.1-caught");
  for (const char* name : {"test-writer", "test-review", "execute"})
    EXPECT_TRUE(phase(name, 1).starts_with(kPass)) << name;
  process::Spec spec;
  spec.argv = {"go", "test", "./..."};
  spec.cwd = tree_ + "/src";
  const auto tests = process::run(spec);
  ASSERT_TRUE(tests);
  EXPECT_EQ(tests->exit_code, 1) << "execute claimed GREEN, and one test fails";
  EXPECT_NE(tests->out.find("TestValidateEmailRejectsOtherShapes"), std::string::npos);
  EXPECT_TRUE(phase("execute-review", 1).starts_with(kNeedsWork));
  EXPECT_TRUE(phase("execute", 2, tests->out).starts_with(kPass));
  for (const char* name : {"execute-review", "sign-off"})
    EXPECT_TRUE(phase(name, 2).starts_with(kPass)) << name;
  finish("email");
}

TEST_F(DemoCassette, TheOneInTheDocumentationDoesWhatItSays) {
  const auto page = read_file(CAPSULE_SOURCE_DIR "/docs/cassettes.md");
  ASSERT_TRUE(page);
  const std::size_t begin = page->find("```yaml\n") + 8;
  const auto cassette =
      parse_cassette(page->substr(begin, page->find("```\n", begin) - begin), "docs/cassettes.md");
  ASSERT_TRUE(cassette) << cassette.error().message;
  cassette_ = *cassette;
  EXPECT_TRUE(phase("test-writer", 1).starts_with(kPass));
  EXPECT_TRUE(phase("test-review", 1).starts_with(kNeedsWork));
  EXPECT_TRUE(phase("test-writer", 2, "The test accepts any greeting: check its words.")
                  .starts_with(kPass));
  for (const char* name : {"test-review", "execute", "execute-review", "sign-off", "merge"})
    EXPECT_TRUE(phase(name, 2).starts_with(kPass)) << name;
  EXPECT_TRUE(worklog::signed_off(file("worklog.md")));
  EXPECT_EQ(must({"git", "show", "--format=%s", "--name-only", "HEAD"}),
            "demo: It's $(done)\n\ngreeting.txt\ntest.sh\n");
}

TEST_F(DemoCassette, TheBuiltInOnePassesEveryPhaseOfAnyProject) {
  cassette_ = *parse_cassette(assets::find_embedded(kAnyProject)->bytes, "any");
  for (const char* name :
       {"test-writer", "test-review", "execute", "execute-review", "sign-off", "merge"})
    EXPECT_TRUE(phase(name, 1).starts_with(kPass)) << name;
  EXPECT_TRUE(worklog::signed_off(file("worklog.md")));
}

}  // namespace
}  // namespace capsule::agent::rehearsal
