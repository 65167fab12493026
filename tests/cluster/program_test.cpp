// The real binary with its journal in a real PostgreSQL.
#include <signal.h>

#include <filesystem>

#include "tests/cluster/project.h"
#include "tests/program/deliver_project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

TEST_F(ClusterProgram, ABeadGoesToTheMergeAndItsFactsAreInTheDatabase) {
  const Outcome outcome = run_bead();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(git_out({"log", "-1", "--format=%s", "main"}), "Merge demo-1.1.1: Make it work");
  EXPECT_TRUE(is_closed());
  EXPECT_FALSE(has_folder_journal());
  EXPECT_EQ(query("SELECT outcome FROM capsule.runs"), "merged");
  EXPECT_EQ(query("SELECT count(*) FROM capsule.runs WHERE held"), "0");
  EXPECT_EQ(query("SELECT count(*) FROM capsule.leases WHERE token <> ''"), "0");
  for (const AgentCall& call : agent_calls())
    EXPECT_FALSE(call.env.contains("CAPSULE_JOURNAL")) << "an agent has the address";
  const Outcome status = command("status", {kBead});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_HAS(status.out, "merged");
  EXPECT_EQ(run_bead().exit_code, 0) << "done is done";
  EXPECT_EQ(query("SELECT count(*) FROM capsule.runs"), "1");
}

TEST_F(ClusterProgram, ARunThatWasKilledIsSeenFromAnotherCloneAndGoesOnWhereItIs) {
  on("execute", 1, "touch '" + path("works") + "'; exec sleep 300");
  const std::string other = second();
  {
    Running running(calling("run", {kBead}));
    ASSERT_TRUE(eventually([&] { return fs::exists(path("works")); }));
    const Outcome seen = in(other, "status", {kBead});
    EXPECT_EQ(seen.exit_code, 0) << seen.err;
    EXPECT_HAS(seen.out, "execute");
    const Outcome state = in(other, "cluster", {"status", "--json"});
    ASSERT_EQ(state.exit_code, 0) << state.err;
    const Json at_work = Json::parse(state.out)["at_work"];
    ASSERT_EQ(at_work.size(), 1U) << state.out;
    EXPECT_EQ(at_work[0]["subject"], kBead);
    EXPECT_EQ(at_work[0]["pid"], running.pid());
    // Nobody else works on it, and what only its own machine can do is refused with the place.
    const Outcome twice = command("run", {kBead});
    EXPECT_EQ(twice.exit_code, 2);
    EXPECT_HAS(twice.err, "is being worked on by process " + std::to_string(running.pid()));
    for (const char* word : {"pause", "abort"}) {
      const Outcome elsewhere = in(other, word, {kBead});
      EXPECT_EQ(elsewhere.exit_code, 1) << word << elsewhere.out;
      EXPECT_HAS(elsewhere.err, project());
    }
    running.send(SIGKILL);
    EXPECT_EQ(running.wait().exit_code, 128 + SIGKILL);
  }
  on("execute", 2, "work; pass");
  // What bears its name elsewhere may go, and the run is none the wiser.
  fs::create_directories(other + "/.capsule/worktrees/" + std::string(kBead));
  in(other, "teardown", {kBead});
  EXPECT_EQ(query("SELECT outcome FROM capsule.runs"), "");
  const Outcome elsewhere = in(other, "run", {kBead});
  EXPECT_EQ(elsewhere.exit_code, 2) << elsewhere.out;
  EXPECT_HAS(elsewhere.err, project());
  // Its process is dead, which is seen at once here: no lease is waited for.
  const Outcome again = run_bead();
  ASSERT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(query("SELECT string_agg(outcome, ' ') FROM capsule.runs"), "merged");
  EXPECT_HAS(in(other, "status", {kBead}).out, "merged");
}

TEST_F(ClusterProgram, ADatabaseThatIsKilledUnderARunCostsItNothing) {
  on("execute", 1,
     "touch '" + path("works") + "'; while [ ! -e '" + path("go") +
         "' ]; do sleep 0.05; done; work; pass");
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("works")); }));
  server().kill9();
  const Outcome away = command("status", {});
  EXPECT_EQ(away.exit_code, 2);
  EXPECT_HAS(away.err, "cannot be used");
  write_file(path("go"), "");
  ASSERT_TRUE(eventually([&] { return !running.err_so_far().empty(); }));
  EXPECT_HAS(running.err_so_far(), "the database is away");
  server().start();
  const Outcome outcome = running.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(git_out({"rev-list", "--count", "--merges", "main"}), "1");
  EXPECT_EQ(query("SELECT outcome FROM capsule.runs"), "merged");
  EXPECT_EQ(command("doctor", {}).out.find("damaged"), std::string::npos);
}

// A process that was stopped for longer than its lease, and whose run somebody else has by then.
TEST_F(ClusterProgram, WhoWasOvertakenMergesNothing) {
  on("sign-off", 1,
     "touch '" + path("works") + "'; while [ ! -e '" + path("go") +
         "' ]; do sleep 0.05; done; pass");
  const std::string before = main_head();
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(eventually([&] { return fs::exists(path("works")); }));
  query(
      "UPDATE capsule.leases SET epoch = nextval('capsule.epochs'), token = 'another';"
      " UPDATE capsule.runs SET epoch = (SELECT epoch FROM capsule.leases)");
  write_file(path("go"), "");
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_HAS(outcome.err, "another capsule has taken this over");
  EXPECT_EQ(main_head(), before);
  EXPECT_EQ(query("SELECT outcome FROM capsule.runs"), "");
  EXPECT_EQ(query("SELECT count(*) FROM capsule.facts WHERE kind LIKE 'merge%'"), "0");
}

TEST_F(ClusterProgram, CommandsThatOnlyLookWork) {
  ASSERT_EQ(run_bead().exit_code, 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"status"},
                                                {"status", "--json"},
                                                {"inbox"},
                                                {"questions"},
                                                {"log", kBead},
                                                {"attach", kBead},
                                                {"cost"},
                                                {"ledger"},
                                                {"snapshots", kBead},
                                                {"agents"}}) {
    const Outcome outcome = command(words[0], {words.begin() + 1, words.end()});
    EXPECT_EQ(outcome.exit_code, 0) << words[0] << ": " << outcome.err;
  }
  for (const char* word : {"ui", "serve"}) {
    const Outcome outcome = command(word, {});
    EXPECT_EQ(outcome.exit_code, 2) << word;
    EXPECT_HAS(outcome.err, "cannot follow a journal in a database");
  }
  EXPECT_FALSE(has_folder_journal());
}

TEST_F(ClusterProgram, InitAgainChangesNothingAndStatusSaysWhatIsMissing) {
  const Outcome again = command("cluster", {"init", address()});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_HAS(again.out, "Nothing was missing");
  const std::string empty = server().address(server().fresh_database());
  const Outcome none = command("cluster", {"check", empty});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_HAS(none.out, "There is no journal");
  env()["CAPSULE_JOURNAL"] = empty;
  const Outcome refused = run_bead();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.err, "capsule cluster init");
  EXPECT_TRUE(agent_calls().empty());
  EXPECT_FALSE(has_folder_journal());
}

TEST_F(ClusterProgram, APasswordIsNeverPrinted) {
  for (const char* bad : {"postgres://ann:s3cret@127.0.0.1:1/shop", "postgres://ann:s3cret@[/x",
                          "mysql://ann:s3cret@h/x"}) {
    env()["CAPSULE_JOURNAL"] = bad;
    for (const char* word : {"status", "doctor"}) {
      const Outcome outcome = command(word, {});
      EXPECT_NE(outcome.exit_code, 0) << bad;
      EXPECT_LACKS(outcome.out + outcome.err, "s3cret");
    }
    const Outcome outcome = command("cluster", {"status", bad});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_LACKS(outcome.out + outcome.err, "s3cret");
  }
}

TEST_F(ClusterProgram, WithoutTheSecondProgramWhatIsMissingIsSaid) {
  const std::string alone = path("alone/capsule");
  fs::create_directories(path("alone"));
  fs::copy_file(CAPSULE_BINARY, alone);
  Call wanted = calling("status", {});
  wanted.program = alone;
  const Outcome outcome = call(wanted);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_HAS(outcome.err, "capsule-cluster, is not there");
  wanted.env["CAPSULE_JOURNAL"] = std::nullopt;
  EXPECT_EQ(call(wanted).exit_code, 0);
  wanted = calling("cluster", {"status"});
  wanted.program = alone;
  wanted.env["CAPSULE_JOURNAL"] = std::nullopt;
  EXPECT_EQ(call(wanted).exit_code, 2);
  wanted.args = {"cluster", "status", "--help"};
  EXPECT_EQ(call(wanted).exit_code, 0);
}

TEST_F(ClusterDelivery, APlanThatWasCutOffIsTakenUpAndDeliveredOnce) {
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  on("developer", "T-2", 1, kStay);
  on("developer", "T-2", 2, "good");
  EXPECT_EQ(cut_off(SIGKILL).exit_code, 128 + SIGKILL);
  const Delivered done = deliver();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  expect_delivered({"T-1", "T-2"});
  EXPECT_EQ(calls("developer", "T-1"), 1);
  EXPECT_EQ(server().query(database_, "SELECT count(*) FROM capsule.runs"), "1");
  EXPECT_FALSE(fs::exists(project() + "/.capsule/journal.db"));
}

// There and back: what is unfinished goes on wherever its journal is, and nowhere else.
TEST_F(ClusterDelivery, APlanBegunInTheFolderIsFinishedInTheDatabaseAndBack) {
  const std::string address = *env()["CAPSULE_JOURNAL"];
  env()["CAPSULE_JOURNAL"] = std::nullopt;
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  on("developer", "T-2", 1, kStay);
  on("developer", "T-2", 2, "good");
  EXPECT_EQ(cut_off(SIGKILL).exit_code, 128 + SIGKILL);
  env()["CAPSULE_JOURNAL"] = address;
  const Outcome moved = capsule_in({"cluster", "import"});
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_HAS(moved.out, "Moved 1 run into the database");
  EXPECT_EQ(capsule_in({"cluster", "import"}).exit_code, 0) << "given again it changes nothing";
  env()["CAPSULE_JOURNAL"] = std::nullopt;
  const Outcome folder = capsule_in({"deliver", plan_file()});
  EXPECT_EQ(folder.exit_code, 2) << folder.out;
  EXPECT_HAS(folder.err, "has moved to the database");
  env()["CAPSULE_JOURNAL"] = address;
  EXPECT_EQ(deliver().exit_code, 0);
  expect_delivered({"T-1", "T-2"});
  EXPECT_EQ(calls("developer", "T-1"), 1);

  use_plan("PLAN-2.md");
  write_plan({{"T-3"}, {"T-4", "T-3"}});
  fs::remove(path("mock/here"));
  on("developer", "T-4", 1, kStay);
  on("developer", "T-4", 2, "good");
  EXPECT_EQ(cut_off(SIGKILL).exit_code, 128 + SIGKILL);
  const Outcome back = capsule_in({"cluster", "export"});
  ASSERT_EQ(back.exit_code, 0) << back.err;
  EXPECT_HAS(back.out, "Moved 2 runs into this folder");
  const Outcome database = capsule_in({"deliver", plan_file()});
  EXPECT_EQ(database.exit_code, 2) << database.out;
  EXPECT_HAS(database.err, "in the journal of");
  env()["CAPSULE_JOURNAL"] = std::nullopt;
  EXPECT_EQ(deliver().exit_code, 0);
  EXPECT_EQ(calls("developer", "T-3"), 1);
  for (const char* task : {"T-1", "T-2", "T-3", "T-4"})
    EXPECT_EQ(main_file(std::string(task) + ".txt"), std::string(task) + "\n");
  EXPECT_EQ(git_out({"rev-list", "--count", "--merges", "main"}), "4");
  EXPECT_EQ(server().query(database_, "SELECT count(*) FROM capsule.runs WHERE outcome = ''"), "1");
}

TEST_F(ClusterDelivery, WhatIsBeingWorkedOnIsMovedNeitherWay) {
  const std::string address = *env()["CAPSULE_JOURNAL"];
  write_plan({{"T-1"}});
  on("developer", "T-1", 1, kStay);
  for (const char* way : {"import", "export"}) {
    const bool in_folder = std::string(way) == "import";
    use_plan(std::string(way) + ".md");
    write_plan({{"T-1"}});
    env()["CAPSULE_JOURNAL"] = in_folder ? std::nullopt : std::optional(address);
    fs::remove(path("mock/here"));
    Running running(calling({"deliver", plan_file()}));
    ASSERT_TRUE(eventually([&] { return fs::exists(path("mock/here")); }));
    env()["CAPSULE_JOURNAL"] = address;
    const Outcome refused = capsule_in({"cluster", way});
    EXPECT_EQ(refused.exit_code, 1) << way << refused.out;
    EXPECT_HAS(refused.err, "is being worked on");
    running.send(SIGKILL);
    running.wait();
  }
}

TEST_F(ClusterDelivery, AQuestionIsAnsweredByAnotherProcess) {
  write_plan({{"T-1"}});
  on("developer", "T-1", 1,
     "printf 'SEEKING_DIVINE_CLARIFICATION\\n\\nTask: T-1\\n\\nQuestion: Which colour?\\n'");
  on("developer", "T-1", 2, "good");
  Running running(calling({"deliver", plan_file(), "--wait"}));
  ASSERT_TRUE(eventually(
      [&] { return capsule_in({"questions"}).out.find("Which colour?") != std::string::npos; }));
  const Outcome answered = capsule_in({"answer", "1", "blue"});
  EXPECT_EQ(answered.exit_code, 0) << answered.err;
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_HAS(agent_call("developer", "T-1", 2).prompt, "blue");
  expect_delivered({"T-1"});
}

}  // namespace
}  // namespace capsule::test
