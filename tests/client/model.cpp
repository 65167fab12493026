#include "tests/client/model.h"

#include <nlohmann/json.hpp>

namespace capsule::test {
namespace {

using nlohmann::json;

Response error(int status, const std::string& message) {
  const json body{{"type", "error"},
                  {"error", {{"type", "invalid_request_error"}, {"message", message}}}};
  return {status, "application/json", body.dump()};
}

Response respond(Script& script, const Request& request) {
  if (request.method == "HEAD") return {};  // is anybody there?
  const json asked = json::parse(request.body, nullptr, false);
  if (request.method != "POST" || !asked.is_object() ||
      (request.path != "/v1/messages" && request.path != "/v1/messages/count_tokens")) {
    script.surprise(request.method + " " + request.path);
    return error(404, "no such thing here");
  }
  if (request.path != "/v1/messages") return {200, "application/json", R"({"input_tokens":7})"};
  const auto session = request.headers.find("x-claude-code-session-id");
  const Answer answer =
      script.answer(asked, session == request.headers.end() ? "" : session->second);
  if (!asked.value("stream", false)) return {200, "application/json", answer_whole(asked, answer)};
  return {200, "text/event-stream", answer_stream(asked, answer)};
}

}  // namespace

Say say(std::string text) { return {.text = std::move(text)}; }
Say bash(std::string command) { return {.command = std::move(command)}; }
Say repeat_tool() { return {.repeat = true}; }

// Where a conversation stands: the newest text of the user that holds a key, and what follows it.
struct Script::Place {
  const Rule* rule = nullptr;
  std::size_t step = 0;
  std::string prompt = {}, tool = {};
  std::size_t user_texts = 0;
};

Script::Place Script::place_of(const json& request) const {
  Place place;
  for (const Part& part : parts_of(request)) {
    if (part.kind == Part::Kind::assistant) ++place.step;
    if (part.kind == Part::Kind::tool_result) place.tool = part.text;
    if (part.kind != Part::Kind::user_text) continue;
    ++place.user_texts;
    for (const Rule& rule : rules_) {
      if (part.text.find(rule.key) == std::string::npos) continue;
      place = {&rule, 0, part.text, "", place.user_texts};
      break;
    }
    if (place.rule == nullptr) place.prompt = part.text;
  }
  return place;
}

void Script::when(std::string key, std::vector<Say> answers) {
  rules_.push_back({std::move(key), std::move(answers)});
}

Answer Script::answer(const json& request, const std::string& session) {
  const std::lock_guard lock(mutex_);
  const int number = ++answers_;
  // Without tools a request is the client's own: a title, a summary, a test of the key.
  if (request.value("tools", json::array()).empty()) return {"ok", "", number};
  const Place place = place_of(request);
  turns_.push_back({place.rule == nullptr ? "" : place.rule->key, place.step, place.prompt,
                    place.tool, session, request.value("model", ""), place.user_texts});
  if (place.rule == nullptr) {
    surprises_.push_back("no rule for: " + place.prompt.substr(0, 200));
    return {"There is nothing in the script for this.", "", number};
  }
  if (place.step >= place.rule->answers.size()) {
    surprises_.push_back("after the last answer to: " + place.rule->key);
    return {"The script has ended.", "", number};
  }
  const Say& say = place.rule->answers[place.step];
  return {say.repeat ? place.tool : say.text, say.command, number};
}

void Script::surprise(std::string what) {
  const std::lock_guard lock(mutex_);
  surprises_.push_back(std::move(what));
}

std::vector<Turn> Script::turns() const {
  const std::lock_guard lock(mutex_);
  return turns_;
}

std::vector<std::string> Script::keys() const {
  std::vector<std::string> keys;
  for (const Turn& turn : turns())
    if (turn.step == 0) keys.push_back(turn.key);
  return keys;
}

std::vector<std::string> Script::surprises() const {
  const std::lock_guard lock(mutex_);
  return surprises_;
}

Model::Model(Script& script)
    : server_([&script](const Request& request) { return respond(script, request); }) {}

std::string Model::url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

}  // namespace capsule::test
