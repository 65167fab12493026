// capsule notify: how people are told that something needs one of them, shown and tried.
#include "base/print.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "run/notifying.h"
#include "ui/config_text.h"

namespace capsule::cli {
namespace {

constexpr Option kOptions[] = {
    {"test", "", "Send a sample by every way that the configuration names"},
    {"kind", "KIND", "What the sample is about",
     "question|choice|approval|failed|refused|stalled|cut_off|budget|quota|complete", "question"},
    {"show", "SERVICE", "Print a ready entry for a service", notify::kServices},
    kProjectDir};

Result<int> notify(const Args& args) {
  if (const auto service = args.option("show")) {
    print(notify::ready_entry(*service));
    return 0;
  }
  const world::Project project = TRY(open_project(args));
  if (project.config.notify.empty()) {
    print(
        "Nobody is told when something waits: the configuration has no notify.\n\n"
        "See a ready entry:\n  capsule notify --show=ntfy\n");
    return args.flag("test") ? 1 : 0;
  }
  if (args.flag("test"))
    return TRY(run::send_samples(project, args.option("kind").value_or("question"), print)) ? 0 : 1;
  print("When something comes to need a person, a run tells:\n" + ui::ways_text(project.config) +
        "\nTry them:\n  capsule notify --test\n");
  return 0;
}

}  // namespace

constexpr Command kNotifyCommand{
    .path = "notify",
    .summary = "Show and try how people are told that something waits",
    .details =
        "A run tells once, when something enters the inbox (see 'capsule inbox'): a "
        "question, a failure, a merge that waits. Never about progress, not in quiet "
        "hours, and not while somebody uses the dashboard or the page. 'notify' in the "
        "configuration says by which ways: the desktop, the terminal's bell, or any "
        "command, which gets the notice on its standard input. What is sent names run, "
        "task and the command that settles it; the words of titles and questions only with "
        "'text: true'. A command that fails harms no run.\n\n"
        "Exit codes: 0; 1 with --test: some way failed, or there is none; 2 an error.",
    .options = kOptions,
    .run = notify,
    .examples =
        "  capsule notify --show=slack\n  capsule notify --test\n"
        "  capsule notify --test --kind=failed",
};

}  // namespace capsule::cli
