// Helpers that the real client runs in the background: the session stops, and is woken when they
// end.
#include <mutex>
#include <nlohmann/json.hpp>

#include "tests/client/client.h"

namespace capsule::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kSession = "0b1e7c54-6a4f-4f52-9c1a-5d6f0e2a7b31";

// One answer as the Messages API streams it.
Response streamed(const json& request, const json& block, int number) {
  std::string out;
  const auto event = [&](const char* type, json value) {
    value["type"] = type;
    out += std::string("event: ") + type + "\ndata: " + value.dump() + "\n\n";
  };
  const bool is_text = block.at("type") == "text";
  json begun = block;
  begun[is_text ? "text" : "input"] = is_text ? json("") : json::object();
  const json delta =
      is_text ? json{{"type", "text_delta"}, {"text", block["text"]}}
              : json{{"type", "input_json_delta"}, {"partial_json", block["input"].dump()}};
  const json usage{{"input_tokens", 7}, {"output_tokens", 3}};
  event("message_start", {{"message",
                           {{"id", "msg_" + std::to_string(number)},
                            {"type", "message"},
                            {"role", "assistant"},
                            {"model", request.value("model", "")},
                            {"content", json::array()},
                            {"stop_reason", nullptr},
                            {"stop_sequence", nullptr},
                            {"usage", usage}}}});
  event("content_block_start", {{"index", 0}, {"content_block", begun}});
  event("content_block_delta", {{"index", 0}, {"delta", delta}});
  event("content_block_stop", {{"index", 0}});
  event(
      "message_delta",
      {{"delta", {{"stop_reason", is_text ? "end_turn" : "tool_use"}, {"stop_sequence", nullptr}}},
       {"usage", usage}});
  event("message_stop", json::object());
  Response response;
  response.type = "text/event-stream";
  response.body = out;
  return response;
}

json text(const std::string& words) { return {{"type", "text"}, {"text", words}}; }

// A session that starts a helper and waits for it. The helper waits until the session has stopped
// for the first time, which the Stop hook's own state file shows.
class ClientBackground : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    install_hook();
    write_file(project() + "/.git/info/exclude", ".capsule/\n.caw/\n");
    env()["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:" + std::to_string(server_.port());
  }
  json state() const { return json::parse(read_file(project() + "/.caw/auto-state.json")); }

  // What the session says after its helper was started, turn by turn.
  std::vector<std::string> words_;
  std::string helper_words_ = "The helper is done.";
  std::vector<std::string> heard_;  // the newest words to the session in each of its turns
  std::mutex mutex_;                // guards heard_

 private:
  Response answer(const Request& request) {
    const json asked = json::parse(request.body, nullptr, false);
    Response nothing;
    nothing.type = "application/json";
    nothing.body = R"({"input_tokens":7})";
    if (request.method != "POST" || request.path != "/v1/messages" || !asked.is_object())
      return nothing;
    const std::lock_guard lock(mutex_);
    ++number_;
    if (asked.value("tools", json::array()).empty()) return streamed(asked, text("ok"), number_);
    const json messages = asked.at("messages");
    std::size_t turns = 0;
    for (const json& message : messages)
      turns += message.value("role", "") == "assistant" ? 1U : 0U;
    if (messages.dump().find("HELPER'S TASK") != std::string::npos &&
        messages.at(0).dump().find("Begin") == std::string::npos)
      return streamed(asked, turns == 0 ? tool("Bash", {{"command", kWait}}) : text(helper_words_),
                      number_);
    heard_.push_back(messages.back().dump());
    if (turns == 0) {
      json input{{"description", "look"},
                 {"prompt", "HELPER'S TASK"},
                 {"subagent_type", "general-purpose"}};
      // The newer client does so by itself.
      if (version() == "2.1.197") input["run_in_background"] = true;
      return streamed(asked, tool("Agent", input), number_);
    }
    return streamed(asked, text(turns <= words_.size() ? words_[turns - 1] : "Too many turns."),
                    number_);
  }
  json tool(const char* name, const json& input) const {
    return {{"type", "tool_use"},
            {"id", "toolu_" + std::to_string(number_)},
            {"name", name},
            {"input", input}};
  }

  static constexpr const char* kWait =
      "for i in $(seq 600); do grep -q last_stop .caw/auto-state.json && break; sleep 0.05; done";
  int number_ = 0;
  HttpServer server_{[this](const Request& request) { return answer(request); }};
};

TEST_F(ClientBackground, AStopWhileAHelperWorksIsAllowedAndTheSessionIsWokenLater) {
  helper_words_ = completion("EXPANSION_COMPLETE") + "\n## Auto Mode Continuation\n";
  words_ = {"I wait for the helper.", "The helper is done, I think.",
            completion("EXPANSION_COMPLETE"), completion("AUTO_COMPLETE")};
  ASSERT_EQ(command("auto", {"start", "Look", "--session=" + kSession}).exit_code, 0);
  const Outcome outcome = client({"-p", "Begin", "--dangerously-skip-permissions", "--session-id",
                                  kSession, "--output-format", "stream-json", "--verbose"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(heard_.size(), 5U) << outcome.out;
  EXPECT_THAT(heard_[1], HasSubstr("tool_result"));
  EXPECT_THAT(heard_[2], HasSubstr("task-notification")) << "not a continuation: it was allowed";
  EXPECT_THAT(heard_[3], HasSubstr("- Iteration: 1/20")) << "the helper's signal did not count";
  EXPECT_THAT(heard_[4], HasSubstr("phase 2 of 9: init"));
  EXPECT_EQ(state()["exit_reason"], "auto_complete_signal");
  EXPECT_EQ(state()["signals"]["detected_signals"].size(), 2U);
}

TEST_F(ClientBackground, AHelpersEndDoesNotSettleAnError) {
  words_ = {
      "---\nSIGNAL: PHASE_ERROR\nSTATUS: error\nERROR: no words\nTIMESTAMP: "
      "2026-01-31T23:59:59Z\n---",
      "The helper is done, but I have no words still."};
  ASSERT_EQ(command("auto", {"start", "Look", "--session=" + kSession}).exit_code, 0);
  ASSERT_EQ(
      client({"-p", "Begin", "--dangerously-skip-permissions", "--session-id", kSession}).exit_code,
      0);
  ASSERT_EQ(heard_.size(), 3U);
  EXPECT_THAT(heard_[2], HasSubstr("task-notification"));
  EXPECT_EQ(state()["active"], true);
  EXPECT_EQ(state()["iteration"], 0) << "a person is asked, nobody is told to go on";
  EXPECT_EQ(state()["last_error"], "no words");
}

}  // namespace
}  // namespace capsule::test
