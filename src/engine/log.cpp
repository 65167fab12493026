#include "engine/log.h"

namespace capsule::engine {

Result<std::vector<event::Fact>> Log::read() {
  auto facts = journal_.read(run_);
  if (!facts && facts.error().reason == Reason::not_found) return std::vector<event::Fact>{};
  if (!facts) return tl::unexpected(facts.error());
  if (!facts->empty()) last_ = facts->back().seq;
  return facts;
}

Result<void> Log::append(std::span<const event::NewFact> facts,
                         const std::optional<Ending>& ending) {
  if (facts.empty()) return {};
  if (last_ != 0) {
    last_ = TRY(journal_.append(run_, last_, facts, ending));
    return {};
  }
  last_ = TRY(journal_.begin({run_, workflow_, subject_, facts.front().at}, facts));
  if (ending) last_ = TRY(journal_.append(run_, last_, {}, ending));
  return {};
}

}  // namespace capsule::engine
