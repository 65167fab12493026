// The face of a run, for tests: what happens is told, and what was written is seen. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/moment.h"
#include "base/text.h"
#include "engine/run.h"
#include "event/auto.h"
#include "event/delivery.h"
#include "event/pipeline.h"
#include "event/supply.h"
#include "ui/face.h"

namespace capsule::ui {

using Json = nlohmann::json;

inline constexpr const char* kAt = "2026-01-01T00:00:00.000Z";  // all facts of a Stage

template <class Fact>
engine::RunHead head_of_stage() {
  engine::RunHead head;
  head.run = "run-1";
  const bool delivery = std::is_same_v<Fact, event::delivery::DeliveryFact>;
  const bool auto_run = std::is_same_v<Fact, event::auto_run::Fact>;
  head.workflow = delivery ? engine::kDelivery : auto_run ? engine::kAuto : "pipeline";
  head.subject = delivery ? "/p/PLAN.md" : auto_run ? engine::kAutoSubject : "demo-1.1.1";
  return head;
}

// A face, and what it has written.
template <class Fact>
struct Stage {
  std::string out;
  std::int64_t now = 0;
  std::vector<event::Fact> journal;  // what happened
  Face face;

  explicit Stage(Look look, bool typed_at = false, process::Loop* loop = nullptr)
      : face(look, head_of_stage<Fact>(), Style{}, loop,
             {[this](const std::string& text) { out += text; }, [] { return std::size_t{60}; },
              [] { return std::size_t{24}; }, [this] { return now; },
              [this] { return *milliseconds_of(kAt) + now; }, typed_at}) {}

  void happen(const std::vector<Fact>& facts) {
    std::vector<event::NewFact> told;
    for (const Fact& fact : facts) {
      told.push_back({std::string(kind_of(fact)), kAt, body_of(fact)});
      const event::NewFact& one = told.back();
      journal.push_back({journal.size() + 1, "run-1", one.kind, one.at, one.body});
    }
    face.on_facts(told);
  }
  std::string taken() { return std::exchange(out, {}); }
};
using Phases = Stage<event::PipelineFact>;
using Delivery = Stage<event::delivery::DeliveryFact>;

inline event::PhaseFinished finished(const std::string& phase, int number, int attempt,
                                     signal::Status status, const std::string& feedback) {
  event::PhaseFinished f;
  f.phase = phase;
  f.number = number;
  f.attempt = attempt;
  f.status = status;
  f.feedback = feedback;
  f.duration_ms = 1500;
  return f;
}

inline void begin(Phases& stage) {
  event::RunStarted started;
  started.bead = "demo-1.1.1";
  started.title = "Validate email";
  stage.happen({started, event::WorktreeReady{"/p/w", "capsule-demo-1.1.1", "abc"}});
}

// One phase, as the runner tells it: its start, and then all that follows from its end.
inline void phase(Phases& stage, const std::string& name, int number, int attempt,
                  signal::Status status, const std::string& feedback = "ok") {
  stage.happen({event::PhaseStarted{name, number, attempt, "", "claude", "", false}});
  stage.happen({finished(name, number, attempt, status, feedback),
                event::SnapshotTaken{name, number, "r", "c", "t" + std::to_string(number), "h"},
                event::PhaseChecked{name, number, true, "", {}}});
}

inline void whole_run(Phases& stage) {
  using enum signal::Status;
  begin(stage);
  phase(stage, "test-writer", 1, 1, pass);
  phase(stage, "test-review", 2, 1, needs_work, "cover \x1b[31mempty\ninput");
  phase(stage, "test-writer", 3, 2, pass);
  phase(stage, "test-review", 4, 2, pass);
  phase(stage, "execute", 5, 1, pass);
  phase(stage, "execute-review", 6, 1, pass);
  phase(stage, "sign-off", 7, 1, pass);
  phase(stage, "merge", 8, 1, pass);
  stage.happen({event::MergeIntended{"main", "abc"}});
  stage.happen({event::MergeDone{"0123456789abcdef", false}});
  stage.happen({event::RunArchived{"/p/.capsule/logs/demo-1.1.1"}, event::WorktreeRemoved{},
                event::BeadClosed{}, event::RunEnded{event::Outcome::merged, ""}});
}

inline std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) lines.push_back(Json::parse(line));
  return lines;
}

}  // namespace capsule::ui
