// Puts a phase's prompt together. Pure.
#pragma once

#include <string>
#include <string_view>

namespace capsule::worklog {

// The text of a prompt file, and, when there is feedback, a section "Previous Feedback" after it.
// Without feedback the text is passed on as it is. The feedback is copied as it is.
std::string compose_prompt(std::string_view text, std::string_view feedback);

}  // namespace capsule::worklog
