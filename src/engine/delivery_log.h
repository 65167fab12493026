// The facts of one delivery in the journal: the typed vocabulary on one side, the journal's
// envelopes on the other. Notices when somebody else has written to the run meanwhile.
#pragma once

#include <string>
#include <vector>

#include "engine/delivery_ports.h"
#include "engine/journal.h"

namespace capsule::engine {

inline constexpr std::string_view kDeliveryWorkflow = "delivery";

class DeliveryLog : public DeliveryFacts {
 public:
  // `run` need not exist yet: the first append, which must begin with delivery_started, makes it.
  DeliveryLog(Journal& journal, Clock& clock, std::string run, std::string subject)
      : journal_(journal), clock_(clock), run_(std::move(run)), subject_(std::move(subject)) {}

  Result<void> append(const std::vector<DeliveryFact>& facts) override;
  Result<std::vector<DeliveryFact>> read() override;

 private:
  Journal& journal_;
  Clock& clock_;
  std::string run_, subject_;
  std::uint64_t last_ = 0;  // seq of the newest fact that we know
};

// The typed facts among `facts`.
Result<std::vector<DeliveryFact>> delivery_facts(const std::vector<event::Fact>& facts);
// The state that they make up.
delivery::State delivery_state(const std::vector<DeliveryFact>& facts);

// One delivery of the journal.
struct DeliveryRecord {
  RunHead head;
  std::vector<DeliveryFact> facts;
  delivery::State state;
};
// Oldest first; of one subject, or of all when it is empty.
Result<std::vector<RunHead>> deliveries(Journal& journal, const std::string& subject);
Result<DeliveryRecord> read_delivery(Journal& journal, const RunHead& head);

}  // namespace capsule::engine
