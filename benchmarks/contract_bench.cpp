// The contract dialect: realistic and hostile output.
#include <benchmark/benchmark.h>

#include "benchmarks/rows.h"
#include "benchmarks/texts.h"
#include "signal/contract.h"

namespace capsule::bench {
namespace {

constexpr std::string_view kSignal =
    R"({"status":"PASS","feedback":"All criteria are covered.","files_changed":["src/a.go"],)"
    R"("summary":"Tests written"})"
    "\n";

void parse_whole(std::string_view text) {
  auto result = signal::parse_contract(text);
  benchmark::DoNotOptimize(result.signal.json.data());
}

void parse_in_pieces(std::string_view text) {
  constexpr std::size_t kPiece = 1U << 20;
  signal::ContractScanner scanner;
  for (std::size_t at = 0; at < text.size(); at += kPiece) scanner.feed(text.substr(at, kPiece));
  auto result = scanner.finish();
  benchmark::DoNotOptimize(result.signal.json.data());
}

std::string realistic() { return realistic_output(kSignal); }

// Each line is a signal but for its last bracket.
std::string near_misses() {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i)
    text += R"({"status":"PASS","feedback":"round )" + std::to_string(i) +
            R"(","files_changed":["src/a.go","src/b.go"],"summary":"nearly"]})"
            "\n";
  return text;
}

std::string one_long_line() {
  std::string text = repeated("one line without an end, {code} and [lists] in it; ");
  for (char& byte : text)
    if (byte == '\n') byte = ' ';
  return text;
}

std::string wide_object() {
  std::string text = "{\"status\":\"PASS\"";
  for (int i = 0; text.size() < 16'000'000; ++i)
    text += ",\"k" + std::to_string(i % 700'000) + "\":1";
  return text + "}";
}

const Rows kRows([] {
  add_ratio({"contract: realistic output, 100 MB", realistic, 3, parse_whole});
  add_ratio({"contract: the same in pieces of 1 MiB", realistic, 3, parse_in_pieces});
  const auto hostile = [](std::string what, Make make) {
    add_rate({"contract: " + what, make, 100, parse_whole});
    add_rate({"contract: " + what + ", in pieces", make, 100, parse_in_pieces});
  };
  hostile("100 MB of {", [] { return repeated("{"); });
  hostile("100 MB of [", [] { return repeated("["); });
  hostile("100 MB of {\"a\":", [] { return repeated("{\"a\":"); });
  hostile("100 MB of [{\"status\":", [] { return repeated("[{\"status\":"); });
  hostile("100 MB of {\"status\": in lines", [] { return repeated("{\"status\":\n"); });
  hostile("100 MB of {}", [] { return repeated("{}"); });
  hostile("a million near-miss JSON lines", near_misses);
  hostile("one line without newline", one_long_line);
  hostile("unterminated strings", [] { return repeated("{\"a\":\"no end\n"); });
  hostile("one unterminated string", [] { return "{\"a\":\"" + repeated("no end "); });
  hostile("escapes and characters beyond ASCII", [] {
    return "{\"a\":\"" + repeated("\\u00e9\\n\xC3\xA9\xF0\x9F\x98\x80\\ud83d\\ude00");
  });
  hostile("blanks inside an object", [] { return "{" + repeated("  \n"); });
  add_rate(
      {"contract: 16 MB of keys in one object, half of them twice", wide_object, 10, parse_whole});
});

}  // namespace
}  // namespace capsule::bench
