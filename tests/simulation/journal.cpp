#include "tests/simulation/journal.h"

namespace capsule::simulation {

Result<std::uint64_t> MemoryJournal::begin(const engine::NewRun& run,
                                           std::span<const event::NewFact> facts) {
  if (!head_.run.empty()) return fail(Reason::exists, "there is such a run");
  if (facts.empty()) return fail(Reason::usage, "a run begins with a fact");
  const bool lost = random_.below(1000) < faults;
  if (lost && random_.chance(50)) return fail(Reason::io, "simulated: not written");
  head_.run = run.run;
  head_.workflow = run.workflow;
  head_.subject = run.subject;
  head_.started_at = run.started_at;
  auto written = write(facts, std::nullopt);
  if (lost) return fail(Reason::io, "simulated: written, but the disk says otherwise");
  return written;
}

Result<std::uint64_t> MemoryJournal::append(std::string_view run, std::uint64_t after,
                                            std::span<const event::NewFact> facts,
                                            const std::optional<engine::Ending>& ending) {
  if (head_.run != run) return fail(Reason::not_found, "no such run");
  if (after != head_.last_seq) return fail(Reason::conflict, "somebody else has appended");
  const bool lost = random_.below(1000) < faults;
  if (lost && random_.chance(50))
    return fail(random_.chance(50) ? Reason::io : Reason::blocked, "simulated: not written");
  auto written = write(facts, ending);
  if (lost) return fail(Reason::io, "simulated: written, but the disk says otherwise");
  return written;
}

Result<std::uint64_t> MemoryJournal::write(std::span<const event::NewFact> facts,
                                           const std::optional<engine::Ending>& ending) {
  for (const event::NewFact& fact : facts) {
    ++head_.last_seq;
    if (bug == Bug::lost_fact && random_.chance(10)) continue;
    for (int times = bug == Bug::fact_twice && fact.kind == twice_kind ? 2 : 1; times > 0; --times)
      facts_.push_back({head_.last_seq, head_.run, fact.kind, fact.at, fact.body});
  }
  head_.facts = facts_.size();
  if (ending) {
    head_.ended_at = ending->at;
    head_.outcome = ending->outcome;
  }
  recorded();
  return head_.last_seq;
}

Result<std::vector<event::Fact>> MemoryJournal::read(std::string_view run, std::uint64_t after) {
  if (head_.run.empty() || head_.run != run) return fail(Reason::not_found, "no such run");
  if (random_.below(1000) < faults) return fail(Reason::io, "simulated: it cannot be read");
  std::vector<event::Fact> found;
  found.reserve(facts_.size());
  for (const event::Fact& fact : facts_)
    if (fact.seq > after) found.push_back(fact);
  // What was lost on the way is not missed by who only reads.
  if (bug == Bug::lost_fact && !found.empty()) found.back().seq = head_.last_seq;
  return found;
}

Result<engine::RunHead> MemoryJournal::head(std::string_view run) {
  if (head_.run.empty() || head_.run != run) return fail(Reason::not_found, "no such run");
  return head_;
}

Result<std::vector<engine::RunHead>> MemoryJournal::runs() {
  if (head_.run.empty()) return std::vector<engine::RunHead>{};
  return std::vector<engine::RunHead>{head_};
}

Result<std::vector<engine::RunHead>> MemoryJournal::runs_of(std::string_view subject) {
  if (head_.subject != subject) return std::vector<engine::RunHead>{};
  return runs();
}

}  // namespace capsule::simulation
