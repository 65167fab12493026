// The Messages API as bytes: what a request's conversation holds, and an answer as the server sends
// it. Pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace capsule::test {

struct Part {
  enum class Kind { user_text, tool_result, assistant } kind;
  std::string text;  // an assistant's part stands for one whole answer and has none
};

// The parts of a conversation in order. What the client itself adds to the user's texts, between
// <system-reminder> tags, is left out.
std::vector<Part> parts_of(const nlohmann::json& request);

struct Answer {
  std::string text;  // either of these two may be empty
  std::string command = {};
  int number = 0;  // makes its ids unique
};

std::string answer_stream(const nlohmann::json& request, const Answer& answer);  // events
std::string answer_whole(const nlohmann::json& request, const Answer& answer);   // one object

}  // namespace capsule::test
