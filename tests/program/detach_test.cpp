// --detach and capsule attach: a run without a terminal, and any number of terminals that look.
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/program/deliver_project.h"
#include "tests/program/demo_project.h"
#include "tests/program/project.h"

namespace capsule::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// Fields of /proc/PID/stat behind the name: state, parent, group, session, terminal, …
std::vector<std::string> stat_of(int pid) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream in(text.substr(text.rfind(')') + 1));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// How often a process gave the processor up by itself.
long wakes_of(int pid) {
  std::istringstream status(read_file("/proc/" + std::to_string(pid) + "/status"));
  for (std::string word; status >> word;)
    if (long count = 0; word == "voluntary_ctxt_switches:" && status >> count) return count;
  return -1;
}

class Detach : public ProjectTest {
 protected:
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    on("execute", "echo ready >'" + mock("ready") + "'; while ! test -e '" + mock("go") +
                      "'; do sleep 0.02; done; pass");
  }
  bool is_at_work() {
    return eventually([&] { return fs::exists(mock("ready")); });
  }
  void let_it_end() { write_file(mock("go"), ""); }
  static bool says(const Running& running, const std::string& what) {
    return eventually([&] { return running.out_so_far().find(what) != std::string::npos; });
  }
  std::vector<std::string> logs() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(project() + "/.capsule/detached"))
      found.push_back(entry.path());
    return found;
  }
};

TEST_F(Detach, ARunGoesOnWithoutItsTerminalAndIsFollowedToItsEnd) {
  const Outcome began = command("run", {kBead, "--detach"});
  ASSERT_EQ(began.exit_code, 0) << began.out << began.err;
  EXPECT_THAT(began.out, HasSubstr("capsule attach " + std::string(kBead)));
  EXPECT_THAT(began.out, HasSubstr("capsule pause " + std::string(kBead)));
  EXPECT_THAT(began.out, HasSubstr("capsule abort " + std::string(kBead)));
  ASSERT_TRUE(is_at_work());
  Running looking(calling("attach", {}));  // the only one that goes on
  Running also(calling("attach", {kBead}));
  ASSERT_TRUE(says(looking, "execute: running")) << looking.out_so_far() << looking.err_so_far();
  ASSERT_TRUE(says(also, "execute: running"));
  let_it_end();
  const Outcome seen = looking.wait();
  EXPECT_EQ(seen.exit_code, 0) << seen.out << seen.err;
  EXPECT_THAT(seen.out, HasSubstr("merged as "));
  EXPECT_THAT(seen.out, HasSubstr("capsule status " + std::string(kBead)));
  EXPECT_EQ(also.wait().exit_code, 0);
  EXPECT_TRUE(is_closed());
  ASSERT_EQ(logs().size(), 1U);
  EXPECT_THAT(began.out, HasSubstr(logs().front()));
  EXPECT_THAT(read_file(logs().front()), HasSubstr("merged as "));
  const Outcome again = command("attach", {kBead});
  EXPECT_EQ(again.exit_code, 0) << "how it ended";
  EXPECT_EQ(command("attach", {}).exit_code, 1) << "nothing goes on";
}

TEST_F(Detach, ItHasASessionOfItsOwnNoTerminalAndNothingToRead) {
  const Outcome began = command("run", {kBead, "--detach", "--json"});
  ASSERT_EQ(began.exit_code, 0) << began.err;
  const Json json = Json::parse(began.out);
  ASSERT_TRUE(is_at_work());
  const int pid = json["pid"];
  const std::vector<std::string> stat = stat_of(pid);
  ASSERT_GT(stat.size(), 4U);
  EXPECT_EQ(stat[3], std::to_string(pid)) << "its session";
  EXPECT_EQ(stat[4], "0") << "its terminal";
  EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(pid) + "/fd/0"), "/dev/null");
  EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(pid) + "/fd/1").string(),
            json["log"].get<std::string>());
  EXPECT_FALSE(
      fs::exists("/proc/" + std::to_string(pid) + "/fd/3") &&
      fs::read_symlink("/proc/" + std::to_string(pid) + "/fd/3").string().starts_with("pipe:"))
      << "whoever waited has heard of it";
  let_it_end();
  const Outcome seen = command("attach", {json["run"].get<std::string>(), "--json"});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  EXPECT_EQ(events_of(seen.out).front()["event"], "run_started");
  EXPECT_EQ(events_of(seen.out).back()["event"], "run_finished");
  EXPECT_THAT(read_file(json["log"]), HasSubstr("\"event\":\"run_finished\""));
  for (const AgentCall& call : agent_calls()) EXPECT_FALSE(call.env.contains("CAPSULE_TELL_PIPE"));
}

TEST_F(Detach, AVariableThatNamesNoPipeOfOursIsNothing) {
  let_it_end();
  for (const char* words : {"", "3", "0:0", "1:99999999999999999999"}) {
    env()["CAPSULE_TELL_PIPE"] = words;
    EXPECT_EQ(command("run", {kBead}).exit_code, 0) << words;
  }
  for (const AgentCall& call : agent_calls()) EXPECT_FALSE(call.env.contains("CAPSULE_TELL_PIPE"));
}

TEST_F(Detach, WhatCannotBeginSaysWhyAndLeavesNothing) {
  const Outcome none = command("run", {"demo-9", "--detach"});
  const Outcome same = command("run", {"demo-9"});
  EXPECT_EQ(none.exit_code, same.exit_code);
  EXPECT_EQ(none.err, same.err);
  EXPECT_THAT(none.out, Not(HasSubstr("attach")));
  EXPECT_TRUE(logs().empty());
  let_it_end();
  ASSERT_EQ(run_bead().exit_code, 0);
  const Outcome merged = command("run", {kBead, "--detach"});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("already merged"));
  EXPECT_TRUE(logs().empty());
}

TEST_F(Detach, OneThatGoesOnAlreadyIsNotBegunTwice) {
  ASSERT_EQ(command("run", {kBead, "--detach"}).exit_code, 0);
  ASSERT_TRUE(is_at_work());
  const Outcome second = command("run", {kBead, "--detach"});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_NE(second.err, "");
  EXPECT_EQ(logs().size(), 1U);
  EXPECT_EQ(command("abort", {kBead}).exit_code, 0);
  EXPECT_EQ(command("attach", {kBead}).exit_code, 2) << "aborted";
  let_it_end();
  EXPECT_EQ(command("run", {kBead, "--resume", "--detach"}).exit_code, 0);
  EXPECT_EQ(command("attach", {kBead}).exit_code, 0);
}

TEST_F(Detach, WhoHasSeenEnoughLeavesAndTheRunOfAnotherTerminalGoesOn) {
  Running running(calling("run", {kBead}));
  ASSERT_TRUE(is_at_work());
  Running looking(calling("attach", {kBead}));
  ASSERT_TRUE(says(looking, "execute: running")) << looking.err_so_far();
  looking.send(SIGINT);
  const Outcome left = looking.wait();
  EXPECT_EQ(left.exit_code, 130);
  EXPECT_THAT(left.out, HasSubstr("goes on; look again: capsule attach"));
  let_it_end();
  EXPECT_EQ(running.wait().exit_code, 0);
}

TEST_F(Detach, WhoFollowsSleepsUntilSomethingHappensAndHearsOfADeath) {
  on("execute", "echo here; while ! test -e '" + mock("go") + "'; do sleep 0.02; done; pass");
  const Outcome began = command("run", {kBead, "--detach", "--json"});
  ASSERT_EQ(began.exit_code, 0) << began.err;
  Running looking(calling("attach", {kBead}));
  Running reading(calling("log", {kBead, "--follow"}));
  ASSERT_TRUE(says(looking, "execute: running")) << looking.err_so_far();
  ASSERT_TRUE(says(reading, "here")) << reading.err_so_far();
  EXPECT_TRUE(eventually([&] {
    const long before = wakes_of(looking.pid()) + wakes_of(reading.pid());
    ::usleep(1'300'000);  // longer than any clock by which a face ever looked
    return before == wakes_of(looking.pid()) + wakes_of(reading.pid());
  }));
  ASSERT_EQ(::kill(Json::parse(began.out)["pid"], SIGKILL), 0);
  EXPECT_EQ(looking.wait().exit_code, 2) << "cut off";
  EXPECT_EQ(reading.wait().exit_code, 0);
  let_it_end();
}

TEST_F(Detach, APauseOfADetachedRunLetsThePhaseEndAndItGoesOnLater) {
  ASSERT_EQ(command("run", {kBead, "--detach"}).exit_code, 0);
  ASSERT_TRUE(is_at_work());
  Running looking(calling("attach", {kBead}));
  ASSERT_TRUE(says(looking, "execute: running"));
  EXPECT_EQ(command("pause", {kBead}).exit_code, 0);
  let_it_end();
  const Outcome paused = looking.wait();
  EXPECT_EQ(paused.exit_code, 1) << paused.out;
  EXPECT_THAT(paused.out, HasSubstr("execute: PASS"));
  EXPECT_THAT(paused.out, Not(HasSubstr("sign-off: running"))) << "nothing new is started";
  EXPECT_THAT(paused.out, HasSubstr("go on with: capsule run"));
  EXPECT_EQ(command("run", {kBead, "--resume", "--detach"}).exit_code, 0);
  EXPECT_EQ(command("attach", {kBead}).exit_code, 0);
}

TEST_F(Detach, WhatAPersonIsAskedIsShownWithItsCommand) {
  let_it_end();
  ASSERT_EQ(command("run", {kBead, "--integrate=ask", "--detach"}).exit_code, 0);
  const Outcome waits = command("attach", {kBead});
  EXPECT_EQ(waits.exit_code, 1) << waits.out << waits.err;
  EXPECT_THAT(waits.out, HasSubstr("capsule approve " + std::string(kBead)));
  ASSERT_EQ(command("approve", {kBead}).exit_code, 0);
  ASSERT_EQ(command("run", {kBead, "--detach"}).exit_code, 0);
  EXPECT_EQ(command("attach", {kBead}).exit_code, 0);
}

TEST_F(Detach, AMergeThatWasRefusedIsTriedAgainWithoutATerminal) {
  let_it_end();
  on("merge", "say NEEDS_WORK later");
  ASSERT_EQ(run_bead().exit_code, 1);
  on("merge", "pass");
  const Outcome began = command("merge", {kBead, "--detach"});
  EXPECT_EQ(began.exit_code, 0) << began.out << began.err;
  EXPECT_THAT(began.out, HasSubstr("capsule attach " + std::string(kBead)));
  const Outcome seen = command("attach", {kBead});
  EXPECT_EQ(seen.exit_code, 0) << seen.out << seen.err;
  EXPECT_TRUE(is_closed());
}

class DetachedDelivery : public DeliveryTest {};

TEST_F(DetachedDelivery, ADeliveryIsDetachedPausedAndFollowed) {
  write_plan({{"T-1"}, {"T-2", "T-1"}});
  on("developer", "T-1", 1,
     "echo here >\"$M/here\"; until test -e " + path("go") + "; do sleep 0.05; done; good");
  const Outcome began = capsule_in({"deliver", plan_file(), "--detach"});
  ASSERT_EQ(began.exit_code, 0) << began.out << began.err;
  ASSERT_TRUE(eventually([&] { return calls("developer", "T-1") == 1; }));
  Running looking(calling({"attach", plan_file()}));
  ASSERT_TRUE(eventually([&] { return looking.out_so_far().find("T-1") != std::string::npos; }));
  EXPECT_EQ(capsule_in({"pause", plan_file()}).exit_code, 0);
  write_file(path("go"), "");
  EXPECT_EQ(looking.wait().exit_code, 1);
  EXPECT_EQ(calls("developer", "T-2"), 0) << "nothing new is started";
  ASSERT_EQ(capsule_in({"deliver", plan_file(), "--detach"}).exit_code, 0);
  EXPECT_EQ(capsule_in({"attach", plan_file()}).exit_code, 0);
  EXPECT_EQ(calls("developer", "T-1"), 1) << "what was done is not done again";
}

TEST_F(DetachedDelivery, WhyATaskWaitsIsData) {
  write_plan({{"T-1", "none", "calc.sh"}, {"T-2"}, {"T-3", "T-1"}});
  on("developer", "T-1", 1, "until test -e " + path("go") + "; do sleep 0.05; done; good");
  on("developer", "T-2", 1,
     "printf 'FILE CONFLICT: calc.sh\\n\\nAssigned To: T-1\\nI Need To: add\\nCan Wait: YES\\n'");
  on("developer", "T-2", 2, "good");
  ASSERT_EQ(capsule_in({"deliver", plan_file(), "--detach"}).exit_code, 0);
  Json json;
  std::map<std::string, Json> waits;
  EXPECT_TRUE(eventually([&] {
    json = Json::parse(capsule_in({"status", plan_file(), "--json"}).out);
    waits.clear();
    for (const Json& wait : json["waits_for"]) waits[wait["task"]] = wait;
    return waits.contains("T-2") && waits["T-2"]["for"] == "file";
  })) << json;
  EXPECT_EQ(waits["T-2"]["on"], "calc.sh");
  EXPECT_EQ(waits["T-2"]["by"], "T-1");
  EXPECT_TRUE(waits["T-2"]["since"].is_string() && waits["T-2"]["since"] > json["started_at"])
      << json["waits_for"];
  EXPECT_EQ(waits["T-3"]["for"], "dependency");
  EXPECT_EQ(waits["T-3"]["on"], "T-1");
  EXPECT_EQ(waits["T-3"]["since"], json["started_at"]) << "since it is part of the plan";
  write_file(path("go"), "");
  EXPECT_EQ(capsule_in({"attach", plan_file()}).exit_code, 0);
}

class DetachedOwnWorkflow : public ProjectTest {
 protected:
  // Agents stay at work until their phase may end.
  void SetUp() override {
    ProjectTest::SetUp();
    make_project(Way::binary);
    write_file(path("agent"), "#!/bin/sh\ncat >/dev/null; echo $CAPSULE_PHASE >>'" + path("asked") +
                                  "'\nwhile ! test -e '" + path("go-") +
                                  "'$CAPSULE_PHASE; do sleep 0.02; done\n"
                                  "echo '{\"status\":\"PASS\",\"feedback\":\"f\","
                                  "\"files_changed\":[],\"summary\":\"s\"}'\n");
    fs::permissions(path("agent"), fs::perms::owner_all);
    configure("provider: mine\nproviders: {mine: {command: ['" + path("agent") + "']}}\n");
    write_file(project() + "/.capsule/workflows/mine.yaml",
               "phases:\n  - {name: draft}\n  - {name: polish}\nend: nothing\n");
    write_file(project() + "/prompts/draft.md", "# draft\n");
    write_file(project() + "/prompts/polish.md", "# polish\n");
    announce({"?? prompts/"});
  }
  void may_end(const std::string& phase) const { write_file(path("go-" + phase), ""); }
  bool are_asked(const std::string& phases) const {
    return eventually([&] { return join(lines_of(read_file(path("asked")))) == phases; });
  }
};

TEST_F(DetachedOwnWorkflow, ItIsPausedAndAbortedAndGoesOnEachTime) {
  const Outcome began = command("run", {kBead, "--workflow=mine", "--detach"});
  ASSERT_EQ(began.exit_code, 0) << began.out << began.err;
  ASSERT_TRUE(are_asked("draft"));
  Running looking(calling("attach", {kBead}));
  ASSERT_TRUE(
      eventually([&] { return looking.out_so_far().find("draft: running") != std::string::npos; }));
  EXPECT_EQ(command("pause", {kBead}).exit_code, 0);
  may_end("draft");
  const Outcome paused = looking.wait();
  EXPECT_EQ(paused.exit_code, 1) << paused.out << paused.err;
  EXPECT_THAT(paused.out, HasSubstr("draft: PASS"));
  EXPECT_THAT(paused.out, HasSubstr("go on with: capsule run"));
  EXPECT_TRUE(are_asked("draft")) << "nothing new is started";

  ASSERT_EQ(command("run", {kBead, "--resume", "--detach"}).exit_code, 0);
  ASSERT_TRUE(are_asked("draft polish")) << "it goes on by its own workflow";
  EXPECT_EQ(command("abort", {kBead}).exit_code, 0);
  EXPECT_EQ(command("attach", {kBead}).exit_code, 2) << "aborted";

  may_end("polish");
  ASSERT_EQ(command("run", {kBead, "--resume", "--detach"}).exit_code, 0);
  const Outcome ended = command("attach", {kBead});
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_TRUE(are_asked("draft polish polish")) << "what was done is not done again";
}

class DetachedAuto : public DemoProject {};

TEST_F(DetachedAuto, AutoModeIsDetachedAndFollowed) {
  make_project();
  auto_agent();
  const Outcome began =
      in({"auto", "run", "Say hello", "--skip-expansion", "--skip-reflect", "--detach"});
  ASSERT_EQ(began.exit_code, 0) << began.out << began.err;
  EXPECT_THAT(began.out, HasSubstr("capsule attach auto"));
  const Outcome seen = in({"attach", "auto"});
  EXPECT_EQ(seen.exit_code, 0) << seen.out << seen.err;
  EXPECT_TRUE(has("greeting.txt"));
  EXPECT_EQ(in({"auto", "run", "--detach", "--", "--detach"}).exit_code, 0)
      << "a task of this name";
  EXPECT_EQ(in({"attach", "auto"}).exit_code, 1);
}

}  // namespace
}  // namespace capsule::test
