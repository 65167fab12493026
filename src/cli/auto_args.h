// What the commands of auto mode share: the folder they work in and the words they take.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/commands.h"
#include "workflow/auto/state.h"

namespace capsule::cli {

inline constexpr Positional kAutoTask[] = {{"TASK", "What to do; - reads it from stdin"}};
inline constexpr Option kSkipExpansion{"skip-expansion", "", "Begin with init"};
inline constexpr Option kSkipQa{"skip-qa", "", "Skip qa"};
inline constexpr Option kSkipReview{"skip-review", "", "Skip review, fix and check"};
inline constexpr Option kSkipReflect{"skip-reflect", "", "Skip reflect"};
inline constexpr Option kMaxIterationsOption{"max-iterations", "N",
                                             "How often a phase may be told to go on", "", "20"};
inline constexpr Option kNoParallelValidation{"no-parallel-validation", "",
                                              "Run the reviewers one after the other"};

// The top of the repository that --project-dir (here by default) is in, or that folder itself.
Result<std::string> auto_folder(const Args& args);

// The flags above. Error usage: --max-iterations is no positive number.
struct AutoWords {
  auto_mode::Config config;
  std::int64_t max_iterations = auto_mode::kMaxIterations;
};
Result<AutoWords> auto_words(const Args& args);

// The session that a command is called in: --session, where the command has it, else what the
// client says in CLAUDE_CODE_SESSION_ID. Empty: in none. Error usage: --session cannot be an id.
Result<std::string> session_argument(const Args& args);

// On stderr, as world::Warn wants it.
void warn_of(const std::string& sentence);

// Where the client would call the Stop hook more than once at a stop in this project: a line on
// stderr, and how to mend it.
void warn_of_doubled_hook(const std::string& folder);

// The first positional; "-" reads it from stdin. Error usage: it is empty, or longer than that.
inline constexpr std::size_t kMaxTaskArgument = std::size_t{128} << 10;
Result<std::string> task_argument(const Args& args);

}  // namespace capsule::cli
