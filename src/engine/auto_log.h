// The facts of a run of auto mode in the journal: the typed vocabulary on one side, the journal's
// envelopes on the other.
#pragma once

#include <string>

#include "engine/auto_ports.h"
#include "engine/journal.h"

namespace capsule::engine {

inline constexpr std::string_view kAutoWorkflow = "auto";                 // headless
inline constexpr std::string_view kAutoSessionWorkflow = "auto-session";  // held by the hook
// One at a time in a project. No bead has such an id.
inline constexpr std::string_view kAutoSubject = "auto mode";

Result<std::vector<auto_fact::Fact>> auto_facts(const std::vector<event::Fact>& facts);

class JournalAutoLog : public AutoLog {
 public:
  // `run` need not exist yet: the first append makes it.
  JournalAutoLog(Journal& journal, std::string run, std::string_view workflow = kAutoWorkflow)
      : journal_(journal), run_(std::move(run)), workflow_(workflow) {}
  Result<void> append(const auto_fact::Fact& fact) override;
  Result<std::vector<auto_fact::Fact>> read() override;

 private:
  Journal& journal_;
  std::string run_;
  std::string workflow_;
  std::uint64_t last_ = 0;  // seq of the newest fact that we know
};

}  // namespace capsule::engine
