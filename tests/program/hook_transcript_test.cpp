// What capsule hook stop reads of a transcript.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/program/hook_project.h"

namespace capsule::test {
namespace {

using ::testing::HasSubstr;

class HookTranscript : public HookProject {
 protected:
  void SetUp() override {
    HookProject::SetUp();
    given(state("planning"));
  }
  // The answer to a stop with this transcript and nothing else.
  std::string after(const std::string& transcript) const {
    write_file(path("t.jsonl"), transcript);
    return reason(stop({{"transcript_path", path("t.jsonl")}}));
  }
};

TEST_F(HookTranscript, TheAssistantsTextsCount) {
  EXPECT_THAT(after(line("user", "go") + line("assistant", block("PLANNING_COMPLETE")) +
                    line("assistant", "that is all")),
              HasSubstr("of 9: execution"));
}

TEST_F(HookTranscript, NobodyElsesTextsCount) {
  const std::string signal = block("PLANNING_COMPLETE");
  Json tool = record("user", "x");
  tool["message"]["content"] =
      Json::array({{{"type", "tool_result"}, {"tool_use_id", "1"}, {"content", signal}}});
  Json thought = record("assistant", "x");
  thought["message"]["content"] = Json::array({{{"type", "thinking"}, {"thinking", signal}}});
  EXPECT_THAT(after(line("user", signal) + tool.dump() + "\n" + thought.dump() + "\n" +
                    line("system", signal)),
              HasSubstr("Auto Mode Continuation"));
}

TEST_F(HookTranscript, WhatStandsBeforeTheLastContinuationIsForgotten) {
  const std::string prompt = reason(says("working"));
  for (const std::string& text : {"Stop hook feedback:\n" + prompt, prompt,
                                  std::string("Stop hook feedback:\nanything at all")}) {
    EXPECT_THAT(after(line("assistant", block("PLANNING_COMPLETE")) + line("user", text) +
                      line("assistant", "still working")),
                HasSubstr("Auto Mode Continuation"));
    given(state("planning"));
    EXPECT_THAT(after(line("user", text) + line("assistant", block("PLANNING_COMPLETE"))),
                HasSubstr("of 9: execution"));
    given(state("planning"));
  }
}

TEST_F(HookTranscript, AContinuationThatTheAgentQuotesIsNoBorder) {
  const std::string prompt = reason(says("working"));
  EXPECT_THAT(after(line("assistant", block("PLANNING_COMPLETE")) +
                    line("assistant", "I was told:\n" + prompt)),
              HasSubstr("of 9: execution"));
}

TEST_F(HookTranscript, WhatWasSaidBeforeAutoModeWasStartedIsForgotten) {
  EXPECT_THAT(after(line("assistant", block("AUTO_COMPLETE")) +
                    line("user", "<command-name>/capsule-auto</command-name> Add a parser") +
                    line("assistant", "working")),
              HasSubstr("Auto Mode Continuation"));
}

TEST_F(HookTranscript, WhatAPersonWroteAfterAnErrorSettlesIt) {
  const std::string error = line("assistant", block("PHASE_ERROR", "ERROR: no key\n"));
  EXPECT_EQ(after(error), "");
  const std::string answered = error + line("user", "I fixed it, go on");
  EXPECT_THAT(after(answered + line("assistant", "fine")), HasSubstr("Auto Mode Continuation"));
  EXPECT_EQ(now()["signals"]["detected_signals"].size(), 1U);
  // The next one asks for a person again, be it the same.
  EXPECT_EQ(after(answered + error), "");
  write_file(path("t.jsonl"), answered + error);
  EXPECT_EQ(reason(stop({{"transcript_path", path("t.jsonl")},
                         {"last_assistant_message", block("PHASE_ERROR", "ERROR: no key\n")}})),
            "");
  EXPECT_THAT(after(answered + error + line("user", "and now?") + line("assistant", "hm")),
              HasSubstr("Auto Mode Continuation"));
}

TEST_F(HookTranscript, OnlyAPersonSettlesAnError) {
  const std::string error = line("assistant", block("PHASE_ERROR", "ERROR: no key\n"));
  Json tool = record("user", "x");
  tool["message"]["content"] =
      Json::array({{{"type", "tool_result"}, {"tool_use_id", "1"}, {"content", "done"}},
                   {{"type", "text"}, {"text", "mind the time"}}});
  Json helper = record("user", "look at this");
  helper["isSidechain"] = true;
  Json client = record("user", "the conversation goes on");
  client["isMeta"] = true;
  for (const Json& other : {tool, helper, client, record("system", "x"), record("assistant", "x")})
    EXPECT_EQ(after(error + other.dump() + "\n" + line("assistant", "that is all")), "") << other;
}

// As versions 2.1.197 and 2.1.325 of the client write it when a helper has ended.
std::vector<Json> task_notifications(const std::string& result) {
  const std::string text =
      "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>" + result +
      "\n</result>\n</task-notification>";
  Json older{{"type", "user"}, {"isSidechain", false}, {"uuid", "u-1"}};
  older["message"] = {{"role", "user"}, {"content", text}};
  older["origin"] = {{"kind", "task-notification"}};
  older["promptSource"] = "sdk";
  Json newer = older;
  newer["origin"]["producer"] = "session-task";
  newer["promptSource"] = "system";
  Json unknown = older;
  unknown["origin"] = {{"kind", "something-new"}};
  return {older, newer, unknown};
}

TEST_F(HookTranscript, ATaskNotificationIsNobodysWord) {
  const std::string error = line("assistant", block("PHASE_ERROR", "ERROR: no key\n"));
  for (const Json& record : task_notifications("all is well"))
    EXPECT_EQ(after(error + record.dump() + "\n" + line("assistant", "I see.")), "") << record;
  // Nor what it quotes.
  for (const Json& record : task_notifications(block("PLANNING_COMPLETE"))) {
    given(state("planning"));
    EXPECT_THAT(after(record.dump() + "\n" + line("assistant", "I see.")),
                HasSubstr("Auto Mode Continuation"));
  }
}

TEST_F(HookTranscript, AContinuationThatANotificationQuotesIsNoBorder) {
  const std::string prompt = reason(says("working"));
  for (const Json& record :
       {task_notifications("\n" + prompt)[0], task_notifications("\n" + prompt)[1]}) {
    given(state("planning"));
    EXPECT_THAT(after(line("assistant", block("PLANNING_COMPLETE")) + record.dump() + "\n" +
                      line("assistant", "I see.")),
                HasSubstr("of 9: execution"));
  }
}

TEST_F(HookTranscript, AHelpersWordsAreNotTheSessions) {
  Json helper = record("assistant", block("PLANNING_COMPLETE"));
  helper["isSidechain"] = true;
  EXPECT_THAT(after(helper.dump() + "\n" + line("assistant", "The helper is done.")),
              HasSubstr("Auto Mode Continuation"));
  Json told = record("user", "Stop hook feedback:\ngo on");
  told["isSidechain"] = true;
  EXPECT_THAT(after(line("assistant", block("PLANNING_COMPLETE")) + told.dump() + "\n"),
              HasSubstr("of 9: execution"));
}

// The newer client writes its requests into the transcript, with all that was said before in them.
TEST_F(HookTranscript, RecordsOfAnUnknownTypeAreNobodysWords) {
  const std::string border = line("user", "Stop hook feedback:\ngo on");
  for (const char* type : {"api-request-blob", "api-request", "attachment", "queue-operation"}) {
    Json said = record("assistant", block("PLANNING_COMPLETE"));
    said["type"] = type;
    Json told = record("user", "Stop hook feedback:\ngo on");
    told["type"] = type;
    given(state("planning"));
    EXPECT_THAT(after(border + said.dump() + "\n" + line("assistant", "working")),
                HasSubstr("Auto Mode Continuation"))
        << type;
    EXPECT_THAT(after(line("assistant", block("PLANNING_COMPLETE")) + told.dump() + "\n"),
                HasSubstr("of 9: execution"))
        << type;
  }
}

TEST_F(HookTranscript, WhatAPersonTypedIsTheirs) {
  const std::string error = line("assistant", block("PHASE_ERROR", "ERROR: no key\n"));
  Json typed = record("user", "I fixed it, go on");
  typed["origin"] = {{"kind", "human"}};
  typed["promptSource"] = "typed";
  EXPECT_THAT(after(error + typed.dump() + "\n" + line("assistant", "fine")),
              HasSubstr("Auto Mode Continuation"));
  Json summary = record("user", "This session is continued from another one: I fixed it, go on");
  summary["isCompactSummary"] = true;
  EXPECT_EQ(after(error + summary.dump() + "\n" + line("assistant", "fine")), "");
}

TEST_F(HookTranscript, WhatWasCompletedBeforeAPersonWroteCountsStill) {
  EXPECT_THAT(after(line("assistant", block("PLANNING_COMPLETE")) +
                    line("assistant", block("PHASE_ERROR", "ERROR: no key\n")) +
                    line("user", "I fixed it, go on") + line("assistant", "fine")),
              HasSubstr("of 9: execution"));
}

TEST_F(HookTranscript, AHalfWrittenLastLineIsPassedOver) {
  const std::string whole = line("user", "go") + line("assistant", block("PLANNING_COMPLETE"));
  const std::string half = record("assistant", block("EXECUTION_COMPLETE")).dump();
  for (std::size_t length : {std::size_t{1}, half.size() / 2, half.size() - 1}) {
    given(state("planning"));
    EXPECT_THAT(after(whole + half.substr(0, length)), HasSubstr("of 9: execution")) << length;
  }
  // What it lacks is in the event.
  given(state("planning"));
  write_file(path("t.jsonl"), whole + half.substr(0, half.size() - 5));
  EXPECT_THAT(reason(stop({{"transcript_path", path("t.jsonl")},
                           {"last_assistant_message", block("EXECUTION_COMPLETE")}})),
              HasSubstr("of 9: qa"));
}

TEST_F(HookTranscript, LineEndsOfDosDoNotMatter) {
  const std::string text = "---\r\nSIGNAL: PLANNING_COMPLETE\r\nSTATUS: complete\r\n---\r\n";
  EXPECT_THAT(
      after(record("user", "go").dump() + "\r\n" + record("assistant", text).dump() + "\r\n"),
      HasSubstr("of 9: execution"));
}

TEST_F(HookTranscript, TheEventsMessageComesAfterTheTranscript) {
  write_file(path("t.jsonl"), line("assistant", block("PLANNING_COMPLETE")));
  EXPECT_THAT(reason(stop({{"transcript_path", path("t.jsonl")},
                           {"last_assistant_message", block("EXECUTION_COMPLETE")}})),
              HasSubstr("of 9: qa"));
}

TEST_F(HookTranscript, WithoutATranscriptTheMessageIsEnough) {
  const Outcome outcome = stop({{"transcript_path", path("nowhere.jsonl")},
                                {"last_assistant_message", block("PLANNING_COMPLETE")}});
  EXPECT_THAT(reason(outcome), HasSubstr("of 9: execution"));
  EXPECT_THAT(outcome.err, HasSubstr("nowhere.jsonl"));
  EXPECT_EQ(message(outcome), "[4/9] execution") << "the person need not know";
}

TEST_F(HookTranscript, APipeInsteadOfATranscriptDoesNotHoldItUp) {
  ASSERT_EQ(::mkfifo(path("pipe.jsonl").c_str(), 0600), 0);
  const Outcome outcome = stop({{"transcript_path", path("pipe.jsonl")}});
  EXPECT_TRUE(allowed(outcome));
  EXPECT_THAT(message(outcome), HasSubstr("no regular file"));
}

TEST_F(HookTranscript, ASignalThatMuchStandsBehindCountsWhenALaterPhaseIsEndedToo) {
  const std::string much = line("user", std::string(3'000'000, 'x'));
  write_file(path("t.jsonl"), line("assistant", block("PLANNING_COMPLETE")) + much);
  EXPECT_THAT(reason(stop({{"transcript_path", path("t.jsonl")},
                           {"last_assistant_message", block("EXECUTION_COMPLETE")}})),
              HasSubstr("of 9: qa"));
}

// 200 MB, of which most is a hole in the file: what counts is at its end.
TEST_F(HookTranscript, AHugeTranscriptIsReadFromItsEnd) {
  constexpr off_t kSize = 200'000'000;
  const std::string file = path("t.jsonl");
  const std::string tail = "\n" + line("user", "Stop hook feedback:\ngo on") +
                           line("assistant", block("PLANNING_COMPLETE"));
  write_file(file, line("assistant", block("AUTO_COMPLETE")));
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::pwrite(fd, tail.data(), tail.size(), kSize - static_cast<off_t>(tail.size())),
            static_cast<ssize_t>(tail.size()));
  ::close(fd);
  EXPECT_EQ(std::filesystem::file_size(file), static_cast<std::uintmax_t>(kSize));
  EXPECT_THAT(reason(stop({{"transcript_path", file}})), HasSubstr("of 9: execution"));
}

// The same with every byte written, as a client leaves it.
TEST_F(HookTranscript, AHugeTranscriptOfRealRecordsIsReadFromItsEnd) {
  const bool full = std::getenv("CAPSULE_TEST_FULL") != nullptr;
  const std::size_t size = full ? 200'000'000 : 20'000'000;
  std::string part;
  while (part.size() < 1'000'000)
    part += line("user", std::string(2000, 'x')) +
            line("assistant", "words \\ \" of no meaning" + std::string(1000, 'y'));
  const std::string file = path("t.jsonl");
  write_file(file, line("assistant", block("AUTO_COMPLETE")));
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  for (std::size_t done = 0; done < size; done += part.size())
    ASSERT_EQ(::write(fd, part.data(), part.size()), static_cast<ssize_t>(part.size()));
  const std::string end = line("assistant", block("PLANNING_COMPLETE"));
  ASSERT_EQ(::write(fd, end.data(), end.size()), static_cast<ssize_t>(end.size()));
  ::close(fd);
  EXPECT_THAT(reason(stop({{"transcript_path", file}})), HasSubstr("of 9: execution"));
}

}  // namespace
}  // namespace capsule::test
