#include "config/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/test_support.h"

namespace capsule::config {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;
using std::chrono::seconds;

TEST_F(ConfigLayers, WithoutAnythingTheDefaultsHold) {
  const Config config = good();
  EXPECT_EQ(config.provider, "claude");
  EXPECT_EQ(config.max_retries, 3);
  EXPECT_EQ(config.phase_timeout, seconds(600));
  EXPECT_EQ(config.tracker, Tracker::automatic);
  EXPECT_EQ(config.main_branch, "");
  EXPECT_EQ(config.exclude, (Texts{"*.tmp", "*.bak", "*.swp", "*~", "*.orig", "*.rej"}));
  EXPECT_EQ(config.convergence, Convergence::stop);
  EXPECT_TRUE(config.test_files.empty());
  EXPECT_FALSE(config.verify.test);
  EXPECT_EQ(config.verify.dir, ".");
  EXPECT_EQ(config.verify.timeout, seconds(600));
  EXPECT_EQ(config.origin("provider").where, "default");
  EXPECT_EQ(defaults().entries.size(), config.entries.size());
}

TEST_F(ConfigLayers, EachLayerOverridesTheOnesBelow) {
  const auto now = [this] { return good().origin("provider"); };
  write(user_file(), "provider: from-user\n");
  EXPECT_EQ(good().provider, "from-user");
  EXPECT_EQ(now().where, user_file() + ":1");
  EXPECT_EQ(now().layer, Layer::user);
  write(project_file(), "# comment\nprovider: from-project\n");
  EXPECT_EQ(good().provider, "from-project");
  EXPECT_EQ(now().where, project_file() + ":2");
  variables_["CAPSULE_PROVIDER"] = "from-variable";
  EXPECT_EQ(good().provider, "from-variable");
  EXPECT_EQ(now().where, "CAPSULE_PROVIDER");
  flags_.push_back({"provider", "from-flag", "--provider"});
  EXPECT_EQ(good().provider, "from-flag");
  EXPECT_EQ(now().where, "--provider");
}

TEST_F(ConfigLayers, EveryKeyReachesItsField) {
  write(project_file(),
        "provider: mine\nmax_retries: 5\nphase_timeout: 10m\ntracker: bd\nmain_branch: trunk\n"
        "exclude: ['*.log']\nconvergence: off\ntest_files: [\"*_test.go\", tests/**]\n"
        "verify: {test: go test ./..., lint: [go, vet], build: make, dir: src, timeout: 90s}\n"
        "providers:\n  mine: {command: [prog, --x, '{prompt}'], stdin: none, model: m}\n"
        "  a.b: {cassette: demo.cassette, stdin: prompt}\n"
        "phases:\n  execute: {provider: other, model: big, timeout: 1h}\n  lint: {timeout: 5}\n");
  const Config config = good();
  EXPECT_EQ(config.max_retries, 5);
  EXPECT_EQ(config.phase_timeout, seconds(600));
  EXPECT_EQ(config.tracker, Tracker::bd);
  EXPECT_EQ(config.main_branch, "trunk");
  EXPECT_EQ(config.exclude, Texts{"*.log"});
  EXPECT_EQ(config.convergence, Convergence::off);
  EXPECT_EQ(config.test_files, (Texts{"*_test.go", "tests/**"}));
  EXPECT_EQ(config.verify.test->shell, "go test ./...");
  EXPECT_EQ(config.verify.lint->argv, (Texts{"go", "vet"}));
  EXPECT_EQ(config.verify.build->shell, "make");
  EXPECT_EQ(config.verify.dir, "src");
  EXPECT_EQ(config.verify.timeout, seconds(90));
  EXPECT_EQ(config.providers.at("mine").command, (Texts{"prog", "--x", "{prompt}"}));
  EXPECT_EQ(config.providers.at("mine").input, Stdin::none);
  EXPECT_EQ(config.providers.at("a.b").cassette, "demo.cassette");
  EXPECT_EQ(config.providers.at("a.b").input, Stdin::prompt);
  EXPECT_EQ(config.provider_of("execute"), "other");
  EXPECT_EQ(config.provider_of("merge"), "mine");
  EXPECT_EQ(config.model_of("execute"), "big");
  EXPECT_EQ(config.model_of("merge"), "m");
  EXPECT_EQ(config.timeout_of("execute"), seconds(3600));
  EXPECT_EQ(config.timeout_of("lint"), seconds(5));
  EXPECT_EQ(config.timeout_of("merge"), seconds(600));
  EXPECT_EQ(config.origin("providers.a.b.stdin").where, project_file() + ":12");
}

TEST_F(ConfigLayers, GroupsAreJoinedAndListsReplaced) {
  write(user_file(), "exclude: [a, b]\nproviders: {mine: {command: [x], model: small}}\n");
  write(project_file(), "exclude: [c]\nproviders: {mine: {model: large}}\n");
  const Config config = good();
  EXPECT_EQ(config.exclude, Texts{"c"});
  EXPECT_EQ(config.providers.at("mine").command, Texts{"x"});
  EXPECT_EQ(config.providers.at("mine").model, "large");
}

TEST_F(ConfigLayers, AnEmptyListSwitchesExclusionOff) {
  write(project_file(), "exclude: []\n");
  EXPECT_TRUE(good().exclude.empty());
}

TEST_F(ConfigLayers, AGroupWithAllItsLinesCommentedOutIsEmpty) {
  write(project_file(), "verify:\n  # test: x\nproviders:\n  mine:\n");
  EXPECT_FALSE(good().verify.test);
}

TEST_F(ConfigLayers, OtherVariablesAreLeftAloneAndEmptyOnesAreNotSet) {
  variables_["CAPSULE_PHASE"] = "!!";
  variables_["CAPSULE_RUN"] = "!!";
  variables_["CAPSULE_EXCLUDE"] = "!!";
  variables_["CAPSULE_MAX_RETRIES"] = "";
  EXPECT_EQ(good().max_retries, 3);
}

TEST_F(ConfigLayers, AWrongVariableOrFlagIsNamed) {
  variables_["CAPSULE_PHASE_TIMEOUT"] = "soon";
  flags_.push_back({"max_retries", "0", "--max-retries"});
  const Loaded loaded = all();
  ASSERT_EQ(loaded.problems.size(), 2U);
  EXPECT_EQ(loaded.problems[0].where, "CAPSULE_PHASE_TIMEOUT");
  EXPECT_EQ(loaded.problems[0].message, "phase_timeout cannot be 'soon'");
  EXPECT_EQ(loaded.problems[1].where, "--max-retries");
  EXPECT_EQ(loaded.problems[1].reason, Reason::usage);
}

TEST_F(ConfigLayers, TheUsersFileIsFoundByXdgThenByHome) {
  fs::create_directories(dir_ + "/xdg/capsule");
  write(dir_ + "/xdg/capsule/config.yaml", "provider: xdg\n");
  write(user_file(), "provider: home\n");
  EXPECT_EQ(good().provider, "home");
  variables_["XDG_CONFIG_HOME"] = dir_ + "/xdg";
  EXPECT_EQ(good().provider, "xdg");
  variables_["XDG_CONFIG_HOME"] = "relative/path";
  EXPECT_EQ(good().provider, "home");
  variables_.erase("HOME");
  EXPECT_EQ(good().provider, "claude");
  variables_["HOME"] = "/dev/null";
  EXPECT_EQ(good().provider, "claude");
}

TEST_F(ConfigLayers, UnknownKeysAreErrorsWithLineAndNearestName) {
  EXPECT_EQ(problems("provder: x\n"),
            Texts{":1: unknown key 'provder' (did you mean 'provider'?)"});
  EXPECT_EQ(problems("verify:\n  tset: x\n"),
            Texts{":2: unknown key 'verify.tset' (did you mean 'test'?)"});
  EXPECT_EQ(problems("providers:\n  mine:\n    comand: [x]\n"),
            Texts{":3: unknown key 'providers.*.comand' (did you mean 'command'?)"});
  EXPECT_EQ(problems("phases:\n  test-writter: {}\n"),
            Texts{":2: unknown phase 'test-writter' (did you mean 'test-writer'?)"});
  EXPECT_EQ(problems("roles:\n  deveoper: {provider: x}\n"),
            Texts{":2: unknown role 'deveoper' (did you mean 'developer'?)"});
  EXPECT_EQ(problems("roles:\n  mine: {}\n")
                .front()
                .find(":2: unknown role 'mine' (the roles are: "
                      "developer critic auditor "),
            0U);
  EXPECT_EQ(problems("phases:\n  merge:\n    '*': 1\n").size(), 1U);
  EXPECT_EQ(problems("<<: {provider: x}\n").size(), 1U);
  EXPECT_EQ(problems("zzzzzzzz: 1\n").front().find(":1: unknown key 'zzzzzzzz' (valid here: "), 0U);
}

TEST_F(ConfigLayers, APhaseThatTheProjectDoesNotHaveIsAnError) {
  write(project_file(),
        "phases:\n  execute: {}\n  qa: {}\n  draft: {}\n  darft: {}\n  elsewhere: {}\n");
  write(user_file(), "phases: {of-another-project: {model: m}}\n");
  Sources sources;
  sources.project_dir = project();
  sources.variable = [this](const char* name) {
    return std::string_view(name) == "HOME" ? variables_["HOME"].c_str() : nullptr;
  };
  EXPECT_TRUE(load_all(sources).problems.empty()) << "nobody can tell";
  sources.phases = [] { return std::vector<std::string>{"draft"}; };
  const std::vector<Problem> problems = load_all(sources).problems;
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].message, "unknown phase 'darft'");
  EXPECT_EQ(problems[0].hint, "did you mean 'draft'?");
  EXPECT_EQ(problems[1].message, "unknown phase 'elsewhere'");
  EXPECT_NE(problems[1].hint.find("prompts/elsewhere.md"), std::string::npos);
  sources.phases = [] { return std::nullopt; };
  EXPECT_TRUE(load_all(sources).problems.empty()) << "a workflow that cannot be read may have it";
}

TEST_F(ConfigLayers, AllProblemsOfAFileAreToldAtOnce) {
  const Texts told = problems(
      "max_retries: -1\nphase_timeout: {a: b}\nexclude: x\ntracker:\nverify: [x]\nprovider: [a]\n"
      "providers:\n  ../x: {}\n  mine: {command: prog, stdin: maybe}\n  other: {command: [[a]]}\n");
  EXPECT_EQ(
      told,
      (Texts{":1: max_retries cannot be '-1' (it must be a whole number from 1)",
             ":2: phase_timeout cannot have keys below it (it must be a duration such as "
             "600, 90s, 10m or 1h30m)",
             ":3: exclude cannot be 'x' (it must be a list of file patterns, such as "
             "[\"*.tmp\", \"*.bak\"])",
             ":4: tracker has no value (give it one of auto, native, bd, or leave it out)",
             ":5: verify must be a map of keys (write 'key: value', one per line)",
             ":6: provider cannot be a list (it must be a name of letters, digits, '.', '_' "
             "and '-')",
             ":8: '../x' cannot be a name in providers (it must be a name of letters, digits, "
             "'.', '_' and '-')",
             ":9: providers.mine.command cannot be 'prog' (it must be a list, such as "
             "[program, \"--option\", \"{prompt}\"])",
             ":9: providers.mine.stdin cannot be 'maybe' (it must be one of prompt, none)",
             ":10: an item of providers.other.command is not text (quote it)"}));
}

TEST_F(ConfigLayers, OneErrorTellsThemAll) {
  write(project_file(), "provder: x\ntracker: y\n");
  Sources sources;
  sources.project_dir = project();
  const auto config = load(sources);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().reason, Reason::damaged);
  EXPECT_NE(config.error().message.find(":1: unknown key"), std::string::npos);
  EXPECT_NE(config.error().message.find(":2: tracker cannot be"), std::string::npos);
}

TEST_F(ConfigLayers, AFileThatIsNoMapIsRefused) {
  EXPECT_EQ(problems("just words\n"),
            Texts{":1: the file must be a map of keys (write 'key: value', one per line)"});
  EXPECT_EQ(problems("- a\n").size(), 1U);
}

TEST_F(ConfigLayers, AFileThatCannotBeReadIsAClearError) {
  const auto first = [this] { return all().problems.at(0); };
  fs::create_symlink("config.yaml", project_file());
  EXPECT_EQ(first().reason, Reason::io);
  EXPECT_NE(first().message.find("symbolic links"), std::string::npos);
  fs::remove(project_file());
  fs::create_symlink("nowhere", project_file());
  EXPECT_NE(first().message.find("broken symbolic link"), std::string::npos);
  fs::remove(project_file());
  fs::create_directory(project_file());
  EXPECT_NE(first().message.find("regular file"), std::string::npos);
  fs::remove(project_file());
  ASSERT_EQ(::mkfifo(project_file().c_str(), 0600), 0);  // must not wait for a writer
  EXPECT_NE(first().message.find("regular file"), std::string::npos);
  fs::remove(project_file());
  fs::create_symlink("/dev/zero", project_file());
  EXPECT_NE(first().message.find("regular file"), std::string::npos);
  fs::remove(project_file());
  write(project_file(), std::string(300'000, '#'));
  EXPECT_NE(first().message.find("larger than"), std::string::npos);
  if (::geteuid() != 0) {  // root may read everything
    ::chmod(project_file().c_str(), 0);
    EXPECT_NE(first().message.find("Permission denied"), std::string::npos);
  }
}

TEST_F(ConfigLayers, ASymbolicLinkToAFileIsFollowed) {
  write(dir_ + "/mine.yaml", "provider: linked\n");
  fs::create_symlink(dir_ + "/mine.yaml", user_file());
  EXPECT_EQ(good().provider, "linked");
}

TEST_F(ConfigLayers, BudgetsPricesAndFallbacksAreRead) {
  write(project_file(),
        "fallbacks: [codex, \"opencode:openai/gpt-5\"]\n"
        "budget: {run: 5.00, task: 1.5, tokens: 2000000, hard: true}\n"
        "prices:\n  gemini-2.5-pro: {input: 1.25, output: 10, cache_read: 0.31}\n"
        "trailers: false\n"
        "phases: {execute: {fallbacks: [gemini], session: new}}\n"
        "roles: {critic: {fallbacks: []}}\n");
  const Config config = good();
  ASSERT_EQ(config.fallbacks.size(), 2U);
  EXPECT_EQ(config.fallbacks[1].provider, "opencode");
  EXPECT_EQ(config.fallbacks[1].model, "openai/gpt-5");
  EXPECT_EQ(config.budget.run, 5'000'000);
  EXPECT_EQ(config.budget.task, 1'500'000);
  EXPECT_EQ(config.budget.day, 0);
  EXPECT_EQ(config.budget.tokens, 2'000'000);
  EXPECT_TRUE(config.budget.hard);
  EXPECT_FALSE(config.trailers);
  EXPECT_EQ(config.prices.at("gemini-2.5-pro").cache_read, 310'000);
  EXPECT_EQ(config.fallbacks_of("execute").front().provider, "gemini");
  EXPECT_EQ(config.fallbacks_of("merge").size(), 2U);
  EXPECT_TRUE(config.fallbacks_of_role("critic").empty()) << "none at all";
  EXPECT_EQ(config.phases.at("execute").session, event::Session::fresh);
}

TEST_F(ConfigLayers, WhoMayChangeAnythingIsSaidForEachPhaseAndRole) {
  write(project_file(),
        "phases: {execute-review: {access: read-only}, execute: {access: write}}\n"
        "roles: {critic: {access: read-only}, auditor: {model: m}}\n");
  const Config config = good();
  EXPECT_EQ(config.access_of("execute-review"), Access::read_only);
  EXPECT_EQ(config.access_of("execute"), Access::write);
  EXPECT_EQ(config.access_of("sign-off"), Access::write) << "nothing is said of it";
  EXPECT_EQ(config.access_of_role("critic"), Access::read_only);
  EXPECT_EQ(config.access_of_role("auditor"), Access::write);
  EXPECT_EQ(config.access_of_role("developer"), Access::write);
  EXPECT_EQ(problems("phases: {execute: {access: none}}\n").size(), 1U);
}

TEST_F(ConfigLayers, AFallbackOrABudgetThatIsNoneIsRefused) {
  EXPECT_EQ(problems("fallbacks: [\"a b\"]\n").size(), 1U);
  EXPECT_EQ(problems("fallbacks: [\"codex:\"]\n").size(), 1U);
  EXPECT_EQ(problems("fallbacks: [\"codex:--model\"]\n").size(), 1U);
  EXPECT_EQ(problems("budget: {run: lots}\n").size(), 1U);
  EXPECT_EQ(problems("budget: {tokens: 0}\n").size(), 1U);
  // Nothing may be spent is not what an absent limit says.
  for (const char* none : {"0", "0.00", "0.0000009"})
    EXPECT_EQ(problems("budget: {run: " + std::string(none) + "}\n").size(), 1U) << none;
  EXPECT_EQ(problems("budget: {run: 0.000001, day: 1, task: 0.5}\n").size(), 0U);
  EXPECT_EQ(problems("prices: {free: {input: 0, output: 0}}\n").size(), 0U);
  EXPECT_EQ(problems("budget: {hard: maybe}\n").size(), 1U);
  EXPECT_EQ(problems("phases: {execute: {session: old}}\n").size(), 1U);
}

}  // namespace
}  // namespace capsule::config
