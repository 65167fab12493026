#include "world/init.h"

#include "base/files.h"
#include "base/text.h"
#include "git/worktree.h"
#include "task/bd_tracker.h"
#include "task/native_store.h"
#include "world/assets.h"
#include "world/setup.h"
#include "world/verify_proposal.h"

namespace capsule::world {
namespace {

Result<void> copy_assets(const std::string& root, InitSteps& steps) {
  const Assets assets("", "");
  for (const std::string& name : files_for_projects()) {
    const std::string path = root + "/" + name;
    const bool there = exists(path);
    if (!there) {
      TRY_VOID(make_folders(path.substr(0, path.rfind('/'))));
      TRY_VOID(write_file(path, TRY(assets.read(name))));
    }
    steps.push_back({name, !there, ""});
  }
  return {};
}

// Bead ids begin with it: letters and digits of the folder's name, the rest as dashes.
std::string prefix_from(const std::string& root) {
  std::string prefix;
  for (const char c : root.substr(root.rfind('/') + 1)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c >= 'A' && c <= 'Z')
      prefix += static_cast<char>(c - 'A' + 'a');
    else if (plain)
      prefix += c;
    else if (!prefix.empty() && prefix.back() != '-')
      prefix += '-';
    if (prefix.size() == 40) break;
  }
  while (prefix.ends_with('-')) prefix.pop_back();
  return prefix.empty() ? "task" : prefix;
}

Result<InitStep> set_up_bd(const std::string& root) {
  if (exists(root + "/.beads")) return InitStep{".beads", false, "kept by bd"};
  const auto output = TRY(task::run_bd(root, {"init", "--prefix=" + prefix_from(root)}));
  if (!output.ok())
    return fail(Reason::failed, "bd init failed: " + printable(trimmed(output.err).substr(0, 500)));
  return InitStep{".beads", true, "bd init, with the prefix " + prefix_from(root)};
}

Result<InitStep> set_up_native(const std::string& root) {
  if (exists(root + "/.beads/issues.jsonl")) return InitStep{".beads/issues.jsonl", false, ""};
  TRY_VOID(task::NativeStore::init(root, prefix_from(root)));
  return InitStep{".beads/issues.jsonl", true, "beads are called " + prefix_from(root) + "-1, …"};
}

// The tracker that the project is to have from now on; automatic: it cannot be told.
Result<task::Choice> set_up_tracker(const Project& project, InitSteps& steps) {
  const std::string& root = project.root();
  task::Choice choice = choice_of(project.config.tracker);
  if (choice == task::Choice::automatic && task::NativeStore::declared(root))
    choice = task::Choice::native;
  if (choice == task::Choice::automatic) {
    switch (TRY(task::identify_bd(root))) {
      case task::BdKind::beads:
        choice = task::Choice::bd;
        break;
      case task::BdKind::silent:
        steps.push_back(
            {"tracker", false, "left at auto: the bd on PATH does not say which program it is"});
        return choice;
      case task::BdKind::missing:
      case task::BdKind::other:
        choice = task::Choice::native;
    }
  }
  steps.push_back(TRY(choice == task::Choice::bd ? set_up_bd(root) : set_up_native(root)));
  return choice;
}

bool is_set(const config::Config& config, std::string_view group) {
  for (const config::Entry& entry : config.entries)
    if (entry.path.starts_with(group) && entry.origin.layer != config::Layer::defaults) return true;
  return false;
}

Result<void> configure(const Project& project, task::Choice tracker, InitSteps& steps) {
  std::vector<config::Assignment> wanted;
  std::string note;
  const auto in_project = [&](std::string_view path) {
    return project.config.origin(path).layer == config::Layer::project;
  };
  if (tracker != task::Choice::automatic && !in_project("tracker")) {
    wanted.push_back({"tracker", tracker == task::Choice::bd ? "bd" : "native"});
    note = "tracker: " + std::string(tracker == task::Choice::bd ? "bd" : "native");
  }
  if (!is_set(project.config, "verify.")) {
    if (const auto proposal = proposal_for(project.root())) {
      for (config::Assignment& value : assignments_of(*proposal))
        wanted.push_back(std::move(value));
      note += (note.empty() ? "" : "; ") + yaml_of(*proposal) + ", because of " +
              proposal->because + naming_of(*proposal, project.root());
    } else {
      note += (note.empty() ? "" : "; ") +
              std::string("no test command was found: set verify.test, or tests are not checked");
    }
  }
  if (!is_set(project.config, "worktree.")) {
    if (const auto proposal = setup_proposal(project.root())) {
      wanted.push_back(assignment_of(*proposal));
      note += (note.empty() ? "" : "; ") + yaml_of(*proposal) + ", because of " + proposal->because;
    }
  }
  const auto recorded = config::record(project.root(), wanted);
  if (!recorded && recorded.error().reason == Reason::exists) {
    steps.push_back({".capsule/config.yaml", false, recorded.error().hint});
    return {};
  }
  if (!recorded) return tl::unexpected(recorded.error());
  steps.push_back({".capsule/config.yaml", *recorded != config::Recorded::unchanged, note});
  return {};
}

}  // namespace

Result<InitSteps> initialise(const Project& project) {
  InitSteps steps;
  const std::string exclude = project.repository.common_dir + "/info/exclude";
  const auto before = read_file(exclude);
  TRY_VOID(git::exclude_capsule_dir(project.repository));
  steps.push_back({".git/info/exclude", before.value_or("") != read_file(exclude).value_or(""),
                   ".capsule/ stays out of git"});
  TRY_VOID(copy_assets(project.root(), steps));
  const task::Choice tracker = TRY(set_up_tracker(project, steps));
  TRY_VOID(configure(project, tracker, steps));
  return steps;
}

}  // namespace capsule::world
