// What the events of a client's stream say, in one vocabulary for all clients: as they come, for
// live views, and together, once the client has ended. Values. All texts come from agents and their
// clients; those of events and failures are printable, on one line and bounded, but for `whole`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/common.h"

namespace capsule::dialect {

inline constexpr std::size_t kDetailBytes = 200;
inline constexpr std::size_t kWordsBytes = 400;
inline constexpr std::size_t kMaxFinalBytes = std::size_t{16} << 20;

struct Event {
  enum class Kind {
    session,       // text: its id
    model,         // text: the model that answers
    version,       // text: of the client
    text,          // text: what the agent says, the beginning of it
    thinking,      // text: the beginning of it; may be empty
    tool_started,  // tool, text: "go test ./…"
    tool_ended,    // tool, text as when it started; ok: it went well; result: the beginning of it
    waiting,       // the service failed a request, and it is tried again; status, delay_ms, text
    compacted,     // the conversation was shortened
    tokens,        // use: so far
    failed,        // text: the client's words
    ended,         // the closing event
    heard,         // a message that came while it works has reached the conversation; text: its id
  };
  Kind kind{};
  std::string tool = {}, text = {}, result = {};
  bool ok = true;
  int status = 0;  // of HTTP; 0: none
  std::int64_t delay_ms = 0;
  event::TokenUse use = {};
  // As it came, for transcripts: hostile, of any length. text: all of it; tool_ended: the result;
  // ended: the agent's last words.
  std::string whole = {};
  bool more = false;        // text: a further piece of the message that came before
  bool of_session = false;  // the tokens of `use` are those of the whole session so far
};
using Tell = std::function<void(const Event&)>;

// Why a client says that it failed.
struct Failure {
  event::Fault fault = event::Fault::exit_status;  // this, when it is none that we know
  std::string words;                               // the client's own
  int status = 0;                                  // of HTTP; 0: not told
  std::int64_t reset_at = 0;                       // in seconds since 1970; 0: not told
};

// All that a client's stream said.
struct Reading {
  bool streamed = false;  // there were events; otherwise nothing of what follows means anything
  bool closed = false;    // the closing event was seen
  std::string text;       // the agent's last words, whole: where its signal is looked for
  std::vector<std::string> models;  // that answered, in order
  bool helpers_too = false;         // `models` has those that the client asks on the side, too
  std::string session;              // by which the client knows the conversation
  std::string version;              // of the client
  event::TokenUse use;              // input is what was not read from a cache
  bool use_of_session = false;      // the tokens of `use` are those of the whole session so far
  std::optional<Failure> failure;
  std::optional<Failure> setback;  // one that it got over, as far as its events say
};

}  // namespace capsule::dialect
