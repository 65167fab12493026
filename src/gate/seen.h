// What the project's commands have said about states of the files, so that none is run twice on the
// same: in memory for this process, and below .capsule/checks for what a later run begins with.
// Only answers are kept (passed, failed); a command that could not run may well run the next time.
//
// Files there are a help, never the truth: one that is missing, damaged or from another version is
// as if it had never been.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gate/checks.h"

namespace capsule::gate {

// Which files: a commit or the id of a tree, as they are in a fresh checkout or in the worktree,
// where ignored files lie beside them.
struct Files {
  std::string id;  // empty: nobody can know them again
  bool clean = true;
};

class Seen {
 public:
  // `folder`: .capsule/checks of the project; empty: nothing outlives the process. `environment`:
  // what the commands inherit, in any form; another one makes another answer.
  enum class Known { saves_a_run, is_run_again };
  Seen(std::string folder, const Verify& verify, std::string_view environment,
       Known known = Known::saves_a_run);
  bool runs_again() const { return again_; }

  // What was said in this process, to hold something against it.
  std::optional<Verdict> find(const Files& files, std::string_view name) const;
  // The same in the place of a run; nothing where all are to be run again.
  std::optional<Verdict> instead(const Files& files, std::string_view name) const;
  void put(const Files& files, const Verdict& verdict);
  // The same, and for other processes too.
  void keep(const Files& files, const Verdict& verdict);
  // As instead(), of other processes too.
  std::optional<Verdict> recall(const Files& files, std::string_view name);
  // As if it had never been: the next look runs the command again.
  void forget(const Files& files, std::string_view name);

 private:
  std::string key_of(const Files& files, std::string_view name) const;
  std::string path_of(const std::string& key) const;

  std::string folder_;
  bool again_ = false;
  std::map<std::string, std::string, std::less<>> commands_;  // all that an answer hangs on
  std::map<std::string, Verdict> known_;
};

// Of "NAME=value" words those that can change what a command says: not those that a terminal, a
// session or Capsule itself sets for every call anew. Sorted.
std::string lasting_environment(const char* const* words);

}  // namespace capsule::gate
