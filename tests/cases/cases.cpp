#include "tests/cases/cases.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

namespace capsule::test {

void PrintTo(const Case& row, std::ostream* out) { *out << row.id << ": " << row.reason; }

std::vector<Case> load_cases(std::string_view dialect) {
  std::ifstream file(CAPSULE_SOURCE_DIR "/tests/cases/signals.jsonl");
  std::vector<Case> cases;
  try {
    for (std::string line; std::getline(file, line);) {
      const auto row = nlohmann::ordered_json::parse(line);
      if (row.at("dialect") != dialect) continue;
      cases.push_back({row.at("id"), row.at("dialect"), row.at("input"), row.at("expected").dump(),
                       row.at("reason")});
    }
  } catch (const nlohmann::json::exception& error) {
    std::fprintf(stderr, "tests/cases/signals.jsonl: %s\n", error.what());
    std::abort();
  }
  if (cases.empty()) {
    std::fprintf(stderr, "tests/cases/signals.jsonl has no rows of the dialect asked for\n");
    std::abort();
  }
  return cases;
}

}  // namespace capsule::test
