#include "cli/run_view.h"

#include <algorithm>

#include "base/text.h"
#include "engine/run_log.h"

namespace capsule::cli {
namespace {

Result<RunView> view_of(store::Store& store, const engine::RunHead& head) {
  RunView view;
  view.head = head;
  view.facts = TRY(engine::pipeline_facts(TRY(store.read(head.run, 0))));
  view.report = ui::report_of(view.facts);
  view.holder = TRY(store.holder(head.subject));
  return view;
}

}  // namespace

Result<std::unique_ptr<store::Store>> journal_of(const Project& project) {
  auto store = store::Store::open(project.root(), store::Access::read_only);
  if (!store && store.error().reason == Reason::not_found) return nullptr;
  return store;
}

Result<std::optional<RunView>> newest_run(store::Store& store, const std::string& bead) {
  const std::vector<engine::RunHead> heads = TRY(store.runs_of(bead));
  if (heads.empty()) return std::nullopt;
  return TRY(view_of(store, heads.back()));
}

Result<std::vector<RunView>> newest_runs(store::Store& store) {
  std::vector<engine::RunHead> newest;
  for (engine::RunHead& head : TRY(store.runs())) {
    if (head.workflow != "pipeline") continue;
    std::erase_if(newest, [&](const engine::RunHead& h) { return h.subject == head.subject; });
    newest.push_back(std::move(head));
  }
  std::vector<RunView> views;
  for (const engine::RunHead& head : newest) views.push_back(TRY(view_of(store, head)));
  return views;
}

std::string words_of(const engine::Holder& holder) {
  return "pid " + std::to_string(holder.process.pid) + " on " + printable(holder.process.host);
}

std::string minute_of(std::string_view utc) {
  return replace_all(utc.substr(0, std::string_view("2026-01-31T23:59").size()), "T", " ");
}

}  // namespace capsule::cli
