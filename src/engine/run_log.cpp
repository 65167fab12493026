#include "engine/run_log.h"

namespace capsule::engine {

Result<std::vector<PipelineFact>> pipeline_facts(const std::vector<event::Fact>& facts) {
  std::vector<PipelineFact> typed;
  typed.reserve(facts.size());
  for (const event::Fact& fact : facts)
    typed.push_back(TRY(event::read_fact(fact.kind, fact.body)));
  return typed;
}

Result<std::vector<PipelineFact>> RunLog::read() {
  const auto facts = journal_.read(run_);
  if (!facts && facts.error().reason == Reason::not_found) return std::vector<PipelineFact>{};
  if (!facts) return tl::unexpected(facts.error());
  if (!facts->empty()) last_ = facts->back().seq;
  return pipeline_facts(*facts);
}

Result<void> RunLog::append(const std::vector<PipelineFact>& facts) {
  std::vector<event::NewFact> envelopes;
  std::optional<Ending> ending;
  const std::string now = clock_.utc_now();
  for (const PipelineFact& fact : facts) {
    envelopes.push_back({std::string(event::kind_of(fact)), now, event::body_of(fact)});
    if (const auto* end = std::get_if<event::RunEnded>(&fact))
      ending = Ending{now, std::string(event::name_of(end->outcome))};
    else if (std::holds_alternative<event::RunResumed>(fact))
      ending = Ending{};
  }
  if (last_ == 0) {
    const auto* started = std::get_if<event::RunStarted>(&facts.front());
    if (started == nullptr) std::abort();  // a run begins with its start
    last_ = TRY(journal_.begin({run_, "pipeline", started->bead, now}, envelopes));
    return {};
  }
  last_ = TRY(journal_.append(run_, last_, envelopes, ending));
  return {};
}

}  // namespace capsule::engine
