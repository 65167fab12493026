#include "engine/delivery_log.h"

#include <cstdlib>

namespace capsule::engine {

Result<std::vector<DeliveryFact>> delivery_facts(const std::vector<event::Fact>& facts) {
  std::vector<DeliveryFact> typed;
  typed.reserve(facts.size());
  for (const event::Fact& fact : facts)
    typed.push_back(TRY(event::delivery::read_fact(fact.kind, fact.body)));
  return typed;
}

delivery::State delivery_state(const std::vector<DeliveryFact>& facts) {
  delivery::State state;
  for (const DeliveryFact& fact : facts) delivery::apply(state, fact);
  return state;
}

Result<std::vector<DeliveryFact>> DeliveryLog::read() {
  const auto facts = journal_.read(run_);
  if (!facts && facts.error().reason == Reason::not_found) return std::vector<DeliveryFact>{};
  if (!facts) return tl::unexpected(facts.error());
  if (!facts->empty()) last_ = facts->back().seq;
  return delivery_facts(*facts);
}

Result<void> DeliveryLog::append(const std::vector<DeliveryFact>& facts) {
  std::vector<event::NewFact> envelopes;
  envelopes.reserve(facts.size());
  std::optional<Ending> ending;
  const std::string now = clock_.utc_now();
  for (const DeliveryFact& fact : facts) {
    envelopes.push_back(
        {std::string(event::delivery::kind_of(fact)), now, event::delivery::body_of(fact)});
    if (const auto* end = std::get_if<event::delivery::DeliveryEnded>(&fact))
      ending = Ending{now, std::string(event::delivery::name_of(end->outcome))};
    else if (std::holds_alternative<event::delivery::DeliveryResumed>(fact))
      ending = Ending{};
  }
  if (last_ == 0) {
    if (facts.empty() || !std::holds_alternative<event::delivery::DeliveryStarted>(facts.front()))
      std::abort();  // a delivery begins with its start
    last_ = TRY(journal_.begin({run_, std::string(kDeliveryWorkflow), subject_, now}, envelopes));
    if (ending) last_ = TRY(journal_.append(run_, last_, {}, ending));
    return {};
  }
  last_ = TRY(journal_.append(run_, last_, envelopes, ending));
  return {};
}

Result<std::vector<RunHead>> deliveries(Journal& journal, const std::string& subject) {
  std::vector<RunHead> heads = TRY(subject.empty() ? journal.runs() : journal.runs_of(subject));
  std::erase_if(heads, [](const RunHead& head) { return head.workflow != kDeliveryWorkflow; });
  return heads;
}

Result<DeliveryRecord> read_delivery(Journal& journal, const RunHead& head) {
  DeliveryRecord record;
  record.head = head;
  record.facts = TRY(delivery_facts(TRY(journal.read(head.run, 0))));
  record.state = delivery_state(record.facts);
  return record;
}

}  // namespace capsule::engine
