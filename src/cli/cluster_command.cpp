// capsule cluster init, capsule cluster status: journals in a database that many machines share.
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "git/remote.h"
#include "ui/cluster_text.h"
#include "world/journal.h"
#include "world/journal_move.h"

namespace capsule::cli {
namespace {

constexpr Positional kAddress[] = {
    {"ADDRESS", "The database, postgres://USER@HOST/DATABASE, as its owner"}};
constexpr Positional kOtherAddress[] = {
    {"ADDRESS", "The database; without it, that of CAPSULE_JOURNAL", false}};
constexpr Option kLookOptions[] = {kProjectDir, kJsonObject};

Result<world::DatabasePart*> part() {
  if (world::DatabasePart* there = world::database_part()) return there;
  return fail(Reason::missing_program, "this program has no database part");
}

// Where the main is that work goes to.
Result<world::Database> with_main(world::Database found, const world::Project& project) {
  const auto remote = TRY(git::find_remote(project.repository, project.config.remote));
  if (remote) found.remote = remote->shown;
  return found;
}

Result<int> set_up_database(const Args& args) {
  const world::Project project = TRY(open_project(args));
  world::DatabasePart* const database = TRY(part());
  const world::Database made = TRY(
      with_main(TRY(database->set_up(std::string(args.positional(0).value_or("")), project.root())),
                project));
  print((made.set_up ? "" : "Nothing was missing.\n") + ui::database_text(made) +
        "Others may work with it once they are granted a role: GRANT capsule_worker TO …\n"
        "On each machine, in a clone of the project: export CAPSULE_JOURNAL=postgres://…\n");
  return 0;
}

Result<int> look_at_database(const Args& args) {
  const world::Project project = TRY(open_project(args));
  world::DatabasePart* const database = TRY(part());
  const std::string address(args.positional(0).value_or(""));
  if (address.empty() && world::journal_address().empty())
    return fail(Reason::usage, "which database?",
                "capsule cluster status postgres://…, or set CAPSULE_JOURNAL");
  const world::Database found =
      TRY(with_main(TRY(database->look(address, project.root())), project));
  print(args.flag("json") ? ui::database_json(found) : ui::database_text(found));
  return ui::missing_in(found).empty() ? 0 : 1;
}

int say_moved(const world::Moved& moved, const char* where) {
  print("Moved " + counted(moved.runs, "run") + " " + where + ", with " +
        counted(moved.facts, "fact") + " that were not there\n");
  return 0;
}

Result<world::Project> project_and_database(const Args& args) {
  if (world::journal_address().empty())
    return fail(Reason::usage, "which database?", "export CAPSULE_JOURNAL=postgres://…");
  return open_project(args);
}

Result<int> import_runs(const Args& args) {
  const world::Project project = TRY(project_and_database(args));
  return say_moved(TRY(world::import_journal(project)), "into the database");
}

Result<int> export_runs(const Args& args) {
  const world::Project project = TRY(project_and_database(args));
  return say_moved(TRY(world::export_journal(project)), "into this folder");
}

constexpr Command kClusterRows[] = {
    {.path = "cluster init",
     .summary = "Keep the journal in a database that machines share",
     .details =
         "Creates the tables, the functions that are the only way to use them, and the roles "
         "capsule_reader and capsule_worker, and adds the project. Run again, it brings "
         "them up to date, or changes nothing. A project is known by the first commit of "
         "its history, so each clone of it is the same project.\n\n"
         "Exit codes: 0 ready; 1 refused by the database; 2 an error.",
     .positionals = kAddress,
     .options = kProjectOnly,
     .run = set_up_database,
     .examples = "  capsule cluster init postgres://owner@db.example/capsule",
     .people_only = true},
    {.path = "cluster status",
     .summary = "Show that database, and who works on what",
     .details = "Exit codes: 0 this project can be worked on; 1 something is missing, which "
                "is said; 2 an error.",
     .positionals = kOtherAddress,
     .options = kLookOptions,
     .run = look_at_database,
     .alias = "cluster check",
     .examples = "  capsule cluster status --json | jq .at_work"},
    {.path = "cluster import",
     .summary = "Move the journal of this clone into the database",
     .details =
         "All runs, ended or not, go on there: from now on this clone is only worked on with "
         "CAPSULE_JOURNAL. What is being worked on must end or be paused first. Run "
         "again after it was cut off, it goes on.\n\n"
         "Exit codes: 0 moved; 1 somebody works on a run; 2 an error.",
     .options = kProjectOnly,
     .run = import_runs,
     .examples = "  capsule cluster import",
     .people_only = true},
    {.path = "cluster export",
     .summary = "Move the journal back from the database into this folder",
     .details = "The counterpart of 'capsule cluster import': all runs that were begun in this "
                "clone go on in its folder, without a database. Those of other clones stay.\n\n"
                "Exit codes: 0 moved; 1 somebody works on a run; 2 an error.",
     .options = kProjectOnly,
     .run = export_runs,
     .examples = "  capsule cluster export && unset CAPSULE_JOURNAL",
     .people_only = true}};

}  // namespace

std::span<const Command> cluster_commands() { return kClusterRows; }

}  // namespace capsule::cli
