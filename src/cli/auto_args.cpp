#include "cli/auto_args.h"

#include <cstdlib>

#include "base/print.h"
#include "base/text.h"
#include "client/hook_install.h"
#include "command_line/input.h"
#include "world/project.h"

namespace capsule::cli {

Result<std::string> auto_folder(const Args& args) {
  return world::repository_folder(std::string(args.option("project-dir").value_or(".")));
}

void warn_of(const std::string& sentence) { print_error("capsule: " + sentence + "\n"); }

void warn_of_doubled_hook(const std::string& folder) {
  const client::Doubled doubled = client::doubled_hook(client::claude_folders(folder));
  if (doubled.sentence.empty()) return;
  warn_of(doubled.sentence + "; to keep one: " + joined(doubled.mend, "; "));
}

Result<std::string> session_argument(const Args& args) {
  // It stands in a state file and in messages, and is compared with what the client tells the hook.
  const auto is_id = [](std::string_view text) {
    constexpr std::size_t kMaxIdBytes = 200;
    for (const char c : text)
      if (c <= ' ' || c > '~') return false;
    return !text.empty() && text.size() <= kMaxIdBytes;
  };
  if (const auto given = args.option("session")) {
    if (!is_id(*given))
      return fail(Reason::usage,
                  "--session takes the id of a session, not '" + printable(cut(*given, 100)) + "'");
    return std::string(*given);
  }
  const char* told = std::getenv("CLAUDE_CODE_SESSION_ID");
  return told != nullptr && is_id(told) ? told : "";
}

Result<AutoWords> auto_words(const Args& args) {
  AutoWords words;
  words.config.skip_expansion = args.flag("skip-expansion");
  words.config.skip_qa = args.flag("skip-qa");
  words.config.skip_review = args.flag("skip-review");
  words.config.skip_reflect = args.flag("skip-reflect");
  words.config.parallel_validation = !args.flag("no-parallel-validation");
  if (const auto text = args.option("max-iterations")) {
    const auto number = command_line::number_in(*text, 1, std::numeric_limits<std::int64_t>::max());
    if (!number)
      return fail(Reason::usage,
                  "--max-iterations takes a positive number, not '" + printable(*text) + "'");
    words.max_iterations = *number;
  }
  return words;
}

Result<std::string> task_argument(const Args& args) {
  std::string task(args.positional(0).value_or(""));
  if (task == "-") {
    command_line::Input input = command_line::Input::standard_input();
    task = TRY(input.whole());
  }
  task = trimmed(task);
  if (task.empty()) return fail(Reason::usage, "the task is empty");
  if (task.size() > kMaxTaskArgument)
    return fail(Reason::usage, "the task is longer than 128 KiB",
                "write it into a file of the project, and name the file in the task");
  return task;
}

}  // namespace capsule::cli
