#include "engine/auto_log.h"

namespace capsule::engine {

Result<std::vector<auto_fact::Fact>> auto_facts(const std::vector<event::Fact>& facts) {
  std::vector<auto_fact::Fact> typed;
  typed.reserve(facts.size());
  for (const event::Fact& fact : facts)
    typed.push_back(TRY(auto_fact::read_fact(fact.kind, fact.body)));
  return typed;
}

Result<std::vector<auto_fact::Fact>> JournalAutoLog::read() {
  const auto facts = journal_.read(run_);
  if (!facts && facts.error().reason == Reason::not_found) return std::vector<auto_fact::Fact>{};
  if (!facts) return tl::unexpected(facts.error());
  if (!facts->empty()) last_ = facts->back().seq;
  return auto_facts(*facts);
}

Result<void> JournalAutoLog::append(const auto_fact::Fact& fact) {
  const event::NewFact envelope{std::string(auto_fact::kind_of(fact)), auto_fact::time_of(fact),
                                auto_fact::body_of(fact)};
  if (last_ == 0) {
    last_ = TRY(
        journal_.begin({run_, workflow_, std::string(kAutoSubject), envelope.at}, {&envelope, 1}));
    return {};
  }
  std::optional<Ending> ending;
  if (const auto* ended = std::get_if<auto_fact::Ended>(&fact))
    ending = Ending{envelope.at, std::string(auto_fact::name_of(ended->outcome))};
  else if (std::holds_alternative<auto_fact::Resumed>(fact))
    ending = Ending{};
  last_ = TRY(journal_.append(run_, last_, {&envelope, 1}, ending));
  return {};
}

}  // namespace capsule::engine
