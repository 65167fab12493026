// capsule ledger: how often what agents claimed was true.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "ui/ledger_text.h"
#include "world/runs.h"

namespace capsule::cli {
namespace {

constexpr Option kLedgerOptions[] = {kProjectDir,
                                     {"by", "WHAT", "Count by this alone (else: by model and role)",
                                      "role|phase|provider|model|workflow"},
                                     kJson};

Result<int> show(const Args& args) {
  const world::Project project = TRY(open_project(args));
  ui::Ledger ledger{{"model", "role"}};
  if (const auto by = args.option("by")) ledger.columns = {std::string(*by)};
  if (const auto store = TRY(world::journal_of(project))) {
    for (const engine::RunHead& head : TRY(store->runs())) {
      const world::Run run = TRY(world::read_run(*store, head));
      if (!run.unreadable.empty())
        print_error("capsule: " + head.run + ": " + printable(run.unreadable) + "\n");
      ui::count_claims(ledger, run.summary);
    }
  }
  print(args.flag("json") ? ui::ledger_json(ledger) : ui::ledger_table(ledger));
  return 0;
}

}  // namespace

constexpr Command kLedgerCommand{
    .path = "ledger",
    .summary = "Show how often the claims of agents were true",
    .details =
        "Every claim that Capsule checked, in all runs of the project, whatever their "
        "workflow: true, differs (no harm done, such as a file left out of files_changed), "
        "false (the work went back), unchecked (no test command). By model, role (in the "
        "pipeline: the phase) and claim, or by what --by names. The model is the one that "
        "answered, where its client tells it, else the one that was asked for, else its "
        "provider's default. Below: what the agents of each group used and cost.",
    .options = kLedgerOptions,
    .run = show,
    .errors = Errors::two,
    .examples =
        "  capsule ledger\n  capsule ledger --by=provider\n"
        "  capsule ledger --json | jq '.[] | select(.false > 0)'",
};

}  // namespace capsule::cli
