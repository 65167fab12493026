// opencode run --format json.
#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

event::TokenUse step_usage(json::View part) {
  const json::View tokens = part["tokens"];
  event::TokenUse use;
  use.tokens_known = tokens.is_object();
  use.input = token_count(tokens["input"]);
  use.output = token_count(tokens["output"]) + token_count(tokens["reasoning"]);
  use.cache_read = token_count(tokens["cache"]["read"]);
  use.cache_written = token_count(tokens["cache"]["write"]);
  // It says 0 for a model whose price it does not know.
  use.cost_micros = money(part["cost"]).value_or(0);
  use.cost_known = use.cost_micros > 0;
  return use;
}

void read_opencode_failure(json::View error, Ledger& ledger) {
  const json::View data = error["data"];
  std::string words = data["message"].text();
  if (words.empty()) words = error["message"].text();
  if (words.empty()) words = error["name"].text();
  ledger.failed(words, small_count(data["statusCode"]),
                error["name"].text() + " " + data["responseBody"].text());
}

}  // namespace

bool read_opencode(json::View line, Ledger& ledger) {
  const json::View type = line["type"];
  const json::View part = line["part"];
  if (!line["sessionID"].is_string()) return false;
  if (type.is("text")) {
    if (part["metadata"]["compaction_continue"].is_true()) ledger.compacted();
    // Its own prompt, after it has shortened the conversation.
    if (!part["synthetic"].is_true()) ledger.says_more(part["text"].text());
  } else if (type.is("reasoning")) {
    ledger.thinks(part["text"].text());
  } else if (type.is("tool_use")) {
    // Told when it is over.
    const json::View state = part["state"];
    const std::string id = part["callID"].text();
    ledger.tool_started(id, part["tool"].text(), state["input"]);
    ledger.tool_ended(id, state["status"].is("completed"), state["output"].text());
  } else if (type.is("step_finish")) {
    ledger.used(step_usage(part));
    ledger.recovered();  // an error need not be the end
    // Any other reason ends the turn.
    if (!part["reason"].is("tool-calls")) ledger.closed();
  } else if (type.is("error")) {
    read_opencode_failure(line["error"], ledger);
  } else if (!type.is("step_start")) {
    return false;
  }
  ledger.session(line["sessionID"].text());
  return true;
}

}  // namespace capsule::dialect
