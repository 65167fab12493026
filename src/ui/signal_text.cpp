#include "ui/signal_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/text.h"
#include "signal/contract.h"

namespace capsule::ui {
namespace {

using signal::Dialect;
using signal::Row;

// The items of a JSON list or object, with commas between them.
class Listed {
 public:
  Listed(const Put& put, std::string_view open) : put_(put) { put_(open); }
  void item(const std::string& text) {
    if (!first_) put_(",");
    first_ = false;
    put_(text);
  }

 private:
  const Put& put_;
  bool first_ = true;
};

std::string member(std::string_view key, std::string_view text) {
  return json::quoted(key) + ":" + json::quoted(text);
}

// The beginning of a candidate, whole letters only.
constexpr std::size_t kMaxShownBytes = 200;

void add_candidate(Listed& list, std::size_t offset, std::string_view text, bool taken,
                   std::string_view reason) {
  list.item("{\"offset\":" + std::to_string(offset) + "," +
            member("text", cut(text, kMaxShownBytes)) + "," +
            member("verdict", taken ? "taken" : "not taken") + "," + member("reason", reason) +
            "}");
}

void put_warnings(const Put& put, const std::vector<std::string>& warnings) {
  Listed list(put, ",\"warnings\":[");
  for (const std::string& warning : warnings) list.item(json::quoted(warning));
  put("]");
}

std::string row_json(const Row& row) {
  std::vector<std::string> senders = signal::senders_of(row);
  for (std::string& sender : senders) sender = json::quoted(sender);
  const bool ranked = row.priority != signal::Priority::none;
  return "{\"dialect\":" + json::quoted(signal::name_of(row.dialect)) +
         ",\"name\":" + json::quoted(row.name) + ",\"wire\":" + json::quoted(row.wire) +
         ",\"meaning\":" + json::quoted(row.meaning) + ",\"senders\":[" + joined(senders, ",") +
         "],\"handler\":" + json::quoted(row.handler) +
         ",\"priority\":" + (ranked ? std::to_string(static_cast<int>(row.priority) + 1) : "null") +
         ",\"class\":" + (ranked ? json::quoted(signal::name_of(row.priority)) : "null") + "}";
}

// One row of the table for people: the last column is as long as it likes.
using RowColumns = std::array<std::string, 6>;

RowColumns row_columns(const Row& row) {
  const std::vector<std::string> senders = signal::senders_of(row);
  std::string who = joined(senders);
  if (row.dialect == Dialect::line && senders.size() == signal::kRoleCount) who = "every role";
  if (row.dialect == Dialect::contract) who = "every phase of the pipeline";
  if (row.dialect == Dialect::block && senders.size() > 1) who = "every phase";
  if (senders.empty()) who = "-";
  std::string priority = "-";
  if (row.priority != signal::Priority::none)
    priority = std::to_string(static_cast<int>(row.priority) + 1) + " " +
               std::string(signal::name_of(row.priority));
  return {std::string(signal::name_of(row.dialect)),
          std::string(row.name),
          priority,
          std::string(row.handler),
          std::string(row.meaning),
          who};
}

}  // namespace

bool contract_json(std::string_view text, bool explain, const Put& put) {
  const signal::ContractResult result = signal::parse_contract(text);
  std::string_view json = result.signal.json;
  if (explain) {
    json.remove_suffix(1);
    put(json);
    Listed list(put, ",\"explain\":[");
    signal::explain_contract(text, [&](const signal::ContractNote& note) {
      add_candidate(list, note.begin, text.substr(note.begin, note.end - note.begin), note.taken,
                    note.why);
    });
    put("]}\n");
  } else {
    put(json);
    put("\n");
  }
  return result.fault == signal::ContractFault::none;
}

bool line_json(std::string_view text, const signal::LineOptions& options, bool explain,
               const Put& put) {
  const signal::LineResult result = signal::parse_line(text, options);
  put("{" + member("signal", signal::row(result.signal).name) +
      ",\"task_id\":" + (result.task_id ? json::quoted(*result.task_id) : "null") + ",");
  if (!result.more.empty()) {
    Listed more(put, "\"more\":[");
    for (const signal::Extra& extra : result.more) more.item(json::quoted(extra.id));
    put("],");
  }
  put(member("handler", result.handler()));
  Listed fields(put, ",\"fields\":{");
  for (const signal::Field& field : result.fields) fields.item(member(field.label, field.text));
  put("}");
  put_warnings(put, result.warnings);
  if (explain) {
    Listed list(put, ",\"explain\":[");
    signal::explain_line(text, options, [&](const signal::LineCandidate& candidate) {
      add_candidate(list, candidate.offset, candidate.text, candidate.taken, candidate.reason);
    });
    put("]");
  }
  put("}\n");
  return result.why_unknown == signal::WhyUnknown::recognised;
}

bool block_json(std::string_view text, const signal::BlockOptions& options, bool explain,
                const Put& put) {
  const signal::BlockResult result = signal::parse_block(text, options);
  put("{\"signal\":" + (result.signal ? json::quoted(signal::row(*result.signal).name) : "null"));
  Listed fields(put, ",\"fields\":{");
  for (const auto& [key, value] : result.fields) fields.item(member(key, value));
  put("}");
  put_warnings(put, result.warnings);
  if (explain) {
    Listed list(put, ",\"explain\":[");
    signal::explain_block(text, [&](const signal::BlockCandidate& candidate) {
      add_candidate(list, candidate.offset, candidate.text, candidate.taken, candidate.reason);
    });
    put("]");
  }
  put("}\n");
  return result.signal.has_value();
}

std::string signal_table(std::span<const signal::Row> rows) {
  std::vector<RowColumns> lines{{"DIALECT", "NAME", "PRIORITY", "HANDLER", "MEANING", "SENDERS"}};
  for (const Row& row : rows) lines.push_back(row_columns(row));
  std::array<std::size_t, std::tuple_size_v<RowColumns>> widths{};
  for (const RowColumns& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const RowColumns& line : lines) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) text += padded(line[i], widths[i] + 2);
    text += line.back() + "\n";
  }
  return text;
}

std::string signals_json(std::span<const signal::Row> rows) {
  std::string text = "[";
  for (const Row& row : rows) text += (text.size() > 1 ? ",\n " : "") + row_json(row);
  return text + "]\n";
}

}  // namespace capsule::ui
