// copilot --output-format json.
#include "dialect/ledger.h"

namespace capsule::dialect {

bool read_copilot(json::View line, Ledger& ledger) {
  const json::View type = line["type"];
  const json::View data = line["data"];
  if (type.is("result") && line["sessionId"].is_string()) {
    ledger.session(line["sessionId"].text());
    ledger.closed();
    return true;
  }
  if (!data.is_object() || !type.is_string()) return false;
  if (type.is("assistant.message")) {
    ledger.model(data["model"].text());
    ledger.says(data["content"].text());
    ledger.one_turn();
  } else if (type.is("assistant.reasoning")) {
    ledger.thinks(data["content"].text());
  } else if (type.is("tool.execution_start")) {
    ledger.tool_started(data["toolCallId"].text(), data["toolName"].text(), data["arguments"]);
  } else if (type.is("tool.execution_complete")) {
    std::string words = data["result"]["content"].text();
    if (words.empty()) words = data["error"]["message"].text();
    ledger.tool_ended(data["toolCallId"].text(), data["success"].is_true(), words);
  } else if (type.is("session.error")) {
    ledger.failed(data["message"].text(), small_count(data["statusCode"]),
                  data["errorType"].text());
  } else if (type.is("assistant.turn_retry")) {
    ledger.waits(small_count(data["statusCode"]), 0, data["reason"].text());
  } else if (type.is("session.info") && data["infoType"].is("model_retry")) {
    ledger.waits(0, 0, data["message"].text());
  } else if (type.is("session.compaction_complete")) {
    ledger.compacted();
  } else {
    const std::string name = type.text();
    return name.starts_with("session.") || name.starts_with("assistant.") ||
           name.starts_with("model.") || name.starts_with("tool.") || name.starts_with("user.");
  }
  return true;
}

}  // namespace capsule::dialect
