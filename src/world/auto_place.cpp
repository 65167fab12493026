#include "world/auto_place.h"

#include "auto_state/state_file.h"
#include "base/files.h"
#include "base/text.h"
#include "git/diff.h"
#include "git/snapshot.h"
#include "workspace/task_trees.h"

namespace capsule::world {
namespace {

constexpr const char* kTask = "auto";
constexpr int kMergeTries = 5;
// What agents write for each other; it outlives the worktree.
constexpr const char* kNotes[] = {"spec.md", "context.md", "task_plan.md"};
constexpr std::size_t kMaxNoteBytes = std::size_t{4} << 20;

class WorktreePlace : public engine::AutoPlace {
 public:
  WorktreePlace(const Project& project, const std::string& run,
                std::function<Result<std::string>(const std::string&)> verify_merged)
      : project_(project),
        trees_(project.repository, run, settings_of(project)),
        verify_merged_(std::move(verify_merged)) {}

  Result<std::string> prepare() override {
    std::string folder = TRY(trees_.open(kTask));
    TRY_VOID(make_folders_beneath(folder, auto_state::kFolder));
    return folder;
  }
  Result<void> keep(const std::string& label) override {
    // A new one would be empty, and count as the work.
    if (!trees_.has(kTask))
      return fail(Reason::not_found, "the worktree is gone: " + printable(trees_.path_of(kTask)),
                  "what it held is kept as " + trees_.snapshots_of(kTask) + "/…");
    TRY(trees_.open(kTask));
    TRY(trees_.keep(kTask, label));
    return {};
  }
  Result<std::vector<std::string>> take_back(const std::string& label) override {
    TRY(trees_.open(kTask));
    return trees_.take_back(kTask, label);
  }

  Result<engine::AutoMergeAnswer> merge(const std::string& title) override {
    for (int i = 0; i < kMergeTries; ++i) {
      const workspace::MergeTry planned = TRY(trees_.plan_merge(kTask, title));
      if (const auto* done = std::get_if<workspace::MergedAlready>(&planned))
        return event::auto_run::MergeDone{done->commit, done->nothing, ""};
      if (const auto* conflict = std::get_if<workspace::MergeConflict>(&planned))
        return engine::AutoMergeRefused{"conflict with " + conflict->main + " in " +
                                        short_list(conflict->files) + "\n" +
                                        how_to_merge(conflict->main, "resolve it")};
      const auto& merge = std::get<workspace::PlannedMerge>(planned);
      if (verify_merged_ && merge.plan.main_moved) {
        const std::string failure = TRY(verify_merged_(merge.plan.commit));
        if (!failure.empty())
          return engine::AutoMergeRefused{
              "the checks fail on the merged files, which nobody has tested yet\n" + failure +
              (failure.ends_with('\n') ? "" : "\n") +
              how_to_merge(merge.plan.main_ref.substr(std::string_view("refs/heads/").size()),
                           "mend it")};
      }
      const git::Published published = TRY(trees_.publish(merge));
      if (published.outcome == git::Publishing::done)
        return event::auto_run::MergeDone{merge.plan.commit, false, ""};
      if (published.outcome == git::Publishing::in_the_way)
        return engine::AutoMergeRefused{"the merge would overwrite files in " +
                                        printable(published.checkout) + ": " +
                                        short_list(published.in_the_way) +
                                        "\ncommit or move them, then: capsule auto continue"};
    }
    return engine::AutoMergeRefused{"main moved again and again while merging"};
  }

  Result<void> remove() override {
    const std::string folder = trees_.path_of(kTask);
    for (const char* name : kNotes) {
      const std::string note = std::string(auto_state::kFolder) + "/" + name;
      const auto text = read_file_beneath(folder, note, kMaxNoteBytes);
      if (text) TRY_VOID(write_file(project_.root() + "/" + note, *text));
    }
    return trees_.remove(kTask);
  }

 private:
  // Agents commit nothing, and git does not merge over what is not committed.
  std::string how_to_merge(const std::string& main, const std::string& task) const {
    return "merge it there: cd " + shell_word(trees_.path_of(kTask)) +
           " && git add -A && git commit --allow-empty -m work && git merge " + shell_word(main) +
           "\n" + task + ", then: git add -A && git commit --allow-empty -m work && cd " +
           shell_word(project_.root()) + " && capsule auto continue";
  }
  static workspace::TreeSettings settings_of(const Project& project) {
    workspace::TreeSettings settings{project.config.main_branch, project.config.exclude};
    settings.exclude.push_back("/" + std::string(auto_state::kFolder) + "/");
    return settings;
  }
  const Project& project_;
  workspace::TaskTrees trees_;
  std::function<Result<std::string>(const std::string&)> verify_merged_;
};

// The user's own files: they are looked at and kept as snapshots, never put back.
class CheckoutPlace : public engine::AutoPlace {
 public:
  CheckoutPlace(const Project& project, std::string run)
      : project_(project), run_(std::move(run)) {}

  Result<std::string> prepare() override { return project_.root(); }
  Result<void> keep(const std::string& label) override {
    kept_ = TRY(snapshot(label));
    return {};
  }
  Result<std::vector<std::string>> take_back(const std::string& label) override {
    std::vector<std::string> paths;
    if (kept_.commit.empty()) return paths;
    const git::Snapshot now = TRY(snapshot(label + "-look"));
    if (now.tree == kept_.tree) return paths;
    for (const git::Change& change :
         TRY(git::diff_trees(project_.repository, kept_.commit, now.commit)))
      paths.push_back(change.path);
    return paths;
  }
  Result<engine::AutoMergeAnswer> merge(const std::string&) override {
    return event::auto_run::MergeDone{project_.repository.head, true, ""};
  }
  Result<void> remove() override { return {}; }

 private:
  Result<git::Snapshot> snapshot(const std::string& label) {
    const std::string ref = "refs/capsule/" + run_ + "/" + std::to_string(++number_) + "-" + label;
    return git::take_snapshot(project_.repository, project_.root(), ref, "auto: " + label,
                              kept_.commit.empty() ? project_.repository.head : kept_.commit);
  }
  const Project& project_;
  std::string run_;
  git::Snapshot kept_;
  int number_ = 0;
};

}  // namespace

std::unique_ptr<engine::AutoPlace> worktree_place(
    const Project& project, const std::string& run,
    std::function<Result<std::string>(const std::string&)> verify_merged) {
  return std::make_unique<WorktreePlace>(project, run, std::move(verify_merged));
}

std::unique_ptr<engine::AutoPlace> checkout_place(const Project& project, const std::string& run) {
  return std::make_unique<CheckoutPlace>(project, run);
}

}  // namespace capsule::world
