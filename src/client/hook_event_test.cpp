#include "client/hook_event.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/files.h"

namespace capsule::client {
namespace {

class HookEventTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    read_ = File(ends[0]);
    write_ = File(ends[1]);
  }
  void send(std::string_view text) const { ASSERT_TRUE(write_all(write_.fd(), text, "pipe")); }
  void close() { write_ = File(); }

  File read_, write_;
};

TEST_F(HookEventTest, IsReadWhileItsPipeIsStillOpen) {
  send(
      "\xEF\xBB\xBF \n{\"session_id\":\"s\",\"cwd\":\"/a}b\\\"]\\\\\",\"x\":[{\"y\":{}}]} "
      "{\"more\":");
  const auto event = read_event(read_.fd());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->session, "s");
  EXPECT_EQ(event->cwd, "/a}b\"]\\");
}

TEST_F(HookEventTest, MayComeInPieces) {
  const std::string text =
      R"({"session_id":"s","last_assistant_message":")" + std::string(300'000, '}') + R"(\\"})";
  std::thread sender([&] {
    for (std::size_t at = 0; at < text.size(); at += 7'001) send(text.substr(at, 7'001));
  });
  const auto event = read_event(read_.fd());
  sender.join();
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->last_message.size(), 300'001U);
}

TEST_F(HookEventTest, ThatIsNoneIsRefusedAtOnce) {
  for (const char* text : {"no json", "[1]", "\"{}\"", "}"}) {
    send(text);
    const auto event = read_event(read_.fd());
    ASSERT_FALSE(event) << text;
    EXPECT_EQ(event.error().reason, Reason::damaged) << text;
  }
}

TEST_F(HookEventTest, ThatEndsTooEarlyIsDamaged) {
  send("{\"session_id\":\"s\"");
  close();
  EXPECT_EQ(read_event(read_.fd()).error().reason, Reason::damaged);
  EXPECT_EQ(read_event(read_.fd()).error().reason, Reason::damaged) << "nothing at all";
}

TEST_F(HookEventTest, TellsHowManyTasksAreAtWork) {
  send(R"({"background_tasks":[{"status":"running"},{"status":"pending"},{"status":"completed"},)"
       R"({"status":7},{},"running",null]})");
  EXPECT_EQ(read_event(read_.fd())->background, 2U);
  send(R"({"background_tasks":{"status":"running"}})");
  EXPECT_EQ(read_event(read_.fd())->background, 0U);
}

}  // namespace
}  // namespace capsule::client
