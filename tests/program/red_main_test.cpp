// Somebody breaks main from outside while Capsule works: the checks fail on main itself, and nobody
// who works here is blamed for it.
#include <filesystem>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

// Fails where broken.txt is. During the first check of merged files, which are in no worktree of an
// agent and hold `made`, somebody commits that file to main.
std::string breaking_check(const std::string& notes, const std::string& project,
                           const std::string& made) {
  std::filesystem::create_directories(notes);
  write_file(notes + "/check",
             "[ ! -e broken.txt ] || { echo 'broken.txt is here'; exit 1; }\n"
             "[ -e " +
                 made +
                 " ] || exit 0\n"
                 "case $PWD in */worktrees/*) exit 0 ;; esac\n"
                 "[ ! -e '" +
                 notes + "/moved' ] || exit 0\n: >'" + notes + "/moved'\ncd '" + project +
                 "'\necho x >broken.txt && git add broken.txt && git commit -q -m 'Break it'\n");
  return "verify: {test: [sh, '" + notes + "/check']}\n";
}

class RedMainInADelivery : public DeliveryTest {
 protected:
  void SetUp() override {
    DeliveryTest::SetUp();
    configure(breaking_check(path("notes"), project(), "T-1.txt"));
    write_plan({{"T-1"}, {"T-2", "T-1"}});
  }
  void expect_nobody_blamed(const Delivered& done) const {
    EXPECT_TRUE(done.of("task_reworked").empty());
    EXPECT_TRUE(done.of("task_failed").empty());
    EXPECT_EQ(calls("developer", "T-1"), 1);
    ASSERT_EQ(done.of("task_merge_refused").size(), 1u);
    const Json refused = done.of("task_merge_refused")[0];
    EXPECT_EQ(refused["why"], "main_red");
    EXPECT_EQ(refused["failed"], Json({"test"}));
    EXPECT_HAS(refused["detail"].get<std::string>(), "broken.txt is here");
    EXPECT_HAS(refused["detail"].get<std::string>(), "(Break it)");
    EXPECT_EQ(refused["main"], git_out({"log", "-1", "--format=%H", "--grep=Break it", "main"}));
  }
};

TEST_F(RedMainInADelivery, IsMendedByRemediationWhenNobodyIsThere) {
  on("remediation", "", 1, "rm broken.txt\ngood");
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_nobody_blamed(done);
  EXPECT_EQ(done.list("completed"), (std::vector<std::string>{"T-1", "T-2"}));
  EXPECT_EQ(calls("remediation", "none"), 1);
  EXPECT_EQ(main_file("broken.txt"), "(missing)");
}

TEST_F(RedMainInADelivery, IsPutToAPersonWhoHaltsMendsItAndGoesOn) {
  write_file(path("answers"), "*: halt\n");
  const Delivered done = deliver({"--answers=" + path("answers")});
  EXPECT_EQ(done.exit_code, 1) << done.err;
  expect_nobody_blamed(done);
  ASSERT_EQ(done.of("question_asked").size(), 1u);
  EXPECT_EQ(done.of("question_asked")[0]["kind"], "main_red");
  EXPECT_EQ(calls("remediation", "none"), 0);
  ASSERT_EQ(git({"rm", "-q", "broken.txt"}).exit_code, 0);
  ASSERT_EQ(git({"commit", "-q", "-m", "Mend it"}).exit_code, 0);
  const Delivered again = deliver();
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(calls("developer", "T-1"), 1) << "nobody has to work again for it";
  EXPECT_EQ(again.list("completed"), (std::vector<std::string>{"T-1", "T-2"}));
}

class RedMainInAnAutoRun : public DemoProject {};

TEST_F(RedMainInAnAutoRun, EndsItAndItCanBeRepeated) {
  make_project();
  auto_agent();
  const std::string notes = path("notes");
  write_file(project() + "/.capsule/config.yaml", breaking_check(notes, project(), "greeting.txt"));
  // The merged files are tested only when main has moved.
  write_file(notes + "/check", "case $PWD in */worktrees/*) [ -e '" + notes +
                                   "/moved' ] || { : >'" + notes + "/moved'; cd '" + project() +
                                   "'; echo x >broken.txt; git add broken.txt; "
                                   "git commit -q -m 'Break it'; cd -; }; esac\n" +
                                   read_file(notes + "/check"));
  const Outcome outcome = in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "main is red since");
  EXPECT_HAS(outcome.out, "(Break it)");
  EXPECT_HAS(outcome.out, "broken.txt is here");
  EXPECT_HAS(outcome.out, "capsule auto continue");
  ASSERT_EQ(git({"rm", "-q", "broken.txt"}).exit_code, 0);
  ASSERT_EQ(git({"commit", "-q", "-m", "Mend it"}).exit_code, 0);
  const Outcome again = in({"auto", "continue"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_TRUE(std::filesystem::exists(project() + "/greeting.txt"));
}

class RedMainInARun : public ProjectTest {};

TEST_F(RedMainInARun, EndsItBlamesNobodyAndCanBeRepeated) {
  make_project(Way::binary);
  const std::string notes = path("notes");
  configure(breaking_check(notes, project(), "feature.txt") + "tracker: native\n");
  write_file(notes + "/check", "[ -e feature.txt ] || [ ! -e tests/feature_test.sh ] || exit 1\n" +
                                   read_file(notes + "/check"));
  const Outcome outcome = run_bead();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_HAS(outcome.out, "main is red since");
  EXPECT_HAS(outcome.out, "(Break it)");
  ASSERT_EQ(git({"rm", "-q", "broken.txt"}).exit_code, 0);
  ASSERT_EQ(git({"commit", "-q", "-m", "Mend it"}).exit_code, 0);
  const Outcome again = command("merge", {kBead});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_TRUE(is_closed());
}

}  // namespace
}  // namespace capsule::test
