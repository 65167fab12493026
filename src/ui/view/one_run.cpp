#include "ui/view/one_run.h"

namespace capsule::view {

OneRun::OneRun(const engine::RunHead& head) : run_(head.run) {
  fold_.head(head);
  fold_.holder(run_, engine::Holder{head.subject, run_, {}, head.started_at});
}

void OneRun::recall(const std::vector<event::Fact>& facts) {
  for (const event::Fact& fact : facts) {
    fold_.apply(fact);
    seq_ = fact.seq;
  }
}

void OneRun::take(std::span<const event::NewFact> facts) {
  for (const event::NewFact& fact : facts)
    fold_.apply({++seq_, run_, fact.kind, fact.at, fact.body});
}

void OneRun::leave() { fold_.holder(run_, std::nullopt); }

}  // namespace capsule::view
