// The facts of one run in the journal. Notices when somebody else has written to the run meanwhile.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/journal.h"

namespace capsule::engine {

class Log {
 public:
  // `run` need not exist yet: the first append makes it. The journal must outlive the log.
  Log(Journal& journal, std::string run, std::string workflow, std::string subject)
      : journal_(journal),
        run_(std::move(run)),
        workflow_(std::move(workflow)),
        subject_(std::move(subject)) {}

  // Nothing: the run does not exist yet.
  Result<std::vector<event::Fact>> read();
  // Ensures: when it returns, the facts survive a power loss, all or none of them.
  Result<void> append(std::span<const event::NewFact> facts,
                      const std::optional<Ending>& ending = std::nullopt);
  const std::string& run() const { return run_; }

 private:
  Journal& journal_;
  std::string run_, workflow_, subject_;
  std::uint64_t last_ = 0;  // seq of the newest fact that we know
};

}  // namespace capsule::engine
