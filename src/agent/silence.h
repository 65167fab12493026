// How long an agent's service has owed it an answer, by one look at the agent after the other. An
// agent may be silent for many reasons, and only one of them is its service's: by its events the
// next word is the model's, and nothing else is seen of it either. A tool that its client does not
// tell of shows by its process, a long answer that is streamed by the processor time that it takes
// to read it. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace capsule::agent {

// All times in milliseconds of one clock.
struct Look {
  std::int64_t at_ms = 0;
  std::int64_t heard_ms = 0;  // when its newest event came; before the first its start
  std::int64_t first_ms = 0;  // when its first event came: what began before is its client's own
  bool waits = false;         // the next word is its service's; else what follows need not be known
  std::int64_t processor_ms = 0;       // that its processes have used
  std::int64_t newest_file_ns = 0;     // the newest change in its folder
  std::int64_t newest_process_ms = 0;  // when the newest of its processes began, but for the first
};

class Silence {
 public:
  // `resting`: what its client uses of a processor while it waits, in thousandths, at most.
  // `every`: how often there is a look; much later than that the machine has slept.
  Silence(int resting, std::chrono::milliseconds every) : resting_(resting), every_(every) {}

  // For how long nothing was seen of it while it waits; 0: it does not, or something was.
  std::chrono::milliseconds look(const Look& look);

 private:
  bool sees_something(const Look& look) const;

  int resting_;
  std::chrono::milliseconds every_;
  std::optional<Look> last_;
  std::int64_t since_ms_ = 0;
};

// How often one looks at an agent with these limits.
std::chrono::milliseconds look_every(std::chrono::milliseconds limit,
                                     std::chrono::milliseconds answer_limit);

// When the time limit of an agent ends it: whether it ends because of its service. Half of that
// time without an answer is enough.
bool is_owed(std::chrono::milliseconds silent, std::chrono::milliseconds limit,
             std::chrono::milliseconds answer_limit);

}  // namespace capsule::agent
