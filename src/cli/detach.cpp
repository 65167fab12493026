#include "cli/detach.h"

#include "base/print.h"
#include "cli/run_args.h"
#include "json/value.h"
#include "run/detached.h"

namespace capsule::cli {

bool wants_detach(const Args& args) { return args.flag("detach"); }

Result<int> run_detached(const Args& args) {
  const world::Project project = TRY(open_project(args));
  const run::Detached detached = TRY(run::detach(project));
  if (detached.run.empty()) {
    if (detached.exit_code == 0)
      print(detached.said);
    else
      print_error(detached.said);
    return detached.exit_code;
  }
  if (args.flag("json")) {
    const json::Value began{
        {"run", detached.run}, {"pid", static_cast<int>(detached.pid)}, {"log", detached.log}};
    print(began.compact() + "\n");
    return 0;
  }
  const auto store = TRY(world::journal_of(project));
  const world::Run run = TRY(world::read_run(*store, TRY(store->head(detached.run))));
  const std::string word = world::word_for(run) + project.option + "\n";
  print("The run of " + world::word_for(run) + " goes on without this terminal (pid " +
        std::to_string(detached.pid) + ").\n  its output:  " + printable(detached.log) +
        "\n  watch it:    capsule attach " + word + "  let it stop: capsule pause " + word +
        "  end it now:  capsule abort " + word);
  return 0;
}

}  // namespace capsule::cli
