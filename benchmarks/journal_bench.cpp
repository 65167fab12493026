// The journal: what a fact costs, and how fast a long run is replayed.
#include <stdlib.h>
#include <time.h>

#include <algorithm>

#include "benchmarks/folder.h"
#include "benchmarks/rows.h"
#include "event/pipeline.h"
#include "store/store.h"
#include "tests/store/fault_vfs.h"
#include "workflow/phases/phases.h"

namespace capsule::bench {
namespace {

event::NewFact written(const event::PipelineFact& fact) {
  return {std::string(event::kind_of(fact)), "2026-01-31T23:59:59.123Z", event::body_of(fact)};
}

// What a reviewed phase leaves: two facts of usual size.
std::vector<event::NewFact> phase_facts(int number) {
  event::PhaseStarted started;
  started.phase = "execute";
  started.number = number;
  started.provider = "claude";
  started.feedback = "Handle the empty input, and name the function after what it does.";
  event::PhaseFinished finished;
  finished.phase = "execute";
  finished.number = number;
  finished.summary = "Validates the input and refuses what is empty";
  finished.files_changed = {"src/validate.go", "src/validate_test.go"};
  finished.signal =
      R"({"status":"PASS","feedback":"","files_changed":["src/validate.go"],"summary":"Done"})";
  finished.log = ".capsule/output/execute-20260131-235959-4711.log";
  return {written(started), written(finished)};
}

// Opening and closing counted in, as a command pays for them.
double syncs_a_fact() {
  constexpr int kFacts = 200;
  const Folder folder;
  { (void)store::Store::open(folder.path(), store::Access::read_write).value(); }
  test::faults() = {};
  {
    const auto store = store::Store::open(folder.path(), store::Access::read_write,
                                          {.vfs = test::fault_vfs_name()})
                           .value();
    const auto facts = phase_facts(1);
    std::uint64_t last =
        store->begin({"run", "pipeline", "bead", "now"}, {facts.data(), 1}).value();
    for (int i = 1; i < kFacts; ++i)
      last = store->append("run", last, {facts.data() + i % 2, 1}, std::nullopt).value();
  }
  return static_cast<double>(test::faults().syncs) / kFacts;
}

// It reads what the kernel has in memory, so the wall clock would only add what others do.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double replay_seconds() {
  constexpr int kFacts = 100'000;
  constexpr int kTurns = 3;
  const Folder folder;
  {
    const auto store = store::Store::open(folder.path(), store::Access::read_write).value();
    event::RunStarted started;
    started.bead = "bead";
    std::vector<event::NewFact> facts{written(started)};
    std::uint64_t last = store->begin({"run", "pipeline", "bead", "now"}, facts).value();
    facts.clear();
    for (int i = 0; i < 500; ++i)
      for (event::NewFact& fact : phase_facts(i)) facts.push_back(std::move(fact));
    for (int i = 0; i < kFacts; i += static_cast<int>(facts.size()))
      last = store->append("run", last, facts, std::nullopt).value();
  }
  double best = 1e9;
  for (int turn = 0; turn < kTurns; ++turn) {
    const double start = processor_seconds();
    const auto store = store::Store::open(folder.path(), store::Access::read_only).value();
    phases::State state;
    const std::vector<event::Fact> facts = store->read("run", 0).value();
    for (const event::Fact& fact : facts)
      phases::apply(state, event::read_fact(fact.kind, fact.body).value());
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

const Rows kRows([] {
  add_figure({"journal: syncs a fact", "syncs", 1.1, false, syncs_a_fact});
  add_figure({"journal: replay of 100,000 facts", "s", 1.0, false, replay_seconds});
});

}  // namespace
}  // namespace capsule::bench
