// A journal in memory, of one run, that can fail as a disk does. Tests only; single-threaded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/journal.h"
#include "tests/simulation/random.h"

namespace capsule::simulation {

class MemoryJournal : public engine::Journal {
 public:
  enum class Bug { none, lost_fact, fact_twice };

  explicit MemoryJournal(test::Random& random) : random_(random) {}

  Bug bug = Bug::none;
  int faults = 0;          // of a thousand appends
  std::string twice_kind;  // Bug::fact_twice: which one
  // Called for every append that is recorded, whatever the caller hears of it.
  std::function<void()> recorded = [] {};

  Result<std::uint64_t> begin(const engine::NewRun& run,
                              std::span<const event::NewFact> facts) override;
  Result<std::uint64_t> append(std::string_view run, std::uint64_t after,
                               std::span<const event::NewFact> facts,
                               const std::optional<engine::Ending>& ending) override;
  Result<std::vector<event::Fact>> read(std::string_view run, std::uint64_t after) override;
  Result<engine::RunHead> head(std::string_view run) override;
  Result<std::vector<engine::RunHead>> runs() override;
  Result<std::vector<engine::RunHead>> runs_of(std::string_view subject) override;

  const std::vector<event::Fact>& facts() const { return facts_; }

 private:
  Result<std::uint64_t> write(std::span<const event::NewFact> facts,
                              const std::optional<engine::Ending>& ending);

  test::Random& random_;
  engine::RunHead head_;
  std::vector<event::Fact> facts_;
};

}  // namespace capsule::simulation
