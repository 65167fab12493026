// kimi --output-format stream-json.
#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

void read_kimi_agent(json::View line, Ledger& ledger) {
  std::string text = line["content"].text();
  for (const json::View block : line["content"]) {
    if (block["type"].is("text")) text += block["text"].text();
    if (block["type"].is("think")) ledger.thinks(block["think"].text());
  }
  ledger.says(std::move(text));
  ledger.one_turn();
  bool calls = false;
  for (const json::View call : line["tool_calls"]) {
    calls = true;
    // Arguments are JSON in a string.
    const std::string arguments = call["function"]["arguments"].text();
    ledger.tool_started(call["id"].text(), call["function"]["name"].text(),
                        json::View::of_object(arguments).value_or(json::View()));
  }
  if (!calls) ledger.closed();
}

}  // namespace

bool read_kimi(json::View line, Ledger& ledger) {
  const json::View role = line["role"];
  const json::View type = line["type"];
  if (role.is("assistant")) {
    read_kimi_agent(line, ledger);
  } else if (role.is("tool") && line["tool_call_id"].is_string()) {
    ledger.tool_ended(line["tool_call_id"].text(), !line["is_error"].is_true(),
                      line["content"].text());
  } else if (type.is("turn.step.retrying")) {
    ledger.waits(small_count(line["status_code"]), line["delay_ms"].integer(),
                 line["error_message"].text());
  } else if (role.is("meta") && type.is_string()) {
    if (type.is("system.version")) ledger.version(line["version"].text());
    if (type.is("session.resume_hint")) {
      ledger.session(line["session_id"].text());
      ledger.closed();
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace capsule::dialect
