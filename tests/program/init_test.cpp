
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Init : public DemoProject {
 protected:
  // A repository as a user has it, with these files, committed.
  void repository(const std::map<std::string, std::string>& files) {
    home_ = path("My App");
    for (const auto& [name, text] : files) write_file(home_ + "/" + name, text);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"init", "-q", "-b", "main"},
          std::vector<std::string>{"add", "-A"},
          std::vector<std::string>{"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm",
                                   "x", "--allow-empty"}})
      ASSERT_EQ(there(words, "git").exit_code, 0);
  }
  Outcome there(std::vector<std::string> args, const std::string& program = CAPSULE_BINARY) const {
    Call call = in_project(std::move(args));
    call.program = program;
    call.cwd = home_;
    return run(call);
  }
  std::string text(const std::string& name) const { return read_file(home_ + "/" + name); }
  std::string home_;
};

TEST_F(Init, MakesARepositoryReadyAndSaysWhatItDid) {
  repository({{"src/go.mod", "module x\n"}});
  const Outcome outcome = there({"init"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("wrote  prompts/test-writer.md\n"));
  EXPECT_TRUE(text("prompts/sign-off.md").starts_with("# Sign-Off Phase"));
  EXPECT_NE(text("templates/worklog.md.template"), "");
  EXPECT_THAT(text(".capsule/config.yaml"), HasSubstr("\ntracker: native\n"));
  EXPECT_THAT(text(".capsule/config.yaml"),
              HasSubstr("verify:\n  dir: src\n  test: [go, test, \"./...\"]\n"));
  EXPECT_THAT(text(".git/info/exclude"), HasSubstr(".capsule/\n"));
  EXPECT_THAT(there({"bead", "create", "--title=First"}).out, HasSubstr("my-app-1"));
  EXPECT_THAT(there({"status", "--porcelain"}, "git").out, Not(HasSubstr(".capsule")));
}

// Whoever changes a prompt finds it in the project, whatever workflow asks for it.
TEST_F(Init, ThePromptsOfEveryModeAreTheProjectsOwn) {
  repository({{"README.md", "x"}});
  const Outcome outcome = there({"init"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* mode : {"", "delivery/", "auto/"}) {
    const std::string folder = "prompts/" + std::string(mode);
    for (const auto& file :
         fs::directory_iterator(std::string(CAPSULE_SOURCE_DIR) + "/" + folder)) {
      if (!file.is_regular_file()) continue;
      const std::string name = folder + file.path().filename().string();
      EXPECT_EQ(text(name), read_file(file.path().string())) << name;
      EXPECT_THAT(outcome.out, HasSubstr("wrote  " + name + "\n"));
    }
  }
  EXPECT_FALSE(fs::exists(home_ + "/prompts/spike")) << "workflow init brings these";
}

// A suggestion with the keys above it, as one would make it count.
std::vector<std::string> suggestions(const std::string& config) {
  std::vector<std::string> all, above;
  for (const std::string& line : lines_of(config)) {
    if (line.size() < 2 || line[0] != '#' || (line[1] == ' ' && line[2] != ' ')) continue;
    const std::string bare = line.substr(1);
    above.resize(bare.find_first_not_of(' ') / 2);
    above.push_back(bare);
    if (!bare.ends_with(':')) all.push_back(join(above, "\n") + "\n");
  }
  return all;
}

TEST_F(Init, EverySuggestionInTheWrittenConfigurationIsValidByItself) {
  repository({{"README.md", "x"}});
  agent("PASS");
  for (const char* suggested : {"go", "codex", "gemini"}) program(suggested, "exit 0\n");
  ASSERT_EQ(there({"init"}).exit_code, 0);
  const std::string written = text(".capsule/config.yaml");
  const std::vector<std::string> all = suggestions(written);
  EXPECT_GT(all.size(), 30U) << written;
  for (const std::string& one : all) {
    write_file(home_ + "/.capsule/config.yaml", one);
    const Outcome shown = there({"config", "show"});
    EXPECT_EQ(shown.exit_code, 0) << one << shown.err;
    const Outcome doctor = there({"doctor"});
    EXPECT_EQ(doctor.exit_code, 0) << one << doctor.out;
  }
}

TEST_F(Init, ASecondTimeItChangesNothing) {
  repository({{"Makefile", "test:\n\ttrue\n"}});
  ASSERT_EQ(there({"init"}).exit_code, 0);
  write_file(home_ + "/prompts/execute.md", "my own words");
  const std::string config = text(".capsule/config.yaml");
  const Outcome again = there({"init", "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const Json said = Json::parse(again.out);
  for (const Json& step : said["steps"]) EXPECT_EQ(step["changed"], false) << step;
  EXPECT_EQ(text("prompts/execute.md"), "my own words");
  EXPECT_EQ(text(".capsule/config.yaml"), config);
}

TEST_F(Init, AConfigurationThatIsThereIsKeptAndOnlyAddedTo) {
  repository({{"go.mod", "module x\n"}});
  write_file(home_ + "/.capsule/config.yaml", "# mine\nverify: {test: [./check]}\n");
  const Outcome outcome = there({"init"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(text(".capsule/config.yaml"), "# mine\nverify: {test: [./check]}\ntracker: native\n");
}

TEST_F(Init, WhereNothingTellsItSaysThatTestsAreNotChecked) {
  repository({{"README.md", "x"}});
  const Outcome outcome = there({"init"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no test command was found"));
}

TEST_F(Init, AFolderThatIsNoRepositoryIsRefused) {
  const Outcome outcome = in({"init"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not a git repository"));
  EXPECT_FALSE(fs::exists(path("prompts")));
}

class Doctor : public DemoProject {
 protected:
  Json checks(std::vector<std::string> args = {}) const {
    args.insert(args.begin(), {"doctor", "--json"});
    return Json::parse(in(args).out, nullptr, false);
  }
  static Json of(const Json& all, const std::string& what) {
    for (const Json& check : all["checks"])
      if (check["what"] == what) return check;
    return {};
  }
};

TEST_F(Doctor, ACompleteProjectIsReady) {
  make_project();
  agent("PASS");
  const Outcome outcome = in({"doctor"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("✓ ok      git "));
  EXPECT_THAT(outcome.out, HasSubstr("A run can start"));
  const Json all = checks();
  EXPECT_EQ(all["ready"], true);
  EXPECT_EQ(of(all, "tests")["state"], "warning");
  EXPECT_THAT(of(all, "tests")["mend"][0].get<std::string>(),
              HasSubstr("verify: {test: [go, test, \"./...\"], dir: src}"));
  EXPECT_THAT(of(all, "tracker")["text"].get<std::string>(), HasSubstr(".capsule/config.yaml:"));
}

TEST_F(Doctor, TheTestsAreRunOnceAndCountedByName) {
  make_project();
  agent("PASS");
  const auto with = [&](const std::string& test) {
    write_file(project() + "/.capsule/config.yaml",
               "tracker: native\nverify: {test: \"" + test + "\", test_report: tap}\n");
    return of(checks(), "test run");
  };
  Json run = with("printf 'ok 1 - a\\\\nok 2 - b # SKIP\\\\n'");
  EXPECT_EQ(run["state"], "ok") << run;
  EXPECT_THAT(run["text"].get<std::string>(), StartsWith("2 tests by name (TAP), 1 skipped"));
  run = with("echo not ok 1 - broken; exit 1");
  EXPECT_EQ(run["state"], "warning") << run;
  EXPECT_THAT(run["text"].get<std::string>(), HasSubstr("main is red"));
  EXPECT_THAT(run["text"].get<std::string>(), HasSubstr("failing: broken"));
  run = with("echo nothing here; exit 127");
  EXPECT_EQ(run["state"], "problem") << run;
  EXPECT_EQ(run["mend"][0], "nothing here");
  EXPECT_EQ(in({"doctor"}).exit_code, 1);
  EXPECT_EQ(in({"doctor", "--no-tests"}).exit_code, 0);
}

TEST_F(Doctor, TheTestsRunInAFolderOfTheirOwn) {
  make_project();
  agent("PASS");
  write_file(project() + "/.capsule/config.yaml",
             "tracker: native\nverify: {test: \"test ! -e not-committed && touch left\"}\n");
  write_file(project() + "/not-committed", "");
  const Json run = of(checks(), "test run");
  EXPECT_EQ(run["state"], "warning");
  EXPECT_THAT(run["text"].get<std::string>(), HasSubstr("only its exit status counts"));
  EXPECT_FALSE(fs::exists(project() + "/left"));
}

TEST_F(Doctor, AMissingAgentComesWithTheCommandThatInstallsIt) {
  make_project();
  Call call = in_project({"doctor"});
  call.env["PATH"] = path("bin") + ":/usr/bin:/bin";
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("npm install -g @anthropic-ai/claude-code"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("apt-get install bd")));
  EXPECT_EQ(in({"doctor", "--provider=rehearsal"}).exit_code, 0);
}

TEST_F(Doctor, RootIsToldWhatClaudeNeeds) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  make_project();
  agent("PASS");
  Call call = in_project({"doctor"});
  call.env["IS_SANDBOX"] = std::nullopt;
  EXPECT_THAT(run(call).out, HasSubstr("export IS_SANDBOX=1"));
  EXPECT_THAT(run(call).out, HasSubstr("for run-phase and the scripts you have to"));
  EXPECT_THAT(in({"doctor"}).out, Not(HasSubstr("IS_SANDBOX")));
}

TEST_F(Doctor, ProblemsOfTheConfigurationAreNamedWithTheirLine) {
  make_project();
  write_file(project() + "/.capsule/config.yaml", "tracker: native\nprovidre: x\n");
  const Outcome outcome = in({"doctor"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("config.yaml:2: "));
}

TEST_F(Doctor, AFolderThatIsNoRepositoryAndADamagedTrackerAreProblems) {
  EXPECT_EQ(in({"doctor"}).exit_code, 1);
  make_project();
  agent("PASS");
  write_file(project() + "/.beads/issues.jsonl", "{\"id\":\n");
  EXPECT_EQ(of(checks(), "tracker")["state"], "problem");
}

TEST_F(Doctor, WorktreesFromBeforeAreNamed) {
  make_project();
  ASSERT_EQ(in({"prep", "demo-1.1.1"}).exit_code, 0);
  const Json found = of(checks(), "worktree");
  EXPECT_EQ(found["state"], "warning");
  EXPECT_EQ(found["mend"][0], "capsule run demo-1.1.1 --resume");
}

}  // namespace
}  // namespace capsule::test
