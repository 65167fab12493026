#include "tests/reference/contract_check.h"

#include <array>

#include "json/text.h"
#include "signal/contract.h"
#include "tests/reference/contract_reference.h"

namespace capsule::reference {
namespace {

using signal::ContractFault;
using signal::ContractResult;

std::string answer(const ContractResult& result) {
  return (result.fault == ContractFault::none ? "0 " : "1 ") + result.signal.json;
}

// The fields that callers use must say what the printed line says.
std::string fields_again(const ContractResult& result) {
  std::string files;
  for (const std::string& file : result.signal.files_changed)
    files += (files.empty() ? "" : ",") + json::quoted(file);
  const auto field = [&](std::string_view key) -> std::string {
    for (const auto& member : json::members_of(result.signal.json))
      if (member.key == key) return std::string(member.value);
    return "(none)";
  };
  if (field("\"status\"") != "\"" + std::string(name_of(result.signal.status)) + "\"")
    return "status";
  if (field("\"feedback\"") != json::quoted(result.signal.feedback)) return "feedback";
  if (field("\"summary\"") != json::quoted(result.signal.summary)) return "summary";
  if (field("\"files_changed\"") != "[" + files + "]") return "files_changed";
  return "";
}

ContractResult in_pieces(const std::string& input, std::uint64_t seed) {
  Random random(seed);
  signal::ContractScanner scanner;
  std::string_view rest = input;
  const std::uint64_t longest = 1 + random.below(random.once_in(2) ? 4 : 200);
  while (!rest.empty()) {
    // A copy of its own for each piece: reading beyond it is then seen by AddressSanitizer.
    const std::string piece(rest.substr(0, random.below(longest + 1)));
    scanner.feed(piece);
    rest.remove_prefix(piece.size());
  }
  return scanner.finish();
}

constexpr std::array<std::string_view, 24> kValues{
    "\"PASS\"", "\"NEEDS_WORK\"", "\"ERROR\"", "\"pass\"", "\"\"",          "null",
    "true",     "false",          "0",         "-0.5e+3",  "1234567890123", "[]",
    "{}",       "[\"a.go\"]",     "[1]",       "\"f\"",    "\"\\u00e9\"",   "\"\\ud83d\\ude00\"",
    "\"é€😀\"", "\"{\"",          "\"}]\"",    "[[]]",     "{\"a\":{}}",    "\"\\\"\\\\\\/\\b\""};

constexpr std::array<std::string_view, 10> kKeys{
    "status", "feedback", "files_changed", "summary", "status", "extra",
    "a",      "",         "\\u0073tatus",  "feedback"};

constexpr std::array<std::string_view, 52> kScraps{"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "\"",
                                                   "\\",
                                                   ":",
                                                   ",",
                                                   " ",
                                                   "\n",
                                                   "\r\n",
                                                   "\r",
                                                   "\t",
                                                   "\n  ",
                                                   "{{",
                                                   "[[",
                                                   "{\"",
                                                   "{\"st",
                                                   "{\"status\"",
                                                   "{\"summary\":",
                                                   "{\"files_changed\":[",
                                                   "\"}",
                                                   "\\u",
                                                   "\\ud800",
                                                   "\\udc00",
                                                   "\\ud800\\u",
                                                   "\\ud83d\\ude00",
                                                   "\\x",
                                                   "\xC3",
                                                   "\xE2\x82",
                                                   "\xF0\x9F",
                                                   "\xED\xA0\x80",
                                                   "\xC0\x80",
                                                   "\xFF",
                                                   "\xF4\x90",
                                                   "é",
                                                   "😀",
                                                   "text",
                                                   "-",
                                                   "0",
                                                   "01",
                                                   "1.",
                                                   "1e",
                                                   "1e+5",
                                                   "tru",
                                                   "true",
                                                   "null",
                                                   "\x1b[32m",
                                                   "```json\n",
                                                   "\x01",
                                                   "\x7f",
                                                   std::string_view("\0", 1)};

std::string random_object(Random& random, int depth);

std::string random_value(Random& random, int depth) {
  if (depth > 0 && random.once_in(6)) return random_object(random, depth - 1);
  return std::string(random.one_of(kValues));
}

std::string random_object(Random& random, int depth) {
  constexpr std::array<std::string_view, 6> kSpace{"", "", "", " ", "\n  ", "\r\n\t"};
  const auto space = [&] { return std::string(random.one_of(kSpace)); };
  std::string text = "{" + space();
  const std::uint64_t members = random.below(7);
  for (std::uint64_t i = 0; i < members; ++i) {
    if (i > 0) text += "," + space();
    text += "\"" + std::string(random.one_of(kKeys)) + "\"" + space() + ":" + space() +
            random_value(random, depth) + space();
  }
  return text + "}";
}

std::string random_signal(Random& random) {
  std::array<std::string, 4> fields{
      "\"status\":" + (random.once_in(4) ? random_value(random, 1) : "\"PASS\""),
      "\"feedback\":" + (random.once_in(4) ? random_value(random, 1) : "\"f\""),
      "\"files_changed\":" + (random.once_in(4) ? random_value(random, 1) : "[\"a.go\",\"b\"]"),
      "\"summary\":" + (random.once_in(4) ? random_value(random, 1) : "\"s\"")};
  if (random.once_in(3)) fields[random.below(4)].swap(fields[random.below(4)]);
  std::string text = "{";
  for (const std::string& field : fields) text += (text.size() > 1 ? "," : "") + field;
  if (random.once_in(4)) text += ",\"extra\":" + random_value(random, 2);
  return text + "}";
}

}  // namespace

std::string contract_disagreement(const std::string& input, std::uint64_t seed) {
  const ContractAnswer wanted = contract(input);
  const std::string expected = std::to_string(wanted.exit) + " " + wanted.line;
  const ContractResult whole = signal::parse_contract(input);
  if (answer(whole) != expected)
    return "reference: " + expected + "\nwhole:     " + answer(whole) + "\n";
  const ContractResult pieces = in_pieces(input, seed);
  if (answer(pieces) != expected)
    return "reference: " + expected + "\nin pieces: " + answer(pieces) + "\n";
  const std::string field = fields_again(whole);
  if (!field.empty()) return "the field " + field + " differs from the line: " + answer(whole);
  int taken = 0;
  for (const signal::ContractNote& note : signal::explain_contract(input)) taken += note.taken;
  if (taken != (whole.fault == ContractFault::no_signal ? 0 : 1))
    return "explained " + std::to_string(taken) + " as taken";
  return "";
}

std::string random_contract_text(Random& random) {
  std::string text;
  const std::uint64_t parts = 1 + random.below(12);
  for (std::uint64_t i = 0; i < parts; ++i) {
    switch (random.below(8)) {
      case 0:
        text += random_signal(random);
        break;
      case 1:
        text += random_object(random, 3);
        break;
      case 2: {
        const std::string signal = random_signal(random);
        text += signal.substr(0, random.below(signal.size() + 1));
        break;
      }
      case 3:
        text += random.once_in(2) ? "\n" : "\r\n";
        break;
      case 4: {
        const std::uint64_t brackets =
            random.once_in(20) ? 120 + random.below(20) : random.below(4);
        for (std::uint64_t k = 0; k < brackets; ++k) text += random.once_in(2) ? "[" : "{\"a\":";
        break;
      }
      default:
        text += random.one_of(kScraps);
    }
  }
  // Now and then one byte goes, comes or changes.
  if (!text.empty() && random.once_in(2)) {
    const std::uint64_t at = random.below(text.size());
    switch (random.below(3)) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text[at] = static_cast<char>(random.below(256));
        break;
      default:
        text.insert(at, random.one_of(kScraps));
    }
  }
  if (random.once_in(4)) text.resize(random.below(text.size() + 1));
  return text;
}

}  // namespace capsule::reference
