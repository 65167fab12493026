#include "cli/auto_args.h"

#include <charconv>

#include "base/print.h"
#include "base/text.h"
#include "command_line/input.h"
#include "world/project.h"

namespace capsule::cli {

Result<std::string> auto_folder(const Args& args) {
  return world::repository_folder(std::string(args.option("project-dir").value_or(".")));
}

void warn_of(const std::string& sentence) { print_error("capsule: " + sentence + "\n"); }

Result<AutoWords> auto_words(const Args& args) {
  AutoWords words;
  words.config.skip_expansion = args.flag("skip-expansion");
  words.config.skip_qa = args.flag("skip-qa");
  words.config.skip_review = args.flag("skip-review");
  words.config.skip_reflect = args.flag("skip-reflect");
  words.config.parallel_validation = !args.flag("no-parallel-validation");
  if (const auto text = args.option("max-iterations")) {
    const char* end = text->data() + text->size();
    const auto read = std::from_chars(text->data(), end, words.max_iterations);
    if (read.ec != std::errc() || read.ptr != end || words.max_iterations < 1)
      return fail(Reason::usage,
                  "--max-iterations takes a positive number, not '" + printable(*text) + "'");
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
  return task;
}

}  // namespace capsule::cli
