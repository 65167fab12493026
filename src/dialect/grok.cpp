// grok --output-format streaming-json.
#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

event::TokenUse grok_usage(json::View usage) {
  event::TokenUse use;
  use.tokens_known = usage.is_object();
  use.input = token_count(usage["input_tokens"]);
  use.output = token_count(usage["output_tokens"]);
  use.cache_read = token_count(usage["cache_read_input_tokens"]);
  use.cache_written = token_count(usage["cache_creation_input_tokens"]);
  return use;
}

void read_call(json::View line, Ledger& ledger) {
  const json::View status = line["status"];
  const std::string id = line["toolCallId"].text();
  if (line["type"].is("tool_call")) {
    const json::View name = line["toolName"];
    ledger.tool_started(id, name.is_string() ? name.text() : line["title"].text(),
                        line["rawInput"]);
  } else if (status.is("completed") || status.is("failed")) {
    std::string words;
    for (const json::View part : line["content"]) words += part["content"]["text"].text();
    ledger.tool_ended(id, status.is("completed"), words);
  }
}

void read_end(json::View line, Ledger& ledger) {
  ledger.session(line["sessionId"].text());
  event::TokenUse use = grok_usage(line["usage"]);
  use.turns = small_count(line["num_turns"]);
  const json::View models = line["modelUsage"];
  for (auto model = models.begin(); model != models.end(); ++model)
    ledger.model(std::string(model.raw_key()));
  ledger.reading().helpers_too = true;
  ledger.used_in_all(use);
  if (line["stopReason"].is("refusal")) ledger.failed("the model refused", 0, "refusal");
  ledger.closed();
}

}  // namespace

bool read_grok(json::View line, Ledger& ledger) {
  const json::View type = line["type"];
  if (type.is("text") && line["data"].is_string()) {
    ledger.says_more(line["data"].text());
  } else if (type.is("thought") && line["data"].is_string()) {
    ledger.thinks(line["data"].text());
  } else if (type.is("tool_call") || type.is("tool_call_update")) {
    read_call(line, ledger);
  } else if (type.is("usage") && line["usage"].is_object()) {
    ledger.used(grok_usage(line["usage"]));
  } else if (type.is("end") && line["stopReason"].is_string()) {
    read_end(line, ledger);
  } else if (type.is("error") && line["message"].is_string()) {
    ledger.failed(line["message"].text());
  } else {
    return type.is("available_commands");
  }
  return true;
}

}  // namespace capsule::dialect
