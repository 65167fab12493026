// The trees that agents of a run work in: worktrees of git, or the user's own checkout. Carries out
// what a workflow asks for about them (workflow/step.h), from the opening to the removal; merge.h
// brings their work to main. Puts git and the worklog's texts together; decides nothing, and knows
// no workflow.
//
// A tree has a key. The tree of the subject (a bead) lies at .capsule/worktrees/<subject>, on the
// branch capsule-<subject>; its snapshots are refs/capsule/<run>/<label>. Any other key, whatever
// its letters, gets a name of our own, and its snapshots are refs/capsule/<run>/<key>/<n>-<label>.
//
// Every call may be repeated: a run that was cut off between an effect and its record does the
// effect again. A process that takes a run up finds by files and refs what an earlier one did.
// Single-threaded; git runs while a call waits.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "git/repository.h"
#include "git/snapshot.h"
#include "workflow/step.h"
#include "workspace/advice.h"
#include "workspace/places.h"

namespace capsule::workspace {

// What a new worklog is made from. Owns its texts.
struct Briefing {
  std::string epic_id, epic_title, epic_goal;
  std::string feature_id, feature_title, feature_goal;
  std::string task_id, task_title, task_description, acceptance_criteria;
};

struct Worklog {
  std::string text;  // the template
  Briefing briefing;
  std::function<std::string()> utc_now;
};

struct TreeSettings {
  std::string main_branch = {};           // empty: main, else master
  std::vector<std::string> exclude = {};  // patterns of files that never reach main
  Advice advice{};
  std::string subject = {};   // the key of the subject's tree; empty: there is none
  std::string checkout = {};  // the key of the user's own checkout; empty: nobody works there
  std::optional<Worklog> worklog = {};  // of the subject's tree; none: it gets no worklog
  // Brings what counts in a tree to where other machines find it, as a ref of this name, before it
  // is a fact; without a commit nobody needs it any more. Not set: nowhere.
  std::function<Result<void>(const std::string& ref, const std::string& commit)> share = {};
  // Files that agents leave for people and for one another: copied to the project before a tree
  // goes. Their folders are made with the tree.
  std::vector<std::string> notes = {};
};

// What came of the changes of an agent that has ended.
struct Settled {
  std::string snapshot;                // ref of what was kept
  std::vector<std::string> took_back;  // paths
};

class Trees {
 public:
  Trees(git::Repository repository, std::string run, TreeSettings settings)
      : repository_(std::move(repository)), run_(std::move(run)), settings_(std::move(settings)) {}
  Trees(const Trees&) = delete;
  Trees& operator=(const Trees&) = delete;

  // Error exists: something is there already.
  Result<workflow::TreePlanned> plan(const workflow::PlanTree& command);
  // A tree with the planned base, left by a cut-off, is ours. Errors: exists, as
  // git::create_worktree.
  Result<workflow::TreeOpened> open(const workflow::OpenTree& command);
  // A tree that was made by other means, such as scripts: it began where it left main. Error
  // refused: it is no worktree.
  Result<workflow::TreeOpened> adopt(const std::string& tree);

  // Before and after an agent: a tree that was cut from its git dir or branch is put back there,
  // and what was wrong is returned, in words. Nothing for one that is not there, nor for the
  // checkout. Error: it must not be worked in.
  Result<std::vector<std::string>> pin(const std::string& tree);
  // Before an agent starts: its tree, opened when there is none (but for the subject's), with what
  // an earlier process left there settled, and with the newest main in it where that is asked for.
  // Returns the folder. Error not_found: the subject's tree is gone.
  Result<std::string> prepare(const workflow::StartAgent& start);
  // After it has ended.
  Result<Settled> settle(const workflow::StartAgent& start);
  // Of the files that conflicted when main was brought in, those that still have conflict markers.
  std::vector<std::string> unresolved(const std::string& tree) const;

  // Makes the subject's tree anew at a snapshot of another machine, which is in this repository;
  // what is there is kept aside. `ref`: that of the snapshot, which says afterwards that it is
  // done.
  Result<void> arrive(const std::string& base, const std::string& ref, const std::string& commit);

  // Error not_found: the tree is gone.
  Result<workflow::Kept> keep(const workflow::Keep& command);
  // In the user's checkout nothing is ever put back: it is only said what differs. For the
  // subject's tree no paths are named.
  Result<workflow::TakenBack> take_back(const workflow::TakeBack& command);
  // What was checked and what is asked, into worklog.md of a subject's tree, as far as it is
  // missing.
  Result<void> add_notes(const std::string& tree, const std::vector<workflow::WorklogEntry>& notes);
  Result<workflow::TreeArchived> archive(const workflow::Archive& command);
  Result<workflow::TreeRemoved> remove(const workflow::RemoveTree& command);

  // The folder of a tree that is there. Error not_found: it is gone, or something else is in its
  // place.
  Result<std::string> folder_of(const std::string& tree) const;
  // Where it is, or would be.
  std::string path_of(const std::string& tree) const { return blank(tree).path; }
  // A tree that this process has worked with is not there any more, and we did not remove it.
  bool vanished(const std::string& tree) const;
  // The commit that its work is compared with; empty: not known. Requires: prepared or opened.
  std::string base_of(const std::string& tree) const;
  Result<std::string> newest_main() const;

  // For merges.
  struct Work {
    std::string commit;  // the state that counts, on what the agent had checked out
    std::string base;
  };
  Result<Work> work_of(const std::string& tree);
  bool is_checkout(const std::string& tree) const;
  TreeText text_of(const std::string& tree) const;
  const git::Repository& repository() const { return repository_; }
  const TreeSettings& settings() const { return settings_; }
  const std::string& run() const { return run_; }

 private:
  enum class Kind { subject, own, checkout };
  struct Tree {
    std::string key;
    Kind kind{};
    std::string path, branch, base;
    std::string snapshots;                   // where its refs are
    std::string kept, kept_tree, kept_head;  // the state that counts; empty: as it began
    int number = 0;                          // of its newest snapshot
    bool recalled = false;                   // the above is known
    bool looked = false;                     // nothing in it is unknown to this process
    bool searched = false;                   // for conflicts that an earlier process left
    std::optional<std::string> worklog_before;
    std::set<std::string> conflicts;
  };

  // trees.cpp
  Kind kind_of(const std::string& tree) const;
  Tree blank(const std::string& tree) const;
  Result<Tree*> known(const std::string& tree);   // its folder is there
  Result<Tree*> opened(const std::string& tree);  // the same, made when it is not
  Result<Tree*> make_own(const std::string& tree, const std::string& base);
  Result<Tree*> open_subject(const workflow::OpenTree& command);
  Result<void> make_notes(const Tree& tree) const;
  Result<std::string> fork_of(const std::string& branch) const;

  // snapshots.cpp
  Result<void> share(const Tree& tree, const std::string& commit) const;
  Result<void> recall(Tree& tree);
  Result<void> number_after_earlier(Tree& tree);
  struct Taken {
    std::string ref;
    git::Snapshot snapshot;
  };
  Result<Taken> take(Tree& tree, std::string_view label, std::string message, std::string parent);
  Result<workflow::Kept> keep_in(Tree& tree, const workflow::Keep& command);
  Result<workflow::Kept> keep_as(Tree& tree, std::string label);
  Result<void> count(Tree& tree, const std::string& commit);
  Result<std::vector<std::string>> take_back_in(Tree& tree, const std::string& label);
  Result<void> put_back(const Tree& tree);
  Result<workflow::TakenBack> take_subject_back(const workflow::TakeBack& command);
  Result<workflow::TakenBack> bring_back(const workflow::TakeBack& command);
  Result<std::string> commit_of(const Tree& tree) const;

  // agents.cpp
  Result<void> first_look(Tree& tree, const workflow::StartAgent& start);
  Result<void> find_conflicts(Tree& tree);
  Result<void> bring_main_in(Tree& tree, workflow::BringMain how);

  // worklogs.cpp
  Result<std::string> fresh_worklog() const;
  Result<void> note(Tree& tree, const workflow::WorklogEntry& entry, const std::string& parent);

  git::Repository repository_;
  std::string run_;
  TreeSettings settings_;
  std::map<std::string, Tree> trees_;
};

}  // namespace capsule::workspace
