// The block dialect: realistic and hostile output, and transcripts.
#include <benchmark/benchmark.h>

#include "base/text.h"
#include "benchmarks/rows.h"
#include "benchmarks/texts.h"
#include "json/text.h"
#include "signal/block.h"

namespace capsule::bench {
namespace {

constexpr std::string_view kBlock =
    "---\nSIGNAL: QA_COMPLETE\nPHASE: qa\nSTATUS: complete\nTIMESTAMP: 2024-01-15T10:30:00Z\n"
    "NEXT: review\n---\n";

void parse(std::string_view text) {
  auto result = signal::parse_block(text);
  benchmark::DoNotOptimize(result.fields.data());
}

std::string realistic() { return realistic_output(kBlock); }

std::string record(std::string_view speaker, std::string_view text) {
  return "{\"type\":\"" + std::string(speaker) + "\",\"message\":{\"role\":\"" +
         std::string(speaker) +
         "\",\"content\":[{\"type\":\"text\",\"text\":" + json::quoted(text) + "}]}}\n";
}

// The realistic output as a session: pieces of 4 KB, each one said by the agent or by a tool.
std::string transcript() {
  const std::string output = realistic_output("");
  std::string text;
  for (std::size_t at = 0; text.size() < kTextBytes; at += 4096)
    text += record(at % 8192 == 0 ? "assistant" : "user", output.substr(at, 4096));
  return text + record("assistant", kBlock);
}

const Rows kRows([] {
  add_ratio({"block: realistic output, 100 MB", realistic, 2, parse});
  const auto hostile = [](std::string what, Make make) {
    add_rate({"block: " + what, make, 100, parse});
  };
  hostile("a transcript of 100 MB", transcript);
  hostile("100 MB of line feeds", [] { return repeated("\n"); });
  hostile("100 MB of SIGNAL:", [] { return repeated("SIGNAL:\n"); });
  hostile("100 MB of SIGNAL: in one line", [] { return repeated("SIGNAL:"); });
  hostile("100 MB of SIGNAL: in prose", [] { return repeated("x SIGNAL: QA_COMPLETE\n"); });
  hostile("100 MB of the shortest block", [] { return repeated("SIGNAL:QA_COMPLETE\n"); });
  hostile("100 MB of blocks", [] { return repeated(kBlock); });
  hostile("100 MB of blocks taken back",
          [] { return repeated("SIGNAL:QA_COMPLETE\nSIGNAL:QA_COMPLETE\nSTATUS:no\n"); });
  hostile("100 MB of fields", [] { return "SIGNAL: QA_COMPLETE\n" + repeated("PHASE: qa\n"); });
  hostile("100 MB of different fields", [] {
    std::string text = "SIGNAL: QA_COMPLETE\n";
    for (int i = 0; text.size() < kTextBytes; ++i) text += "K" + std::to_string(i) + ": v\n";
    return text;
  });
  hostile("100 MB of blanks before a signal", [] { return repeated(" ") + "SIGNAL: QA_COMPLETE"; });
  hostile("100 MB of short records",
          [] { return repeated("{\"type\":\"assistant\",\"text\":\"\"}\n"); });
  hostile("100 MB of records with a block", [] {
    return repeated("{\"type\":\"assistant\",\"text\":\"SIGNAL: QA_COMPLETE\\nPHASE: qa\"}\n");
  });
  hostile("100 MB of escapes", [] {
    return "{\"type\":\"assistant\",\"text\":\"SIGNAL: QA_COMPLETE\\n" +
           replace_all(repeated("\\u00e9\\n\\ud83d\\ude00\\t"), "\n", "") + "\"}";
  });
  hostile("100 MB of brackets in a record",
          [] { return "{\"type\":\"assistant\",\"a\":[" + repeated("[],") + "1]}"; });
});

}  // namespace
}  // namespace capsule::bench
