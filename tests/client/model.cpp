#include "tests/client/model.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "tests/client/api.h"

namespace capsule::test {
namespace {

using nlohmann::json;

constexpr std::array<const Api*, 4> kApis{&kMessages, &kResponses, &kChat, &kGenerate};

const char* const kRefusal = "I cannot help with that.";

// Requests around the conversation: who is there, which models, how many tokens. None: no such.
std::optional<Response> reply_aside(const Request& request) {
  if (request.method == "HEAD" || (request.method == "GET" && request.path == "/"))
    return Response{};
  const auto object = [](const char* body) {
    return Response{.status = 200, .type = "application/json", .body = body};
  };
  if (request.method == "GET" && request.path.ends_with("/models"))
    return object(R"({"object":"list","data":[],"models":[]})");
  if (request.path == "/v1/messages/count_tokens") return object(R"({"input_tokens":7})");
  if (request.path.ends_with(":countTokens")) return object(R"({"totalTokens":7})");
  return std::nullopt;
}

// Without tools of an agent a request is the client's own: a title, a summary, a test of the key.
// So is what it asks in the user's name after the model's last word.
bool is_aside(const Conversation& asked) {
  if (!are_agents(asked.tools)) return true;
  const auto last = std::find_if(asked.parts.rbegin(), asked.parts.rend(), [](const Part& part) {
    return part.kind != Part::Kind::clients_own;
  });
  return last != asked.parts.rbegin() && last != asked.parts.rend() &&
         last->kind == Part::Kind::assistant;
}

Response respond(Script& script, const Request& request) {
  if (auto aside = reply_aside(request)) return *aside;
  const json body = json::parse(request.body, nullptr, false);
  for (const Api* api : kApis) {
    if (request.method != "POST" || !body.is_object() || !api->serves(request)) continue;
    Conversation asked = api->conversation(request, body);
    const Answer answer = script.answer(asked);
    asked.model = script.answers_as(asked.model);
    const Fault fault = answer.failure.fault;
    const bool answers = fault == Fault::none || fault == Fault::refused || fault == Fault::cut ||
                         fault == Fault::silent;
    Response response = !answers ? api->failure(asked, answer.failure)
                        : asked.stream
                            ? Response{200, "text/event-stream", api->events(asked, answer)}
                            : Response{200, "application/json", api->object(asked, answer)};
    if (answer.failure.retry_after && !answers)
      response.headers["retry-after"] = std::to_string(answer.failure.retry_after->count());
    if (fault == Fault::cut) response.fate = Response::Fate::cut;
    if (fault == Fault::silent) response.fate = Response::Fate::silent;
    return response;
  }
  script.surprise(request.method + " " + request.path);
  return {404, "application/json", R"({"error":{"message":"no such thing here"}})"};
}

}  // namespace

Say say(std::string text) { return {.text = std::move(text)}; }
Say bash(std::string command) { return {.command = std::move(command)}; }
Say calls(std::string tool, const json& arguments) {
  return {.command = arguments.dump(), .tool = std::move(tool)};
}
Say repeat_tool() { return {.repeat = true}; }
Say fails(Failure failure, int times) { return {.failure = failure, .times = times}; }
Say fails(Fault fault, int times) { return fails(Failure{.fault = fault}, times); }

Say Say::costing(Tokens wanted) const {
  Say copy = *this;
  copy.tokens = wanted;
  return copy;
}

// Where a conversation stands: the newest text of the user that holds a key, and what follows it.
struct Script::Place {
  Rule* rule = nullptr;
  std::size_t step = 0;
  std::string prompt = {}, tool = {};
  std::size_t user_texts = 0;
};

Script::Place Script::place_of(const Conversation& asked) {
  Place place;
  std::vector<Part> parts = asked.parts;
  // What a client has of an answer that was cut stands last when it asks for the rest.
  while (!parts.empty() && parts.back().kind == Part::Kind::assistant) parts.pop_back();
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::assistant) ++place.step;
    if (part.kind == Part::Kind::tool_result) place.tool = part.text;
    if (part.kind != Part::Kind::user_text) continue;
    ++place.user_texts;
    for (Rule& rule : rules_) {
      if (part.text.find(rule.key) == std::string::npos) continue;
      place = {&rule, 0, part.text, "", place.user_texts};
      break;
    }
    if (place.rule == nullptr) place.prompt = part.text;
  }
  return place;
}

void Script::when(std::string key, std::vector<Say> answers) {
  const std::lock_guard lock(mutex_);
  Rule rule{std::move(key), {}};
  std::vector<Say> before;
  for (Say& answer : answers) {
    if (answer.times != 0) {
      before.push_back(std::move(answer));
    } else {
      rule.steps.push_back({std::move(answer), std::move(before)});
      before.clear();
    }
  }
  rules_.push_back(std::move(rule));
}

void Script::mend() {
  const std::lock_guard lock(mutex_);
  mended_ = true;
}

Answer Script::answer(const Conversation& asked) {
  const std::lock_guard lock(mutex_);
  const int number = ++answers_;
  if (is_aside(asked)) return {.text = "ok", .number = number};
  const Place place = place_of(asked);
  Turn turn{.key = place.rule == nullptr ? "" : place.rule->key,
            .step = place.step,
            .prompt = place.prompt,
            .tool = place.tool,
            .session = asked.session,
            .model = asked.model,
            .credential = asked.credential,
            .user_texts = place.user_texts};
  Say next;
  if (place.rule == nullptr) {
    surprises_.push_back("no rule for: " + place.prompt.substr(0, 200));
    next.text = "There is nothing in the script for this.";
  } else if (place.step >= place.rule->steps.size()) {
    surprises_.push_back("after the last answer to: " + place.rule->key);
    next.text = "The script has ended.";
  } else {
    Step& step = place.rule->steps[place.step];
    next = step.answer;
    for (Say& failure : step.before) {
      if (failure.times == 0 || (failure.times == kUntilMended && mended_)) continue;
      if (failure.times > 0) --failure.times;
      next = failure;
      break;
    }
  }
  if (next.repeat) next.text = place.tool;
  if (next.failure.resets_in)
    next.failure.resets_at =
        static_cast<long>(std::time(nullptr)) + static_cast<long>(next.failure.resets_in->count());
  turn.fault = next.failure.fault;
  const bool is_paid = turn.fault == Fault::none || turn.fault == Fault::refused;
  turn.tokens = is_paid ? next.tokens : Tokens{0, 0, 0, 0};
  turns_.push_back(turn);
  if (turn.fault == Fault::refused) next.text = kRefusal;
  if (turn.fault == Fault::cut)
    next.text = "This is the beginning of an answer whose end nobody will see.";
  return {next.text, next.command, number, next.tokens, next.failure, next.tool};
}

void Script::answer_as(std::string model) {
  const std::lock_guard lock(mutex_);
  answers_as_ = std::move(model);
}

std::string Script::answers_as(const std::string& asked) const {
  const std::lock_guard lock(mutex_);
  return answers_as_.empty() ? asked : answers_as_;
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
    if (turn.step == 0 && turn.fault == Fault::none) keys.push_back(turn.key);
  return keys;
}

Tokens Script::used() const {
  Tokens sum{0, 0, 0, 0};
  for (const Turn& turn : turns()) sum += turn.tokens;
  return sum;
}

std::vector<std::string> Script::surprises() const {
  const std::lock_guard lock(mutex_);
  return surprises_;
}

Model::Model(Script& script)
    : server_([&script](const Request& request) { return respond(script, request); }) {}

std::string Model::url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

}  // namespace capsule::test
