// goose run --output-format stream-json. A banner stands before the events.
#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

// Its failures are messages of the agent, told apart by having no id, and by this beginning; others
// by the missing count of tokens that follows.
constexpr std::string_view kRanInto = "Ran into this error";

void read_goose_result(json::View block, Ledger& ledger) {
  const json::View result = block["toolResult"];
  std::string words;
  for (const json::View part : result["value"]["content"]) words += part["text"].text();
  if (words.empty()) words = result["error"].text();
  ledger.tool_ended(block["id"].text(),
                    result["status"].is("success") && !result["value"]["isError"].is_true(), words);
}

void read_message(json::View message, Ledger& ledger) {
  const bool agent = message["role"].is("assistant");
  for (const json::View block : message["content"]) {
    const json::View type = block["type"];
    if (type.is("toolResponse")) read_goose_result(block, ledger);
    if (!agent) continue;
    if (type.is("toolRequest")) {
      const json::View call = block["toolCall"]["value"];
      ledger.tool_started(block["id"].text(), call["name"].text(), call["arguments"]);
    } else if (type.is("systemNotification")) {
      const std::string words = block["msg"].text();
      if (words.find("compacting") != std::string::npos) ledger.compacted();
      if (words.starts_with("Unable to continue")) ledger.failed(words);
    } else if (type.is("thinking") || type.is("reasoning")) {
      ledger.thinks(block["thinking"].text());
    } else if (type.is("text")) {
      std::string text = block["text"].text();
      if (message["id"].is_nothing() && text.starts_with(kRanInto)) {
        // What stands between is where it happened; a paragraph of advice follows.
        const std::size_t begin = text.find(": ");
        const std::string_view words =
            std::string_view(text).substr(begin == text.npos ? 0 : begin + 2);
        ledger.failed(words.substr(0, words.find("\n\n")));
      } else {
        ledger.says_part(message["id"].text(), text);
        ledger.suspect(message["id"].is_nothing());
      }
    }
  }
}

}  // namespace

bool read_goose(json::View line, Ledger& ledger) {
  const json::View type = line["type"];
  if (type.is("message") && line["message"].is_object()) {
    read_message(line["message"], ledger);
  } else if (type.is("complete")) {
    event::TokenUse use;
    use.tokens_known = line["input_tokens"].number().has_value();
    use.input = token_count(line["input_tokens"]);
    use.output = token_count(line["output_tokens"]);
    ledger.used_in_all(use, true);
    if (ledger.suspected() && line["total_tokens"].is_nothing()) {
      ledger.failed(ledger.reading().text);
      ledger.final_text({});
    }
    ledger.closed();
  } else if (type.is("error") && line["error"].is_string()) {
    ledger.failed(line["error"].text());
  } else {
    return type.is("notification");
  }
  return true;
}

}  // namespace capsule::dialect
