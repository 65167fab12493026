// What agents used, as the journal has it, over all runs of a project. Reads only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/journal.h"
#include "event/supply.h"
#include "workflow/summary.h"

namespace capsule::world {

struct Call {
  engine::RunHead run;
  event::supply::AgentUsed used;
};
// Of one run, in their order. Errors: those of the journal.
Result<std::vector<Call>> calls_of(engine::Journal& journal, const engine::RunHead& run);
// Of runs that did not end before `since`, a time as the journal writes it; empty: of all. Runs
// whose facts cannot be read are passed over.
Result<std::vector<Call>> calls_of(engine::Journal& journal, const std::string& since = {});

// One call more: sums of what is known, and how many calls told nothing.
void add_call(workflow::Usage& usage, const event::supply::AgentUsed& call);

// What other runs than one's own have spent in a day. Reads each fact once: ask the same object
// again.
class SpentElsewhere {
 public:
  // `journal` must outlive it.
  SpentElsewhere(engine::Journal& journal, std::string own)
      : journal_(journal), own_(std::move(own)) {}
  std::int64_t micros(const std::string& day);

 private:
  struct Seen {
    std::uint64_t last = 0;
    std::map<std::string, std::int64_t> by_day;
  };
  engine::Journal& journal_;
  const std::string own_;
  std::map<std::string, Seen> runs_;
};

}  // namespace capsule::world
