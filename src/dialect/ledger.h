// Where the dialects write what the events say: keeps the Reading, tells live views, and holds the
// rules that all dialects share. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/event.h"
#include "dialect/fault.h"
#include "json/view.h"

namespace capsule::dialect {

class Ledger {
 public:
  Ledger(Moment moment, Tell tell) : moment_(moment), tell_(std::move(tell)) {}

  // The conversation was begun by an earlier run of the client, so a cache had it.
  void goes_on() { goes_on_ = true; }
  void session(std::string id);
  void version(std::string version);
  // The model that answered a request; empty: not told.
  void model(std::string name);

  // The agent's words: a whole message, which takes the place of what it said before; or a piece,
  // which is added to what came since the last message or tool.
  void says(std::string text);
  void says_more(std::string_view piece);
  // The same of a message that is known by its id; an empty one is another each time.
  void says_part(const std::string& id, std::string_view piece);
  // What comes next is a new message.
  void new_message() { fresh_ = true; }
  // The words that came last may be the client's own, about a failure.
  void suspect(bool suspicious) { suspected_ = suspicious; }
  bool suspected() const { return suspected_; }
  // The client names the last words itself.
  void final_text(std::string text) { reading_.text = std::move(text); }
  void thinks(std::string_view text);

  // `input`: the tool's arguments.
  void tool_started(const std::string& id, std::string_view name, json::View input);
  void tool_ended(const std::string& id, bool ok, std::string_view result);

  void waits(int status, std::int64_t delay_ms, std::string_view words);
  void compacted();
  void delivered(std::string_view message);
  // One more request to the model, and what it used; the sum is told.
  void used(const event::TokenUse& use);
  // The same where nothing is told of what it used.
  void one_turn() { ++reading_.use.turns; }
  // The same of an answer that comes in several events: it counts once, as it was told last.
  void answer(const std::string& id, const event::TokenUse& use);
  // What was used so far, in place of what was added up.
  void used_in_all(const event::TokenUse& use, bool of_session = false);
  // What was used since the last such call, in place of what was added up since.
  void used_since(const event::TokenUse& use);

  void failed(std::string_view words, int status = 0, std::string_view code = {});
  // The service's, not the client's: a reset time that was told before the failure.
  void limit_resets(std::int64_t at) { reset_at_ = at; }
  // It went on, and well.
  void recovered();
  void closed();

  Reading& reading() { return reading_; }

 private:
  void tell(Event event);

  struct Tool {
    std::string name, detail;
  };
  const Moment moment_;
  const Tell tell_;
  Reading reading_;
  bool fresh_ = true;
  bool suspected_ = false;
  std::optional<event::TokenUse> settled_;
  std::string message_;  // the id of the newest one
  bool goes_on_ = false;
  std::int64_t cached_ = 0;         // tokens that a cache has since the newest request
  std::int64_t cached_before_ = 0;  // until the newest answer
  std::string answer_;              // the id of the newest one
  event::TokenUse before_answer_;   // what was used until then
  std::int64_t reset_at_ = 0;
  std::map<std::string, Tool> tools_;  // that run now
};

// What one line of each stream says. False: it is no event of that stream.
bool read_claude(json::View line, Ledger& ledger);
bool read_codex(json::View line, Ledger& ledger);
bool read_gemini(json::View line, Ledger& ledger);
bool read_opencode(json::View line, Ledger& ledger);
bool read_goose(json::View line, Ledger& ledger);
bool read_qwen(json::View line, Ledger& ledger);
bool read_copilot(json::View line, Ledger& ledger);
bool read_kimi(json::View line, Ledger& ledger);
bool read_grok(json::View line, Ledger& ledger);

// Numbers as clients, or whoever writes in their place, tell them: within what can be believed, so
// that no sum of them overflows.
std::int64_t token_count(json::View number);
int small_count(json::View number);  // turns, a status of HTTP
// In millionths; nullopt: it is no amount of money.
std::optional<std::int64_t> money(json::View amount);

// What a person wants to know of a call: "go test ./…", "src/email.go +12 −3". Printable.
std::string tool_detail(std::string_view name, json::View input);

}  // namespace capsule::dialect
