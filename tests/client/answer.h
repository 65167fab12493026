// What every API of a model has in common: a conversation as far as it has come, one answer to it,
// what the answer costs, and what can go wrong instead. Pure values; each API translates them into
// its own bytes (api.h).
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::test {

struct Part {
  // clients_own: what the client says in the user's name, and nothing of the user's.
  enum class Kind { user_text, tool_result, assistant, clients_own } kind;
  std::string text;  // of the first two; an assistant's part stands for one whole answer
};

// A tool that the client offers, with the JSON schema of its arguments.
struct Tool {
  std::string name;
  nlohmann::json schema;
};

struct Conversation {
  std::vector<Part> parts;  // in order
  std::vector<Tool> tools;
  std::string session;          // the client's id of it, where it tells
  std::string model;            // that is asked for
  bool stream = true;           // events, or one object
  std::string credential = {};  // only the Messages API and Gemini's tell
};

// Counted apart from each other: what is read from the cache is no part of the input.
struct Tokens {
  long input = 7;
  long output = 3;
  long cache_read = 0;
  long cache_write = 0;  // only the Messages API tells

  bool operator==(const Tokens&) const = default;
  Tokens& operator+=(const Tokens& more) {
    input += more.input, output += more.output;
    cache_read += more.cache_read, cache_write += more.cache_write;
    return *this;
  }
};

// What a service does instead of answering.
enum class Fault {
  none,
  unauthorised,
  rate_limited,  // too much at once
  usage_limit,   // of a subscription or a day; the body says until when
  no_credit,
  overloaded,
  server_error,
  cut,       // the stream ends inside the answer
  refused,   // the model's policy
  too_long,  // more than the model takes
  silent,    // nothing, until the client leaves
};

struct Failure {
  Fault fault = Fault::none;
  std::optional<std::chrono::seconds> retry_after = {};  // as a header, where there is a status
  std::optional<long> resets_at = {};                  // of a usage limit, in seconds of the epoch
  std::optional<std::chrono::seconds> resets_in = {};  // the same, from when it is told
};

struct Answer {
  std::string text;  // either of these two may be empty
  std::string command = {};
  int number = 0;  // makes its ids unique
  Tokens tokens = {};
  Failure failure = {};
  std::string tool = {};  // not empty: this one is called, and `command` is its arguments in JSON
};

// The call of the offered tool that runs `command` in a shell: what the tools of this kind are
// called differs by client, and what else they want stands in their schemas.
struct ToolCall {
  std::string name;
  nlohmann::json arguments;
};
ToolCall shell_call(const std::vector<Tool>& tools, const std::string& command);
bool has_shell(const std::vector<Tool>& tools);
// Whether these are an agent's, and not those of a question that the client asks by itself: a
// shell, or, of an agent that may only look, a tool that reads files.
bool are_agents(const std::vector<Tool>& tools);
// The call that an answer makes.
ToolCall call_of(const std::vector<Tool>& tools, const Answer& answer);

// A text of the user without what the client itself put at its beginning: reminders, what the place
// looks like. Empty: all of it was the client's.
std::string_view users_own(std::string_view text);
void add_user_text(std::vector<Part>& parts, std::string_view text);  // or a clients_own

// Text in several pieces, as from a model; a piece never ends inside a character.
std::vector<std::string> pieces_of(std::string_view text);

// One event of a stream, with its name where the API wants one.
std::string event(const nlohmann::json& data, const std::string& name = {});

}  // namespace capsule::test
