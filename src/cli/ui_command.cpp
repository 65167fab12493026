// capsule ui, capsule dashboard: everything that goes on, on one terminal.
#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "dashboard/dashboard.h"
#include "terminal/screen.h"

namespace capsule::cli {
namespace {

constexpr Option kUiOptions[] = {
    kProjectDir,
    {"picture", "FILE", "Write the screen to FILE as an SVG picture instead; needs no terminal"},
    {"keys", "KEYS", "Keys to press before, parted by blanks: 'b down 2'"},
    {"size", "COLUMNSxROWS", "How large the picture is", "", "120x36"},
};

// "120x36"; error usage: it is not of that form, or nothing for a screen.
Result<dashboard::Picture> picture_words(const Args& args) {
  dashboard::Picture wanted;
  wanted.keys = args.option("keys").value_or("");
  const auto size = args.option("size");
  if (!size) return wanted;
  const std::size_t x = size->find('x');
  const auto columns = command_line::number_in(size->substr(0, x), 1, 1000);
  const auto rows = command_line::number_in(x == size->npos ? "" : size->substr(x + 1), 1, 1000);
  if (!columns || !rows)
    return fail(Reason::usage, "'" + printable(size->substr(0, 40)) + "' is no size",
                "columns and rows, such as --size=120x36");
  wanted.columns = static_cast<int>(*columns);
  wanted.rows = static_cast<int>(*rows);
  return wanted;
}

Result<int> show_dashboard(const Args& args) {
  const auto picture = args.option("picture");
  if (!picture && (args.option("keys") || args.option("size")))
    return fail(Reason::usage, "--keys and --size are for a picture",
                "capsule ui --picture=board.svg --keys=b");
  if (!picture) return dashboard::show(TRY(open_project(args)), commands());
  const dashboard::Picture wanted = TRY(picture_words(args));
  const std::string svg = TRY(dashboard::picture(TRY(open_project(args)), commands(), wanted));
  TRY_VOID(write_file(absolute_path(*picture), svg));
  return 0;
}

}  // namespace

std::optional<int> dashboard_alone() {
  if (!terminal::can_show()) return {};
  const auto project = world::open_project({});
  if (!project || !dashboard::has_something(*project)) return {};
  const Result<int> shown = dashboard::show(*project, commands());
  if (shown) return *shown;
  report(shown.error());
  return command_line::exit_code(shown.error().reason, Errors::two);
}

constexpr Command kUiCommand{
    .path = "ui",
    .summary = "Watch and steer all runs, on this terminal",
    .details =
        "What needs you, the runs, each with a board of its tasks or phases, what agents said "
        "beside what was checked, diffs, transcripts, a timeline with replay, the plan as a "
        "graph, the beads to start from, history and ledger. '?' shows the keys of a screen; "
        "each that does something names the command that does the same, and 'y' copies it.\n\n"
        "It follows the journal, so it shows runs that other terminals started. 'q' leaves, and "
        "everything goes on. 'capsule' alone does the same on a terminal inside a project that "
        "has runs or beads.\n\nExit codes: 0 left; 2 there is no terminal, or an error.",
    .options = kUiOptions,
    .run = show_dashboard,
    .errors = Errors::two,
    .alias = "dashboard",
    .examples =
        "  capsule ui\n  capsule ui --project-dir=~/calculator\n"
        "  capsule ui --picture=board.svg --keys='b down 2' --size=100x30",
};

}  // namespace capsule::cli
