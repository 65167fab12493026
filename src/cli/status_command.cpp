// capsule status: what the runs of this project did, or are doing. Reads only.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/fill.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "git/branch.h"
#include "ui/delivery_status.h"
#include "ui/run_view.h"
#include "ui/view.h"
#include "workspace/workspace.h"
#include "world/delivery_plan.h"

namespace capsule::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Positional kPositionals[] = {
    {"BEAD", "Tell everything about this bead's run, or about the delivery of this plan", false}};
constexpr Option kOptions[] = {kProjectDir, kJson};

std::string where(const pipeline::State& state) {
  if (state.step == pipeline::Step::run_phase || state.open)
    return std::string(name_of(state.phase)) + " (attempt " + std::to_string(state.attempt) + "/" +
           std::to_string(state.max_retries) + ")";
  return "stage " + std::to_string(pipeline::stage_of(state)) + " of 5";
}

// How the run ended, or where it is and who works on it.
std::string state_line(const ui::RunView& view, const ui::Style& style) {
  const pipeline::State& state = view.report.state;
  if (view.live())
    return toned(style, ui::Tone::strong,
                 std::string(style.unicode ? "▶" : ">") + " running: " + where(state)) +
           ", " + ui::words_of(*view.holder);
  if (view.ended()) return ui::outcome_line(state, style);
  return toned(style, ui::Tone::warn,
               std::string(ui::mark(style, signal::Status::needs_work)) + " cut off in " +
                   where(state)) +
         "; the same command goes on";
}

std::string when(const ui::RunView& view) {
  return ui::minute_of(view.head.ended_at.empty() ? view.head.started_at : view.head.ended_at);
}

Json json_of(const ui::RunView& view) {
  const pipeline::State& state = view.report.state;
  Json result{{"bead", view.head.subject},
              {"title", state.title},
              {"run", view.head.run},
              {"state", view.live()    ? "running"
                        : view.ended() ? "ended"
                                       : "cut_off"},
              {"outcome", nullptr},
              {"phase", nullptr},
              {"attempt", nullptr},
              {"max_retries", state.max_retries},
              {"started_at", view.head.started_at},
              {"ended_at", nullptr},
              {"holder", nullptr}};
  if (view.ended()) {
    result["outcome"] = name_of(state.outcome);
    result["ended_at"] = view.head.ended_at;
  } else {
    result["phase"] = name_of(state.phase);
    result["attempt"] = state.attempt;
  }
  if (view.holder)
    result["holder"] = {{"pid", view.holder->process.pid}, {"host", view.holder->process.host}};
  return result;
}

Json details_of(const ui::RunView& view, const world::Project& project) {
  Json result = json_of(view);
  const pipeline::State& state = view.report.state;
  result["detail"] = state.detail;
  Json phases = Json::array();
  for (const ui::PhaseLine& line : view.report.phases)
    phases.push_back({{"phase", name_of(line.phase)},
                      {"runs", line.runs},
                      {"last", signal::name_of(line.last)},
                      {"duration_ms", line.duration_ms}});
  result["phases"] = phases;
  result["remarks"] = view.report.remarks;
  const std::string worktree = workspace::worktree_path(project.repository, view.head.subject);
  result["worktree"] = exists(worktree) ? Json(worktree) : Json();
  result["snapshots"] = "refs/capsule/" + view.head.run;
  result["merged_as"] = view.report.merged_as.empty() ? Json() : Json(view.report.merged_as);
  result["archive"] = view.report.archive.empty() ? Json() : Json(view.report.archive);
  return result;
}

void print_json(const Json& json) {
  print(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string main_branch_of(const world::Project& project) {
  const auto tips = git::find_tips(project.repository, project.config.main_branch, "");
  return tips ? tips->main_ref.substr(std::string_view("refs/heads/").size()) : "main";
}

// A live or cut-off run has no end to sum up: its phases so far, and what a person can do.
std::string unfinished(const ui::RunView& view, const world::Project& project,
                       const ui::Style& style) {
  const pipeline::State& state = view.report.state;
  const std::string bead = view.head.subject;
  std::string text = "\n" + toned(style, ui::Tone::strong, printable(bead + ": " + state.title)) +
                     "\n  " + state_line(view, style) + "\n  started " +
                     ui::minute_of(view.head.started_at) + " UTC\n";
  if (!view.report.phases.empty()) text += "\n";
  for (const ui::PhaseLine& line : view.report.phases)
    text += "  " + padded(name_of(line.phase), 16) +
            toned(style, ui::tone_of(line.last),
                  std::string(ui::mark(style, line.last)) + " " +
                      padded(signal::name_of(line.last), 11)) +
            padded(std::to_string(line.runs) + (line.runs == 1 ? " run" : " runs"), 9) +
            ui::duration(line.duration_ms) + "\n";
  for (const std::string& remark : view.report.remarks) text += "  ! " + printable(remark) + "\n";
  if (!state.worktree.empty()) text += "  worktree: " + printable(state.worktree) + "\n";
  text += "\nWhat next:\n";
  return text + (view.live() ? "  capsule log " + bead + project.option + " --follow\n"
                             : "  capsule run " + bead + project.option + "\n");
}

std::string told(const ui::RunView& view, const world::Project& project, const ui::Style& style) {
  std::string text;
  if (view.live() || !view.ended()) {
    text = unfinished(view, project, style);
  } else {
    ui::Surroundings around;
    around.project_option = project.option;
    around.main_branch = main_branch_of(project);
    around.last_words =
        ui::last_words(workspace::worktree_path(project.repository, view.head.subject), view.facts);
    around.worktree_gone = !exists(workspace::worktree_path(project.repository, view.head.subject));
    around.notes.push_back("ended " + ui::minute_of(view.head.ended_at) + " UTC");
    text = ui::summary(view.report, around, style);
  }
  return text.substr(1) + "\nIts snapshots:\n  capsule snapshots " + view.head.subject +
         project.option + "\n";
}

Result<int> tell_one(const Args& args, const world::Project& project, store::Store* store) {
  const std::string bead = TRY(bead_argument(args));
  const auto view = store == nullptr ? std::nullopt : TRY(ui::newest_run(*store, *store, bead));
  if (!view)
    return fail(Reason::not_found, "there is no run of " + bead,
                "start one: capsule run " + bead + project.option);
  if (args.flag("json"))
    print_json(details_of(*view, project));
  else
    print(told(*view, project, ui::style_for(STDOUT_FILENO)));
  return 0;
}

// Tells about the newest delivery of the plan that the first word names; the exit code. nullopt:
// there is none of it, so the word means something else.
Result<std::optional<int>> tell_delivery(const Args& args, const world::Project& project,
                                         store::Store& store) {
  const std::string word(args.positional(0).value_or(""));
  const auto source = world::find_plan(word);
  if (!source) return std::nullopt;
  const std::vector<engine::RunHead> heads = TRY(engine::deliveries(store, source->subject));
  if (heads.empty()) return std::nullopt;
  const engine::DeliveryRecord record = TRY(engine::read_delivery(store, heads.back()));
  const auto holder = TRY(store.holder(source->subject));
  print(args.flag("json") ? ui::delivery_status_json(record, holder)
                          : ui::delivery_status_page(record, holder, ui::style_for(STDOUT_FILENO),
                                                     word, project.option));
  return 0;
}

// Every delivery on a line, below the runs of single beads.
Result<void> tell_deliveries(store::Store& store, const ui::Style& style) {
  for (const engine::RunHead& head : TRY(engine::deliveries(store, ""))) {
    const engine::DeliveryRecord record = TRY(engine::read_delivery(store, head));
    print(ui::delivery_status_line(record, TRY(store.holder(head.subject)), style) + "\n");
  }
  return {};
}

Result<int> tell_all(const Args& args, const world::Project& project, store::Store* store) {
  const std::vector<ui::RunView> views =
      store == nullptr ? std::vector<ui::RunView>() : TRY(ui::newest_runs(*store, *store));
  if (args.flag("json")) {
    Json list = Json::array();
    for (const ui::RunView& view : views) list.push_back(json_of(view));
    print_json(list);
    return 0;
  }
  if (views.empty() && (store == nullptr || TRY(engine::deliveries(*store, "")).empty()))
    print("No runs yet. Start one: capsule run BEAD" + project.option + "\n");
  std::size_t ids = 0;
  for (const ui::RunView& view : views) ids = std::max(ids, view.head.subject.size());
  const ui::Style style = ui::style_for(STDOUT_FILENO);
  constexpr std::size_t kTitle = 32;
  for (const ui::RunView& view : views) {
    const std::string title = ui::fitted(view.report.state.title, kTitle);
    print(padded(view.head.subject, ids + 1) + " " + when(view) + "  " + title +
          std::string(kTitle + 1 - std::min(kTitle, columns_of(title)), ' ') + " " +
          state_line(view, style) + "\n");
  }
  if (store != nullptr) TRY_VOID(tell_deliveries(*store, style));
  return 0;
}

int status_main(const Args& args) {
  const auto code = [&]() -> Result<int> {
    const world::Project project = TRY(open_project(args));
    const auto store = TRY(world::journal_of(project));
    if (!args.positional(0)) return tell_all(args, project, store.get());
    if (store != nullptr)
      if (const auto told = TRY(tell_delivery(args, project, *store))) return *told;
    return tell_one(args, project, store.get());
  }();
  return code ? *code : report(code.error(), code.error().reason == Reason::usage ? 2 : 1);
}

}  // namespace

Command status_command() {
  return {.path = "status",
          .summary = "Show what the runs of this project did, or are doing",
          .details =
              "Without BEAD: the newest run of each bead on a line, with its outcome, or the phase "
              "it is in and the process that works on it. With BEAD: phase by phase, with its "
              "worktree, its snapshots and what to do next. With a plan that is or was delivered: "
              "task by task. Only reads, also while a run is going on.\n\nExit codes: 0 shown; 1 "
              "there is no run of BEAD; 2 wrong usage.",
          .positionals = kPositionals,
          .options = kOptions,
          .run = status_main,
          .examples =
              "  capsule status\n  capsule status demo-1.1.1\n"
              "  capsule status --json | jq '.[] | select(.state == \"running\")'"};
}

}  // namespace capsule::cli
