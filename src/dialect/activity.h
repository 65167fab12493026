// What an agent does now, folded from the events of its client: for live views, and for whoever
// asks whether it does anything. Pure; values. All texts are printable, on one line and bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/event.h"

namespace capsule::dialect {

struct Activity {
  enum class What {
    starting,  // no event has come
    model,     // the model is to answer
    thinking,  // it does; detail: the beginning of its thoughts, may be empty
    text,      // it said something, and is to go on
    tool,      // tool and detail: of the newest that runs
    waiting,   // the service failed a request, and it is tried again; status, delay_ms, detail
    failed,    // detail: the client's words
    ended,     // the closing event came
  };
  What what{};
  std::int64_t since_ms = 0;  // all times are those that fold() was given
  std::string tool, detail;
  int status = 0;  // of HTTP; 0: none
  std::int64_t delay_ms = 0;
  std::string said;           // the beginning of its newest message
  event::TokenUse use = {};   // of this call, so far
  std::string model;          // that answered last
  std::int64_t events = 0;    // that came
  std::int64_t heard_ms = 0;  // when the newest of them came

  struct Tool {
    std::string name, detail;
    std::int64_t since_ms = 0;
    bool operator==(const Tool&) const = default;
  };
  std::vector<Tool> running;  // in the order of their starts
  bool operator==(const Activity&) const = default;
};

std::string_view name_of(Activity::What what);  // "tool", …

void fold(Activity& activity, const Event& event, std::int64_t now_ms);

// The newest line of a program whose output is read as text, for people. An event, as clients print
// them, is named by its kind; nobody reads JSON on a board.
std::string line_words(std::string_view line);

// Whether the next word is the service's: silence is then none of the agent's.
bool waits_for_service(const Activity& activity);

}  // namespace capsule::dialect
