// The sign-off gate of merge: what a worklog says about the sign-off. Pure.
#pragma once

#include <string>
#include <string_view>

namespace capsule::worklog {

enum class SignOff {
  passed,
  no_section,  // no heading contains "sign-off"
  no_verdict,  // its section holds no verdict
  not_passed,  // the last verdict is another one than PASS
};

// Looks at the last section whose heading contains "sign-off" (any case; see section.h), and there
// at the last line that reads "Verdict: X" once `*`, `_` and backquotes are taken away. Blanks
// around it, and one list bullet before it, do not count. X has to be exactly PASS: the prompt's
// sample "PASS | NEEDS_WORK", "PASS, mostly", a review's verdict and a quoted "> Verdict: PASS" do
// not sign off.
SignOff sign_off_of(std::string_view worklog);

inline bool signed_off(std::string_view worklog) { return sign_off_of(worklog) == SignOff::passed; }

// One sentence for a person, without a full stop.
std::string_view describe(SignOff result);

}  // namespace capsule::worklog
