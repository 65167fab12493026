#include "tests/reference/block_check.h"

#include <array>

#include "base/text.h"
#include "signal/block.h"
#include "tests/reference/block_reference.h"

namespace capsule::reference {
namespace {

std::string text_of(const BlockAnswer& answer) {
  std::string text = answer.signal.empty() ? "none" : answer.signal;
  for (const std::string& name : answer.sequence) text += " " + name;
  for (const auto& [key, value] : answer.fields) text += "\n  " + key + "=<" + value + ">";
  return text;
}

BlockAnswer as_answer(const signal::BlockResult& result) {
  BlockAnswer answer;
  if (result.signal) answer.signal = signal::row(*result.signal).name;
  answer.fields = result.fields;
  for (const signal::BlockSighting& seen : result.sequence)
    answer.sequence.emplace_back(signal::row(seen.signal).name);
  return answer;
}

std::string explanation_fault(const std::string& input, const signal::BlockResult& result) {
  int taken = 0;
  std::size_t offset = 0;
  signal::explain_block(input, [&](const signal::BlockCandidate& candidate) {
    if (!candidate.taken) return;
    ++taken;
    offset = candidate.offset;
  });
  if (taken != (result.signal ? 1 : 0)) return "the explanation takes another";
  if (taken == 1 && offset > result.offset) return "the explanation has another offset";
  return "";
}

constexpr std::array<std::string_view, 20> kSignals{"SIGNAL: QA_COMPLETE",
                                                    "SIGNAL: QA_COMPLETE",
                                                    "signal: init_complete",
                                                    "SIGNAL:FIX_COMPLETE",
                                                    "SIGNAL: FIX_COMPLETE",
                                                    "SIGNAL: AUTO_COMPLETE",
                                                    "SIGNAL: TRANSITION_TO_QA",
                                                    "SIGNAL: TRANSITION_TO_FIX",
                                                    "SIGNAL: PHASE_ERROR",
                                                    "SIGNAL:\tREVIEW_COMPLETE",
                                                    "SIGNAL: QA_COMPLETED",
                                                    "SIGNAL: QA_COMPLETE done",
                                                    "SIGNAL : QA_COMPLETE",
                                                    "SIGNAL:",
                                                    "x SIGNAL: QA_COMPLETE",
                                                    "> SIGNAL: QA_COMPLETE",
                                                    "\xEF\xBB\xBFSIGNAL: QA_COMPLETE",
                                                    "MYSIGNAL: QA_COMPLETE",
                                                    "SIGNAL: NONE_COMPLETE",
                                                    "SIGNALSIGNAL: QA_COMPLETE"};
constexpr std::array<std::string_view, 26> kLines{"STATUS: complete",
                                                  "STATUS: failed",
                                                  "status: Complete",
                                                  "STATUS:",
                                                  "STATUS: complete",
                                                  "PHASE: qa",
                                                  "NEXT: review",
                                                  "TIMESTAMP: [x]",
                                                  "TIMESTAMP: [",
                                                  "TIMESTAMP: []",
                                                  "TIMESTAMP: 2024-01-15T10:30:00Z",
                                                  "ERROR: a: b",
                                                  "RECOVERABLE: true",
                                                  "---",
                                                  "",
                                                  "words",
                                                  "two words: x",
                                                  "1KEY: x",
                                                  "_K1: x",
                                                  "KEY : x",
                                                  "\xC3\xA4: x",
                                                  "K\xFF: x",
                                                  ": x",
                                                  "```",
                                                  "a:",
                                                  "- K: v"};
constexpr std::array<std::string_view, 6> kIndents{"", "", "", " ", "\t", "  \r "};
constexpr std::array<std::string_view, 6> kEnds{"\n", "\n", "\n", "\r\n", " \n", ""};

std::string random_plain_text(Random& random) {
  std::string text = random.once_in(10) ? "\xEF\xBB\xBF" : "";
  const std::uint64_t parts = random.below(14);
  for (std::uint64_t i = 0; i < parts; ++i) {
    text += random.one_of(kIndents);
    if (random.once_in(6)) text += std::string(random.below(150), 'x') + "\n";
    text += random.once_in(3) ? random.one_of(kSignals) : random.one_of(kLines);
    text += random.one_of(kEnds);
  }
  return text;
}

constexpr std::array<std::string_view, 16> kRecords{
    R"({"type":"assistant","text":"@"})",
    R"({"type":"assistant","message":{"role":"assistant","content":"@"}})",
    R"({"type":"assistant","message":{"content":[{"type":"text","text":"@"},{"type":"text","text":"@"}]}})",
    R"({"message":{"content":[{"type":"tool_use","text":"@"},{"text":"@","type":"text"}],"role":"assistant"}})",
    R"({"type":"user","message":{"role":"user","content":"@"}})",
    R"({"type":"user","message":{"role":"user","content":"Stop hook feedback:\n@"}})",
    R"({"type":"user","message":{"content":[{"type":"text","text":"a\n ## Auto Mode Continuation\r\n"}]}})",
    R"({"type":"user","message":{"content":[{"type":"tool_result","content":"## Auto Mode Continuation"}]}})",
    R"({"type":"result","result":"@"})",
    R"({"type":"result","result":"@","is_error":true})",
    R"({"role":"assistant","content":"@","type":"message"})",
    R"({"type":"system","role":"assistant","content":"@"})",
    R"({"type":"assistant","text":"@")",
    R"({"type":"assistant","message":"@","a":[1,-2.5e3,{"b":null}],"text":1})",
    R"({"role":"assistant","text":"@","content":"\u0041"})",
    "SIGNAL: QA_COMPLETE"};

// `text` inside a JSON string, now and then with an escape that is not needed.
std::string escaped(std::string_view text, Random& random) {
  std::string result;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += random.once_in(8) ? "\\u000a" : "\\n";
    } else if (byte < 0x20 || c == '"' || c == '\\' || (byte < 0x80 && random.once_in(200))) {
      constexpr std::string_view kHex = "0123456789aBcDeF";
      result += "\\u00";
      result += kHex[byte / 16];
      result += kHex[byte % 16];
    } else {
      result += c;
    }
  }
  if (random.once_in(20)) result += "\\ud83d\\ude00\\ud83d";
  return result;
}

}  // namespace

std::string block_disagreement(const std::string& input) {
  const signal::BlockResult result = signal::parse_block(input);
  const std::string parsed = text_of(as_answer(result));
  const std::string wanted = text_of(block(input));
  if (parsed != wanted) return "parser:    " + parsed + "\nreference: " + wanted;
  return explanation_fault(input, result);
}

std::string random_block_text(Random& random) {
  if (!random.once_in(3)) return random_plain_text(random);
  std::string text;
  const std::uint64_t records = 1 + random.below(6);
  for (std::uint64_t i = 0; i < records; ++i) {
    const std::string_view record = random.one_of(kRecords);
    text += replace_all(record, "@", escaped(random_plain_text(random), random));
    text += random.once_in(5) ? " \r\n" : "\n";
  }
  if (random.once_in(4)) text.resize(random.below(text.size() + 1));
  return text;
}

}  // namespace capsule::reference
