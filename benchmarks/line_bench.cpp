// The line dialect: realistic and hostile output.
#include <benchmark/benchmark.h>

#include "benchmarks/rows.h"
#include "benchmarks/texts.h"
#include "signal/line.h"

namespace capsule::bench {
namespace {

void parse(std::string_view text) {
  auto result = signal::parse_line(text);
  benchmark::DoNotOptimize(result.fields.data());
}

std::string realistic() {
  return realistic_output(
      "READY_FOR_REVIEW: task-1\n\nFiles Modified:\n- src/a.go: validates\n\nSummary: done\n");
}

// Different arguments in each line.
std::string many_conflicts() {
  std::string text;
  for (int i = 0; text.size() < kTextBytes; ++i)
    text += "FILE CONFLICT: src/file" + std::to_string(i) + ".go\nCan Wait: YES\n";
  return text;
}

const Rows kRows([] {
  add_ratio({"line: realistic output, 100 MB", realistic, 2, parse});
  const auto hostile = [](std::string what, Make make) {
    add_rate({"line: " + what, make, 100, parse});
  };
  hostile("100 MB of line feeds", [] { return repeated("\n"); });
  hostile("100 MB of lines that begin like signals", [] { return repeated("RE\n"); });
  hostile("100 MB of near misses", [] { return repeated("EXPERT_CREATE: x\n"); });
  hostile("100 MB of signals without ids", [] { return repeated("AUDIT_PASSED:\n"); });
  hostile("100 MB of one signal", [] { return repeated("AUDIT_PASSED: t1\n"); });
  hostile("100 MB of contradictions",
          [] { return repeated("AUDIT_PASSED: t1\nAUDIT_FAILED: t2\n"); });
  hostile("100 MB of different file conflicts", many_conflicts);
  hostile("100 MB of delegation prompts", [] {
    return repeated("---DELEGATION PROMPT START---\nx\n---DELEGATION PROMPT END---\n");
  });
  hostile("a body of 100 MB", [] { return "AUDIT_PASSED: t1\nSummary: " + repeated("words\n"); });
  hostile("a body of 100 MB of labels",
          [] { return "AUDIT_PASSED: t1\n" + repeated("Summary:\n"); });
  hostile("an argument of 100 MB", [] { return "FILE CONFLICT: " + repeated("x "); });
  hostile("one line without newline", [] { return repeated("READY_FOR_REVIEW: t1 "); });
});

}  // namespace
}  // namespace capsule::bench
