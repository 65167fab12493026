// A folder with auto mode in it, and the Stop hook as a client calls it.
#pragma once

#include <gmock/gmock.h>

#include <ctime>
#include <filesystem>

#include "tests/program/harness.h"

namespace capsule::test {

inline std::string iso(std::int64_t seconds_ago) {
  const std::time_t time = std::time(nullptr) - seconds_ago;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

inline std::string block(const std::string& signal, const std::string& more = "") {
  return "---\nSIGNAL: " + signal + "\n" + more + "TIMESTAMP: 2026-01-31T23:59:59Z\n---\n";
}

class HookProject : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    std::filesystem::create_directories(path("p/.git"));
    std::filesystem::create_directories(path("home"));
  }
  std::string project() const { return path("p"); }
  std::string state_path() const { return path("p/.caw/auto-state.json"); }

  static Json state(const std::string& phase) {
    return {
        {"schema_version", "2.0"}, {"active", true},        {"phase", phase},
        {"iteration", 0},          {"max_iterations", 3},   {"task_description", "Add a parser"},
        {"started_at", iso(60)},   {"session_id", nullptr}, {"config", Json::object()}};
  }
  void given(const Json& state) const { write_file(state_path(), state.dump()); }
  Json now() const { return Json::parse(read_file(state_path())); }

  static Json record(const std::string& role, const std::string& text) {
    return {{"type", role},
            {"message",
             {{"role", role}, {"content", Json::array({{{"type", "text"}, {"text", text}}})}}}};
  }
  static std::string line(const std::string& role, const std::string& text) {
    return record(role, text).dump() + "\n";
  }

  Json event(const Json& more = Json::object()) const {
    Json event{{"session_id", "s-1"}, {"cwd", project()}, {"hook_event_name", "Stop"}};
    event.update(more);
    return event;
  }
  Call hook(const std::string& input) const {
    return prepared({.args = {"hook", "stop"},
                     .input = input,
                     .env = {{"HOME", path("home")},
                             {"CLAUDE_PROJECT_DIR", std::nullopt},
                             {"CAPSULE_RUN", std::nullopt}},
                     .cwd = dir()});
  }
  Outcome stop(const Json& more) const { return run(hook(event(more).dump())); }
  Outcome says(const std::string& text) const { return stop({{"last_assistant_message", text}}); }
  // What the client is told; an empty object when nothing is printed.
  static Json answer(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out.empty() ? Json::object() : Json::parse(outcome.out);
  }
  // The reason of a block; empty when the stop is allowed.
  static std::string reason(const Outcome& outcome) {
    const Json told = answer(outcome);
    if (!told.contains("decision")) return "";
    EXPECT_EQ(told["decision"], "block");
    return told["reason"];
  }
  static bool allowed(const Outcome& outcome) { return reason(outcome).empty(); }
  // What the client shows to the person.
  static std::string message(const Outcome& outcome) {
    return answer(outcome).value("systemMessage", "");
  }
};

}  // namespace capsule::test
