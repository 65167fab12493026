// The facts of one run in the journal: the typed vocabulary on one side, the journal's envelopes on
// the other. Notices when somebody else has written to the run meanwhile.
#pragma once

#include <string>

#include "engine/journal.h"
#include "engine/ports.h"

namespace capsule::engine {

class RunLog : public FactLog {
 public:
  // `run` need not exist yet: the first append, which must begin with run_started, makes it.
  RunLog(Journal& journal, Clock& clock, std::string run)
      : journal_(journal), clock_(clock), run_(std::move(run)) {}

  Result<void> append(const std::vector<PipelineFact>& facts) override;
  // Requires: the run exists, or nothing was read or appended before. Facts of other kinds
  // (requests to pause or abort) are passed over.
  Result<std::vector<PipelineFact>> read() override;

 private:
  Journal& journal_;
  Clock& clock_;
  std::string run_;
  std::uint64_t last_ = 0;  // seq of the newest fact that we know
};

// The typed facts among `facts`.
Result<std::vector<PipelineFact>> pipeline_facts(const std::vector<event::Fact>& facts);

}  // namespace capsule::engine
