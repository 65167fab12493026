#include "world/runs.h"

#include <algorithm>

#include "base/clock.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"
#include "ui/view/fold.h"
#include "workspace/names.h"
#include "workspace/places.h"
#include "world/held_session.h"
#include "world/requests.h"

namespace capsule::world {
namespace {

using engine::RunHead;

// A delivery knows its trees by keys; which folders these are is up to the workspace.
void find_trees(const engine::Records& store, Run& run) {
  if (run.head.workflow != engine::kDelivery) return;
  for (workflow::TreeSummary& tree : run.summary.trees) {
    const std::string name = workspace::own_name(run.head.run, tree.task);
    tree.folder = workspace::worktree_path(store.project(), name);
    tree.branch = workspace::branch_name(name);
  }
  run.view.trees.clear();
  for (const workflow::TreeSummary& tree : run.summary.trees)
    run.view.trees.push_back({tree.task, tree.folder, tree.branch});
}

std::vector<RunHead> newest_heads(const std::vector<RunHead>& all) {
  std::vector<RunHead> newest;
  for (const RunHead& head : all) {
    std::erase_if(newest, [&](const RunHead& h) { return h.subject == head.subject; });
    newest.push_back(head);
  }
  return newest;
}

bool has_task(const Run& run, std::string_view task) {
  return std::any_of(run.summary.tasks.begin(), run.summary.tasks.end(),
                     [&](const workflow::TaskSummary& one) { return one.id == task; });
}

// The subject of a plan that was named by its path, which may be gone by now.
std::string plan_subject(const std::string& word) {
  if (const auto real = real_path(word)) return *real;
  return absolute_path(word);
}

// The runs that a word stands for, but for a task's; oldest first.
Result<std::vector<RunHead>> heads_of(engine::Records& store, const std::string& word) {
  std::vector<RunHead> heads;
  if (valid_id(word)) {
    heads = TRY(store.runs_of(word));
    for (RunHead& head : TRY(store.runs_of(std::string(engine::kDeliveredBead) + word)))
      heads.push_back(std::move(head));
    // Both a run and a delivery of the same bead: what was begun last is meant.
    std::stable_sort(heads.begin(), heads.end(), [](const RunHead& a, const RunHead& b) {
      return a.started_at < b.started_at;
    });
  }
  if (heads.empty()) heads = TRY(store.runs_of(plan_subject(word)));
  if (heads.empty() && word == engine::kAuto) {
    heads = TRY(store.runs_of(engine::kAutoSubject));
    if (heads.size() > 1) heads.erase(heads.begin(), heads.end() - 1);
  }
  if (heads.empty() && valid_id(word)) {
    const auto head = store.head(word);
    if (head) heads.push_back(*head);
    if (!head && head.error().reason != Reason::not_found) return tl::unexpected(head.error());
  }
  return heads;
}

// A task alone: the plans, or beads, that have it.
Result<std::optional<Found>> find_task(engine::Records& store, const std::string& word) {
  std::optional<Found> found;
  for (const RunHead& head : newest_heads(TRY(store.runs()))) {
    if (head.workflow != engine::kDelivery) continue;
    Run run = TRY(read_run(store, head));
    if (!has_task(run, word)) continue;
    if (found)
      return fail(Reason::refused, "several plans have a task " + printable(word),
                  "name the plan before it: " + word_for(found->run) + " or " + word_for(run));
    found = Found{std::move(run), word, {head}};
  }
  return found;
}

tl::unexpected<Error> no_run(const Project& project, const std::string& word) {
  if (word == engine::kAuto)
    return fail(Reason::not_found, "there is no run of auto mode",
                "start one: capsule auto run \"TASK\"" + project.option);
  const bool plan = !valid_id(word) || word.ends_with(".md");
  return fail(
      Reason::not_found, "there is no run of " + printable(word),
      (plan ? "start one: capsule deliver " + shell_word(word) : "start one: capsule run " + word) +
          project.option + "; 'capsule status" + project.option + "' lists all runs");
}

}  // namespace

std::string new_run_id() { return utc_stamp() + "-" + random_hex(3); }

Result<void> check_home(const RunHead& head) {
  if (head.home.empty()) return {};
  return fail(Reason::refused, "this run is on " + printable(head.home),
              "give the command there: only there it is heard");
}

Result<Run> read_run(engine::Records& store, const RunHead& head) {
  Run run;
  run.head = head;
  view::Fold fold;
  fold.head(head);
  if (const auto facts = store.read(head.run, 0))
    for (const event::Fact& fact : *facts) fold.apply(fact);
  else
    fold.unreadable(head.run, "its facts cannot be read: " + facts.error().message);
  if (head.workflow == engine::kAutoSession) (void)fold.session(session_state(store.project()));
  auto holder = TRY(store.holder(head.subject));
  if (holder && holder->run == head.run) run.holder = std::move(holder);
  fold.holder(head.run, run.holder);
  run.summary = fold.summary(head.run);
  run.unreadable = fold.trouble_of(head.run);
  run.view = fold.project().runs.front();
  find_trees(store, run);
  for (const workflow::MessageLeft& told : pending_messages(store.project(), head.run)) {
    const auto same = [&](const workflow::MessageSummary& one) { return one.id == told.message; };
    auto& messages = run.summary.messages;
    if (std::any_of(messages.begin(), messages.end(), same)) continue;
    messages.push_back(
        {told.message, told.task, told.text, told.by, 0, "", false, false, /*recorded=*/false});
    run.view.messages.push_back(
        {told.message, told.task, told.text, told.by, "", 0, "", false, false});
  }
  return run;
}

Result<std::vector<Run>> newest_runs(engine::Records& store) {
  std::vector<Run> runs;
  for (const RunHead& head : newest_heads(TRY(store.runs())))
    runs.push_back(TRY(read_run(store, head)));
  return runs;
}

Result<Found> find_run(const Project& project, engine::Records* store,
                       const std::vector<std::string>& words) {
  const std::string word = words.empty() ? "" : words.front();
  if (!valid_id(word) && !word.ends_with(".md") && !(exists(word) && !is_folder(word)))
    return fail(Reason::usage, "'" + printable(word.substr(0, 120)) + "' is not the name of a run",
                "name a bead (letters, digits, '.', '_' and '-'), a plan's file, a run, or auto");
  if (store == nullptr) return no_run(project, word);
  std::vector<RunHead> heads = TRY(heads_of(*store, word));
  if (heads.empty() && words.size() == 1 && valid_id(word))
    if (auto found = TRY(find_task(*store, word))) return *std::move(found);
  if (heads.empty()) return no_run(project, word);
  Found found{TRY(read_run(*store, heads.back())), "", {}};
  std::copy_if(heads.begin(), heads.end(), std::back_inserter(found.heads),
               [&](const RunHead& head) { return head.subject == found.run.head.subject; });
  if (words.size() < 2) return found;
  found.task = words[1];
  if (has_task(found.run, found.task)) return found;
  std::vector<std::string> tasks;
  for (const workflow::TaskSummary& task : found.run.summary.tasks) tasks.push_back(task.id);
  return fail(Reason::not_found,
              printable(word) + " has no task " + printable(found.task.substr(0, 120)),
              tasks.empty() ? "it has no tasks at all" : "its tasks: " + short_list(tasks));
}

Result<std::string> newest_auto_run(engine::Records& store) {
  std::string newest;
  for (const RunHead& head : TRY(store.runs_of(engine::kAutoSubject)))
    if (head.workflow == engine::kAuto) newest = head.run;
  return newest;
}

std::string word_for(const Run& run) { return shell_word(view::name_for(run.head)); }

std::string description_path(const Project& project, const std::string& run,
                             const std::string& subject) {
  const std::string logs = project.root() + "/.capsule/logs/";
  const std::string file = "/pull-request.md";
  if (subject == engine::kAutoSubject) return logs + "auto/" + run + file;
  return logs + (valid_id(subject) ? subject : run) + file;
}

std::string go_on_command(const Project& project, const Run& run) {
  // A plan whose tasks failed is delivered anew: those are tried again.
  const bool failed =
      run.head.workflow == engine::kDelivery && run.summary.standing == workflow::Standing::failed;
  if (!run.summary.can_go_on && !failed) return {};
  if (run.head.subject == engine::kAutoSubject) return "capsule auto continue" + project.option;
  if (run.head.workflow == engine::kDelivery)
    return "capsule deliver " + word_for(run) + project.option;
  const bool ended = engine::state_of(run) == engine::RunState::ended;
  return "capsule run " + word_for(run) + project.option + (ended ? " --resume" : "");
}

namespace {

// A key that is no name was made one: then only the run itself knows the task.
TreeOwner owner_by_prefix(Run run, const std::string& path, std::string task) {
  for (const workflow::TreeSummary& tree : run.summary.trees)
    if (tree.folder == path) task = tree.task;
  return {std::move(run), std::move(task)};
}

}  // namespace

Result<std::optional<TreeOwner>> owner_of_tree(engine::Records& store, const Project& project,
                                               const std::string& name) {
  const std::string path = workspace::worktree_path(project.repository, name);
  const std::vector<RunHead> heads = TRY(store.runs());
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
    if (!head->home.empty()) continue;  // its worktrees are elsewhere, whatever they are called
    if (engine::is_phases(*head)) {
      if (head->subject == name) return TreeOwner{TRY(read_run(store, *head)), ""};
      continue;
    }
    // Trees of deliveries and of auto mode are named after the end of their run's id and the task.
    const std::string prefix = head->run.substr(head->run.find_last_of('-') + 1) + "-";
    if (head->workflow != engine::kAutoSession && name.starts_with(prefix))
      return owner_by_prefix(TRY(read_run(store, *head)), path, name.substr(prefix.size()));
  }
  for (const Run& run : TRY(newest_runs(store)))
    for (const workflow::TreeSummary& tree : run.summary.trees)
      if (run.head.home.empty() && tree.folder == path) return TreeOwner{run, tree.task};
  return std::nullopt;
}

}  // namespace capsule::world
