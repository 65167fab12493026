// Whose auto mode it is, and which stop is which: sessions, their background tasks, and hooks that
// are called twice.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/program/hook_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class HookSession : public HookProject {
 protected:
  static Json tasks(const std::vector<std::string>& states) {
    Json list = Json::array();
    for (const std::string& state : states)
      list.push_back({{"id", "a1"}, {"type", "subagent"}, {"status", state}, {"agent_type", "x"}});
    return list;
  }
  Outcome stops(const std::string& text, const Json& background) const {
    return stop({{"last_assistant_message", text}, {"background_tasks", background}});
  }
  // A transcript as the client writes it: every record has an id.
  static std::string numbered(const std::string& role, const std::string& text, int number) {
    Json line = record(role, text);
    line["uuid"] = "record-" + std::to_string(number);
    line["isSidechain"] = false;
    return line.dump() + "\n";
  }
  Call told(const std::string& text) const {
    return hook(
        event({{"transcript_path", path("t.jsonl")}, {"last_assistant_message", text}}).dump());
  }
  // Calls of two programs, so that the client would make both.
  void install_twice() const {
    for (const char* place : {"p", "home"})
      write_file(path(std::string(place) + "/.claude/settings.json"),
                 R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" +
                     std::string(*place == 'p' ? "" : "/opt/") + R"(capsule hook stop"}]}]}})");
  }
  Outcome in_session(std::vector<std::string> args, const std::string& session) const {
    Call call{.args = std::move(args), .cwd = project()};
    if (!session.empty()) call.env["CLAUDE_CODE_SESSION_ID"] = session;
    return this->call(call);
  }
};

TEST_F(HookSession, AStopWhileBackgroundTasksRunIsAllowedAndNotCounted) {
  Json state = this->state("review");
  state["iteration"] = 3;
  given(state);
  for (const char* status : {"running", "pending"}) {
    const Outcome outcome = stops("The reviewers are at work.", tasks({"completed", status}));
    EXPECT_TRUE(allowed(outcome)) << status;
    EXPECT_EQ(message(outcome), "[6/9] review: waiting for 1 background task");
    EXPECT_EQ(now()["iteration"], 3);
    EXPECT_EQ(now()["phase"], "review");
    EXPECT_EQ(now()["active"], true);
    EXPECT_EQ(now()["session_id"], "s-1");
  }
}

TEST_F(HookSession, ASignalCountsAlsoWhileBackgroundTasksRun) {
  given(state("review"));
  EXPECT_THAT(reason(stops(block("REVIEW_COMPLETE"), tasks({"running"}))), HasSubstr("of 9: fix"));
  EXPECT_TRUE(allowed(stops(block("PHASE_ERROR", "ERROR: no key\n"), tasks({"running"}))));
  EXPECT_EQ(now()["last_error"], "no key");
  EXPECT_TRUE(allowed(stops(block("AUTO_COMPLETE"), tasks({"running"}))));
  EXPECT_EQ(now()["exit_reason"], "auto_complete_signal");
}

TEST_F(HookSession, WhatIsNoRunningTaskHoldsNothingBack) {
  for (const Json& list : {tasks({"completed", "failed", "killed"}), Json::array(), Json(5),
                           Json("running"), Json::array({1, "running", nullptr, Json::object()})}) {
    given(state("review"));
    EXPECT_FALSE(allowed(stops("I looked.", list))) << list;
    EXPECT_EQ(now()["iteration"], 1) << list;
  }
}

TEST_F(HookSession, AForgottenStateIsNotTakenUpByASessionThatWaits) {
  Json state = this->state("planning");
  state["started_at"] = iso(3 * 3600);
  given(state);
  EXPECT_TRUE(allowed(stops("hello", tasks({"running"}))));
  EXPECT_EQ(now()["exit_reason"], "stale_state");
}

TEST_F(HookSession, AutoModeBelongsToTheSessionThatStartedIt) {
  ASSERT_EQ(in_session({"auto", "start", "Add a parser"}, "s-1").exit_code, 0);
  EXPECT_EQ(now()["session_id"], "s-1");
  const std::string before = read_file(state_path());
  const Outcome other = stop({{"session_id", "s-2"}, {"last_assistant_message", "done"}});
  EXPECT_EQ(other.out + other.err, "");
  EXPECT_TRUE(
      allowed(stop({{"session_id", "s-2"}, {"last_assistant_message", block("AUTO_COMPLETE")}})));
  EXPECT_EQ(read_file(state_path()), before);
  EXPECT_FALSE(allowed(says("working")));
}

TEST_F(HookSession, ASessionThatIsNamedCountsBeforeTheOneThatStartsIt) {
  ASSERT_EQ(in_session({"auto", "start", "x", "--session=s-9"}, "s-1").exit_code, 0);
  EXPECT_EQ(now()["session_id"], "s-9");
  EXPECT_EQ(in_session({"auto", "start", "x", "--force", "--session=a b"}, "").exit_code, 2);
  EXPECT_EQ(in_session({"auto", "start", "x", "--force", "--session="}, "").exit_code, 2);
  EXPECT_EQ(now()["session_id"], "s-9");
}

TEST_F(HookSession, StartedOutsideOfAnySessionItIsTheFirstOnesThatStops) {
  ASSERT_EQ(in_session({"auto", "start", "x"}, "").exit_code, 0);
  EXPECT_EQ(now()["session_id"], nullptr);
  // What cannot be an id is none.
  ASSERT_EQ(in_session({"auto", "start", "x", "--force"}, std::string(500, 'x')).exit_code, 0);
  EXPECT_EQ(now()["session_id"], nullptr);
  EXPECT_FALSE(allowed(says("working")));
  EXPECT_EQ(now()["session_id"], "s-1");
}

TEST_F(HookSession, ContinuedInASessionItIsThatOnes) {
  ASSERT_EQ(in_session({"auto", "start", "x"}, "s-1").exit_code, 0);
  EXPECT_EQ(in_session({"auto", "continue"}, "s-1").exit_code, 0) << "it goes on where it is";
  const Outcome other = in_session({"auto", "continue"}, "s-2");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("s-1"));
  EXPECT_EQ(now()["session_id"], "s-1");
  ASSERT_EQ(in_session({"auto", "cancel"}, "s-2").exit_code, 0);
  ASSERT_EQ(in_session({"auto", "continue"}, "s-2").exit_code, 0);
  EXPECT_EQ(now()["session_id"], "s-2");
  EXPECT_EQ(now()["active"], true);
}

TEST_F(HookSession, OneStopThatIsToldTwiceIsAnsweredOnce) {
  install_twice();
  given(state("planning"));
  std::string transcript = numbered("user", "go", 1) + numbered("assistant", "thinking", 2);
  write_file(path("t.jsonl"), transcript);
  EXPECT_THAT(reason(run(told("thinking"))), HasSubstr("- Iteration: 1/3\n"));
  const Outcome second = run(told("thinking"));
  EXPECT_EQ(second.out + second.err, "");
  EXPECT_EQ(now()["iteration"], 1);
  // What the client may still be writing meanwhile is no new stop.
  write_file(path("t.jsonl"), transcript + numbered("system", "x", 3));
  EXPECT_EQ(run(told("thinking")).out, "");
  // The next stop is another one, be the words the same.
  transcript +=
      numbered("user", "Stop hook feedback:\ngo on", 4) + numbered("assistant", "thinking", 5);
  write_file(path("t.jsonl"), transcript);
  EXPECT_THAT(reason(run(told("thinking"))), HasSubstr("- Iteration: 2/3\n"));
}

TEST_F(HookSession, ASignalThatIsToldTwiceAdvancesOnce) {
  install_twice();
  given(state("planning"));
  write_file(path("t.jsonl"), numbered("user", "go", 1));
  EXPECT_THAT(reason(run(told(block("PLANNING_COMPLETE")))), HasSubstr("of 9: execution"));
  EXPECT_EQ(run(told(block("PLANNING_COMPLETE"))).out, "");
  EXPECT_EQ(now()["phase"], "execution");
  EXPECT_EQ(now()["iteration"], 0);
  const std::string error = block("PHASE_ERROR", "ERROR: no key\n");
  EXPECT_THAT(message(run(told(error))), HasSubstr("no key"));
  EXPECT_EQ(run(told(error)).out, "");
  EXPECT_EQ(now()["signals"]["detected_signals"].size(), 2U);
}

TEST_F(HookSession, TwoHooksAtTheSameTimeGiveOneAnswer) {
  for (int round = 0; round < 5; ++round) {
    given(state("planning"));
    install_twice();
    write_file(path("t.jsonl"), numbered("user", "go", 1) + numbered("assistant", "thinking", 2));
    const Call call = told("thinking");
    Running first(call), second(call);
    const std::string one = first.wait().out, two = second.wait().out;
    EXPECT_TRUE(one.empty() != two.empty()) << one << two;
    EXPECT_EQ(now()["iteration"], 1);
  }
}

TEST_F(HookSession, InALongTurnTheNewestRecordTellsWhichStopItIs) {
  install_twice();
  given(state("planning"));
  Json tool = record("user", "x");
  tool["message"]["content"] = Json::array(
      {{{"type", "tool_result"}, {"tool_use_id", "1"}, {"content", std::string(2'000'000, 'x')}}});
  tool["uuid"] = "record-2";
  const std::string turn = numbered("user", "go", 1) + tool.dump() + "\n";
  write_file(path("t.jsonl"), turn + numbered("assistant", "thinking", 3));
  EXPECT_THAT(reason(run(told("thinking"))), HasSubstr("- Iteration: 1/3\n"));
  EXPECT_EQ(run(told("thinking")).out, "");
  write_file(path("t.jsonl"), turn + numbered("assistant", "thinking", 3) + tool.dump() + "\n" +
                                  numbered("assistant", "thinking", 4));
  EXPECT_THAT(reason(run(told("thinking"))), HasSubstr("- Iteration: 2/3\n"));
}

TEST_F(HookSession, AnAnswerOfLongAgoStandsForNoOther) {
  install_twice();
  given(state("planning"));
  write_file(path("t.jsonl"), numbered("user", "go", 1));
  EXPECT_FALSE(allowed(run(told("thinking"))));
  Json state = now();
  state["last_stop"]["at"] = iso(3600);
  given(state);
  EXPECT_FALSE(allowed(run(told("thinking"))));
  EXPECT_EQ(now()["iteration"], 2);
}

// Under two names: the client calls both at the same stop, and only one of them answers.
TEST_F(HookSession, OfTwoThatAreInstalledOnlyOneAnswers) {
  for (const char* place : {"p", "home"}) {
    std::filesystem::create_directories(path(std::string(place) + "/bin"));
    std::filesystem::create_symlink(CAPSULE_BINARY, path(std::string(place) + "/bin/capsule"));
    write_file(path(std::string(place) + "/.claude/settings.json"),
               R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" + path(place) +
                   R"(/bin/capsule hook stop"}]}]}})");
  }
  given(state("planning"));
  Call ours = hook(event({{"last_assistant_message", "thinking"}}).dump()), users = ours;
  ours.program = path("p/bin/capsule");
  users.program = path("home/bin/capsule");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(users).out, "");
    EXPECT_FALSE(allowed(run(ours)));
    EXPECT_EQ(run(users).out, "");
  }
  EXPECT_EQ(now()["iteration"], 2);
  // Where the project's program is not on this machine, the user's answers.
  std::filesystem::remove(path("p/bin/capsule"));
  EXPECT_THAT(reason(run(users)), HasSubstr("- Iteration: 3/3\n"));
}

TEST_F(HookSession, InstalledOnceEveryCallIsAStopOfItsOwn) {
  given(state("planning"));
  // As the client leaves it for a moment: its own words are not written yet.
  write_file(path("t.jsonl"), numbered("user", "go", 1));
  EXPECT_FALSE(allowed(run(told("thinking"))));
  EXPECT_FALSE(allowed(run(told("thinking"))));
  EXPECT_EQ(now()["iteration"], 2);
}

TEST_F(HookSession, StopsThatCannotBeToldApartAreEachCounted) {
  install_twice();
  given(state("planning"));
  write_file(path("t.jsonl"), line("user", "go") + line("assistant", "thinking"));
  EXPECT_FALSE(allowed(run(told("thinking"))));
  EXPECT_FALSE(allowed(run(told("thinking"))));
  EXPECT_EQ(now()["iteration"], 2);
}

// The other end of the pipe stays open; an answer that waited for its end would never come.
TEST_F(HookSession, AnEventIsAnsweredWhenItIsCompleteNotWhenItsPipeIsClosed) {
  given(state("planning"));
  ASSERT_EQ(::mkfifo(path("event").c_str(), 0600), 0);
  const int pipe = ::open(path("event").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(pipe, 0);
  const std::string text =
      event({{"last_assistant_message", "brackets } in \\ words ] and \" quotes {"}}).dump() + "\n";
  for (const char* wanted : {"- Iteration: 1/3\n", "- Iteration: 2/3\n"}) {
    ASSERT_EQ(::write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    Call call = hook("");
    call.input_file = path("event");
    EXPECT_THAT(reason(run(call)), HasSubstr(wanted));
  }
  ::close(pipe);
}

}  // namespace
}  // namespace capsule::test
