#include "gate/watch.h"

#include "gate/judge.h"

namespace capsule::gate {

workflow::CheckProgress Watch::begin(const About& about, const std::string& name,
                                     const std::string& command) {
  workflow::CheckProgress begun;
  begun.id = next_++;
  begun.task = about.task;
  begun.what = about.what;
  begun.name = name;
  begun.command = command;
  tell(begun);
  return begun;
}

void Watch::end(workflow::CheckProgress begun, const Verdict& verdict) {
  begun.ended = true;
  begun.run = run_of(verdict, false, false);
  tell(begun);
}

}  // namespace capsule::gate
