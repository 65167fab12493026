// The project's commands inside walls, as agents' tests run in them.
#include "gate/walls.h"

#include <optional>

#include "gate/clean_checkout.h"
#include "git/test_support.h"
#include "process/test_support.h"
#include "tests/contain/kernel.h"

namespace capsule::gate {
namespace {

namespace fs = std::filesystem;

class GateWalls : public git::GitTest {
 protected:
  void SetUp() override {
    GitTest::SetUp();
    worktree_ = project_ + "/.capsule/worktrees/one";
    const git::Repository repository = open();
    ASSERT_TRUE(git::create_worktree(repository, worktree_, "one", repository.head));
  }
  Walls walls() {
    return {.wish =
                [](const std::string&) {
                  contain::Wish wish;
                  wish.role = contain::Role::gate;
                  return wish;
                },
            .repository = open(),
            .main_ref = "refs/heads/main"};
  }
  static Verify commands(const std::string& build, const std::string& test,
                         const std::string& report = "auto") {
    Verify verify;
    verify.add("build", {{}, build});
    verify.add("test", {{}, test});
    verify.test_report = report;
    return verify;
  }
  std::vector<Verdict> answer(Checks& checks, const std::string& folder,
                              Writes writes = Writes::vanish) {
    std::optional<Result<std::vector<Verdict>>> result;
    checks.run(
        folder, checks.names(), [&](const auto& verdicts) { result = verdicts; }, writes);
    loop_->run_while([&] { return !result; });
    if (!*result) {
      error_ = result->error();
      return {};
    }
    return **result;
  }
  std::vector<Verdict> in(const std::string& folder, const Verify& verify) {
    Checks checks(*loop_, verify);
    checks.contained_by(walls());
    return answer(checks, folder);
  }
  bool nothing_is_left() const {
    const std::string tmp = project_ + "/.capsule/tmp";
    return !fs::exists(tmp) || fs::is_empty(tmp);
  }

  std::unique_ptr<process::Loop> loop_ = process::testing::make_loop();
  std::string worktree_;
  std::optional<Error> error_;
};

constexpr const char* kReport = "<testsuite><testcase classname=\"a\" name=\"one\"/></testsuite>";

TEST_F(GateWalls, ACommandSeesWhatTheOneBeforeItBuiltAndNothingOfItStays) {
  write(worktree_ + "/input", "in\n");
  for (const std::string& folder : {worktree_, project_}) {
    write(folder + "/input", "in\n");
    const auto verdicts = in(folder, commands("cp input output; echo new >>input; rm README",
                                              "cat output input; test ! -e README"));
    ASSERT_EQ(verdicts.size(), 2U) << error_->message;
    EXPECT_EQ(verdicts[0].ending, Ending::passed) << verdicts[0].output;
    EXPECT_EQ(verdicts[1].ending, Ending::passed) << verdicts[1].output;
    EXPECT_EQ(verdicts[1].output, "in\nin\nnew");
    EXPECT_FALSE(fs::exists(folder + "/output"));
    EXPECT_EQ(read(folder + "/input"), "in\n");
    EXPECT_TRUE(fs::exists(folder + "/README"));
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST_F(GateWalls, ATestReachesNeitherTheHomeNorTheNetworkNorTheJournalNorTheRepository) {
  write(home_ + "/.ssh/id", "CANARY");
  write(project_ + "/.capsule/journal.db", "CANARY");
  write(project_ + "/.git/refs/capsule/x", "CANARY");
  for (const std::string& folder : {worktree_, project_}) {
    const auto verdicts =
        in(folder, commands("true", "grep -c : /proc/net/dev; cat '" + home_ + "/.ssh/id' '" +
                                        project_ + "/.capsule/journal.db' '" + project_ +
                                        "/.git/refs/capsule/x'; echo x >'" + home_ +
                                        "/.bashrc'; git update-ref refs/heads/mine HEAD"));
    ASSERT_EQ(verdicts.size(), 2U) << error_->message;
    EXPECT_EQ(verdicts[1].output.find("CANARY"), std::string::npos) << verdicts[1].output;
    EXPECT_TRUE(verdicts[1].output.starts_with("1\n"))
        << "its loopback and no other device: " << verdicts[1].output;
    EXPECT_FALSE(fs::exists(home_ + "/.bashrc"));
    EXPECT_NE(git_code(project_, {"rev-parse", "-q", "--verify", "refs/heads/mine"}), 0);
  }
  fs::remove(project_ + "/.git/refs/capsule/x");
}

TEST_F(GateWalls, GitAnswersInAWorktreeAndInTheCheckout) {
  write(worktree_ + "/new", "x\n");
  for (const std::string& folder : {worktree_, project_}) {
    const auto verdicts = in(folder, commands("git status --porcelain; git ls-files",
                                              "git log --oneline main | wc -l; git commit -qam x "
                                              "--allow-empty && git log --oneline | wc -l"));
    ASSERT_EQ(verdicts.size(), 2U) << error_->message;
    EXPECT_EQ(verdicts[0].ending, Ending::passed) << verdicts[0].output;
    EXPECT_NE(verdicts[0].output.find("src/main.c"), std::string::npos) << verdicts[0].output;
    EXPECT_EQ(verdicts[1].output, "1\n2");
  }
  EXPECT_EQ(git(worktree_, {"rev-parse", "HEAD"}), git(project_, {"rev-parse", "main"}));
}

TEST_F(GateWalls, AReportBelowTheFolderIsReadFromTheLayer) {
  write(worktree_ + "/out/report.xml", "old");
  for (const char* setting : {"junit:out/report.xml", "junit:**/report.xml"}) {
    const auto verdicts =
        in(worktree_,
           commands("true", "mkdir -p out; echo '" + std::string(kReport) + "' >out/report.xml",
                    setting));
    ASSERT_EQ(verdicts.size(), 2U);
    ASSERT_TRUE(verdicts[1].tests) << verdicts[1].report_problem;
    EXPECT_EQ(verdicts[1].tests->tests.size(), 1U);
    EXPECT_FALSE(fs::exists(worktree_ + "/out/report.xml"))
        << "an old one goes, a new one vanishes";
  }
}

TEST_F(GateWalls, AReportIsReadThroughNoLink) {
  write(root_ + "/elsewhere/report.xml", kReport);
  for (const std::string& make :
       {"ln -s '" + root_ + "/elsewhere' out",
        "mkdir out; ln -s '" + root_ + "/elsewhere/report.xml' out/report.xml"}) {
    const auto verdicts = in(worktree_, commands("true", make, "junit:out/report.xml"));
    ASSERT_EQ(verdicts.size(), 2U);
    EXPECT_FALSE(verdicts[1].tests) << make;
    EXPECT_NE(verdicts[1].report_problem, "");
  }
}

TEST_F(GateWalls, AReportOfOurOwnPlaceIsRead) {
  // pytest is told by a variable where to write; this stands for it.
  write(worktree_ + "/pytest", "#!/bin/sh\npath=${PYTEST_ADDOPTS##*--junitxml=}\necho '" +
                                   std::string(kReport) + "' >\"$path\"\n");
  fs::permissions(worktree_ + "/pytest", fs::perms::owner_all);
  Verify verify;
  verify.add("test", {{"./pytest"}, ""});
  const auto verdicts = in(worktree_, verify);
  ASSERT_EQ(verdicts.size(), 1U);
  ASSERT_TRUE(verdicts[0].tests) << verdicts[0].report_problem << verdicts[0].output;
}

TEST_F(GateWalls, ACleanCheckoutMayBeWrittenTo) {
  Checks checks(*loop_, commands("echo built >output", "cat output README", "none"));
  checks.contained_by(walls());
  std::optional<Result<std::vector<Verdict>>> result;
  const git::Repository repository = open();
  run_clean(repository, checks, repository.head, checks.names(),
            [&](const auto& verdicts) { result = verdicts; });
  loop_->run_while([&] { return !result; });
  ASSERT_TRUE(*result) << result->error().message;
  EXPECT_EQ((**result)[1].output, "built\nhello");
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(GateWalls, ASetUpChangesTheTreeAndTheRepositoryOfNobody) {
  gate::Setup setup(*loop_, {{}, "echo ready >ready; git rev-parse HEAD; git branch other"},
                    std::chrono::seconds(60));
  Walls around = walls();
  around.wish = [](const std::string&) { return contain::Wish{}; };
  setup.contained_by(around);
  std::optional<Result<Verdict>> verdict;
  setup.run(worktree_, File(), [&](const auto& ready) { verdict = ready; });
  loop_->run_while([&] { return !verdict; });
  ASSERT_TRUE(*verdict) << verdict->error().message;
  EXPECT_EQ((*verdict)->ending, Ending::passed) << (*verdict)->output;
  EXPECT_EQ(read(worktree_ + "/ready"), "ready\n");
  EXPECT_NE(git_code(project_, {"rev-parse", "-q", "--verify", "refs/heads/other"}), 0);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(GateWalls, WhatIsNotThereInsideIsTheCommandsOwnFault) {
  Verify verify;
  verify.add("build", {{"no-such-program"}, ""});
  verify.add("test", {{"./README"}, ""});
  const auto verdicts = in(worktree_, verify);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].ending, Ending::not_run);
  EXPECT_EQ(verdicts[0].exit_code, 127);
  EXPECT_EQ(verdicts[1].ending, Ending::not_run);
  EXPECT_EQ(verdicts[1].exit_code, 126);
}

TEST_F(GateWalls, WhatCannotBeContainedIsNotRun) {
  Checks checks(*loop_, commands("echo ran >'" + worktree_ + "/ran'", "true"));
  Walls around = walls();
  around.wish = [](const std::string&) {
    contain::Wish wish;
    wish.read = {"/no/such/place"};
    return wish;
  };
  checks.contained_by(around);
  EXPECT_TRUE(answer(checks, worktree_).empty());
  ASSERT_TRUE(error_);
  EXPECT_EQ(error_->reason, Reason::usage);
  EXPECT_FALSE(fs::exists(worktree_ + "/ran"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(GateWalls, WithoutNamespacesThereIsNoLayerAndTheFolderIsWrittenTo) {
  Walls around = walls();
  around.wish = [](const std::string&) {
    contain::Wish wish;
    wish.role = contain::Role::gate;
    wish.missing = contain::Missing::weaker;
    return wish;
  };
  std::thread([&] {
    test::without_user_namespaces();
    const auto room = Room::make(around, worktree_, Writes::vanish);
    ASSERT_TRUE(room);
    EXPECT_EQ(room->written(), worktree_);
    EXPECT_EQ(room->wish()->write, std::vector{worktree_});
    EXPECT_TRUE(room->wish()->layer.empty());
    EXPECT_TRUE(room->wish()->mounts.empty());
  }).join();
}

TEST_F(GateWalls, NamespacesThatWereFoundOnceAreNotTriedForEveryCheck) {
  Walls around = walls();
  around.wish = [](const std::string&) {
    contain::Wish wish;
    wish.role = contain::Role::gate;
    wish.missing = contain::Missing::weaker;
    wish.namespaces_found = true;
    return wish;
  };
  std::thread([&] {
    test::without_user_namespaces();  // whoever tries finds none
    const auto room = Room::make(around, worktree_, Writes::vanish);
    ASSERT_TRUE(room);
    EXPECT_FALSE(room->wish()->layer.empty());
  }).join();
}

}  // namespace
}  // namespace capsule::gate
