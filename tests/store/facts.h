// Facts and runs as tests of journals record them.
#pragma once

#include <string>

#include "engine/journal.h"

namespace capsule::test {

inline event::NewFact fact(int number, std::size_t bytes = 0) {
  return {"phase_finished", "2026-01-31T23:59:59.123Z",
          "{\"n\":" + std::to_string(number) + ",\"text\":\"" + std::string(bytes, 'x') + "\"}"};
}

inline engine::NewRun run_named(const std::string& name, const std::string& subject = "demo-1") {
  return {name, "pipeline", subject, "2026-01-31T23:59:00.000Z"};
}

}  // namespace capsule::test
