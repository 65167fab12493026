// The entries that phases leave in a worklog. Pure: texts in, texts out.
#pragma once

#include <string>
#include <string_view>

namespace capsule::worklog {

// Whether the section of `phase` holds a line (not blank) that it did not hold before, or holds it
// more often. `before` and `after` are the whole worklog at the phase's start and at its end. A
// phase of a user's own leaves one when there is a new heading that names it; merge never does.
bool has_new_entry(std::string_view before, std::string_view after, std::string_view phase);

// `worklog` with `text` at the end of the phase's section, parted by blank lines from what stands
// around it. Where the worklog has no such section, one is added at its end. For a phase without a
// section of its own the text goes to the end, below a heading that names it (merge has none).
std::string with_entry(std::string_view worklog, std::string_view phase, std::string_view text);

// What a phase said of itself, as its signal has it.
struct Claim {
  std::string_view phase;
  int attempt = 1;
  std::string_view status;  // PASS, NEEDS_WORK or ERROR
  std::string_view summary;
  std::string_view feedback;
};

// The entry for a phase that left none, marked as Capsule's. Reviews and sign-off get a verdict
// line of their own. Summary and feedback stand in it as quotations, so that nothing in them can
// pass for a heading or a verdict.
std::string entry_from(const Claim& claim);

// What the checks found after a phase, beside what it said; quoted and bounded like the above.
struct Finding {
  std::string_view phase;
  int attempt = 1;
  std::string_view said;  // PASS, NEEDS_WORK or ERROR
  std::string_view found;
  bool refused = false;
  std::string_view feedback;
};
std::string finding_entry(const Finding& finding);

// That the run waits for a person, with what they are asked.
std::string waiting_entry(std::string_view question);

}  // namespace capsule::worklog
