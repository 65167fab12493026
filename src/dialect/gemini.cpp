// gemini -o stream-json.
#include <algorithm>

#include "dialect/ledger.h"

namespace capsule::dialect {
namespace {

void read_stats(json::View stats, Ledger& ledger) {
  event::TokenUse use;
  use.tokens_known = stats["input_tokens"].number().has_value();
  use.cache_read = token_count(stats["cached"]);
  use.input = std::max<std::int64_t>(0, token_count(stats["input_tokens"]) - use.cache_read);
  use.output = token_count(stats["output_tokens"]);
  const json::View models = stats["models"];
  for (auto model = models.begin(); model != models.end(); ++model)
    if ((*model)["output_tokens"].integer() > 0) ledger.model(std::string(model.raw_key()));
  ledger.reading().helpers_too = true;
  ledger.used_in_all(use);
}

}  // namespace

bool read_gemini(json::View line, Ledger& ledger) {
  const json::View type = line["type"];
  if (type.is("init")) {
    ledger.session(line["session_id"].text());
  } else if (type.is("message") && line["role"].is_string()) {
    if (line["role"].is("assistant")) {
      if (!line["delta"].is_true()) ledger.new_message();
      ledger.says_more(line["content"].text());
    }
  } else if (type.is("tool_use") && line["tool_name"].is_string()) {
    ledger.tool_started(line["tool_id"].text(), line["tool_name"].text(), line["parameters"]);
  } else if (type.is("tool_result") && line["tool_id"].is_string()) {
    std::string words = line["output"].text();
    if (words.empty()) words = line["error"]["message"].text();
    ledger.tool_ended(line["tool_id"].text(), line["status"].is("success"), words);
  } else if (type.is("error") && line["message"].is_string()) {
    if (line["severity"].is("error")) ledger.failed(line["message"].text());
  } else if (type.is("result") && line["status"].is_string()) {
    read_stats(line["stats"], ledger);
    if (line["status"].is("success"))
      ledger.recovered();
    else
      ledger.failed(line["error"]["message"].text(), 0, line["error"]["type"].text());
    ledger.closed();
  } else {
    return false;
  }
  return true;
}

}  // namespace capsule::dialect
