// The gates: what an agent claims, and what must hold, is held against git and the project's own
// commands, before anybody is paid to build on it. The world is seen through a few functions, so
// that the rules can be tested without one. Nothing here waits. Single-threaded.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "gate/checks.h"
#include "gate/judge.h"
#include "gate/rewritten.h"
#include "gate/seen.h"
#include "git/repository.h"
#include "workflow/step.h"

namespace capsule::gate {

using Names = std::vector<std::string>;

// Files that are to be as they were in a commit, while a command runs.
struct AsBefore {
  std::string commit;
  Names paths;
};

struct World {
  // What differs between two snapshots (commits), the worklog and files that never reach main left
  // out.
  std::function<Result<std::vector<Changed>>(const std::string& from, const std::string& to)>
      changes;
  std::function<bool(std::string_view path)> is_test_file;
  std::function<bool(std::string_view path)> is_guarded;  // it says what a check means
  TextOf text_of;
  std::function<Result<std::string>(const std::string& commit)> tree_of;  // the id of its files
  // Puts these files of a worktree back, for good; what the commit does not have is removed.
  std::function<Result<void>(const std::string& folder, const AsBefore& files)> put_back;
  std::function<Result<std::string>(const std::string& tree)> folder_of;  // where the tree is
  std::function<Result<std::string>()> newest_main;
  Names commands;            // that the project has
  std::string command_text;  // what they say, all of them
  // Runs those of the commands that are named, and answers once. In a tree, whose files are
  // afterwards as they were; `commit` is its newest snapshot, empty: there is none.
  std::function<void(const std::string& folder, const std::string& commit, const Names&,
                     const AsBefore&, Checks::Done)>
      in_tree;
  // In a folder that holds exactly the files of a commit, and is removed afterwards.
  std::function<void(const std::string& commit, const Names&, const AsBefore&, Checks::Done)>
      in_clean;
  std::function<Watch*()> watch;  // is told what a command is run for; null: nobody
};

class Gates {
 public:
  // `seen` must outlive it.
  Gates(World world, Seen& seen) : world_(std::move(world)), seen_(seen) {}
  Gates(const Gates&) = delete;
  Gates& operator=(const Gates&) = delete;

  // Checked, or CommandFailed. `done` is called once, from within or later, from a turn of the
  // loop. Must outlive the check.
  void check(const workflow::Check& check, std::function<void(workflow::Observation)> done);

 private:
  // world_.changes, each question asked once; a snapshot that changed nothing is its predecessor.
  Result<std::vector<Changed>> changes(const std::string& from, const std::string& to);
  // The same without a process where two known answers about different files say it together.
  Result<std::vector<Changed>> changes_in_all(const std::string& from, const std::string& middle,
                                              const std::string& to);
  Result<void> files_changed(workflow::Checked& result, const workflow::Check& check);
  Result<void> as_signed_off(workflow::Checked& result, const workflow::Check& check);
  Result<void> tests_untouched(workflow::Checked& result, const workflow::Check& check);
  Result<void> only_tests(workflow::Checked& result, const workflow::Check& check);
  Result<void> signed_off(workflow::Checked& result, const workflow::Check& check);
  // All that needs no command.
  Result<void> look(workflow::Checked& result, const workflow::Check& check);
  // Changes of what a check means that the task does not ask for.
  Result<Names> guard(workflow::Checked& result, const workflow::Check& check);
  Result<Evidence> evidence(const workflow::Check& check);
  Result<void> telltales(workflow::Checked& result, const workflow::Check& check,
                         const TestReport* tests);
  struct Inquiry;
  void baseline(const std::shared_ptr<Inquiry>& inquiry);
  void ask(const std::shared_ptr<Inquiry>& inquiry);
  void ask_base(const std::shared_ptr<Inquiry>& inquiry);
  void ask_without(const std::shared_ptr<Inquiry>& inquiry);
  void judge(const std::shared_ptr<Inquiry>& inquiry);
  bool has(std::string_view command) const;
  Names commands_in(const workflow::Check& check) const;

  using Pair = std::pair<std::string, std::string>;
  Pair key_of(const std::string& from, const std::string& to) const;

  World world_;
  Seen& seen_;
  std::map<Pair, std::vector<Changed>> known_;
  std::map<std::string, std::string> same_as_;
};

// The usual names of test files, language by language; `patterns` replace them when there are any.
bool is_test_file(std::string_view path, const std::vector<std::string>& patterns);

struct ProjectFiles {
  std::string main_branch;              // empty: main, else master
  std::vector<std::string> exclude;     // patterns of files that never reach main
  std::vector<std::string> test_files;  // patterns; empty: the usual ones
  std::vector<std::string> guard;       // the same, for what says what a check means
};

TextOf texts_of(const git::Repository& repository);

// The real one. `checks` must outlive it. The user's own checkout (the top of the repository) is
// never put back.
World world_of(const git::Repository& repository, Checks& checks, const ProjectFiles& files,
               std::function<Result<std::string>(const std::string& tree)> folder_of);

}  // namespace capsule::gate
