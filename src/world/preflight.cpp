#include "world/preflight.h"

#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/print.h"
#include "base/text.h"
#include "git/branch.h"
#include "git/checkout.h"
#include "git/command.h"
#include "world/programs.h"
#include "world/setup.h"
#include "world/untold.h"

namespace capsule::world {
namespace {

// The merge at the end would bring commits to main that the run did not make.
Result<void> refuse_ahead(const Project& project, const git::Tips& tips) {
  const git::Repository& repository = project.repository;
  if (repository.head == tips.main) return {};
  const std::string count(trimmed(TRY(git::tell(
      repository, {.args = {"rev-list", "--count", tips.main + ".." + repository.head, "--"}}))));
  if (count == "0") return {};
  const std::string main = main_branch_of(project);
  const std::string_view branch = std::string_view(repository.branch);
  const std::string here =
      branch.empty() ? "HEAD" : printable(branch.substr(branch.rfind('/') + 1));
  return fail(
      Reason::refused,
      here + " has " + count + (count == "1" ? " commit" : " commits") + " that " +
          printable(main) + " has not: work that begins here could not be merged",
      "merge " + here + " into " + printable(main) + " first, or: git switch " + shell_word(main));
}

// Git would refuse to move the files of a checkout whose merge is unfinished.
Result<void> refuse_unfinished(const Project& project, const git::Tips& tips) {
  for (const git::Checkout& checkout : git::checkouts_of(project.repository, tips.main_ref))
    for (const auto& [file, word] : {std::pair("MERGE_HEAD", "merge"),
                                     {"CHERRY_PICK_HEAD", "cherry-pick"},
                                     {"REVERT_HEAD", "revert"}})
      if (exists(checkout.git_dir + "/" + file))
        return fail(Reason::refused,
                    "a " + std::string(word) + " is unfinished in " + printable(checkout.top) +
                        ", where " + printable(main_branch_of(project)) +
                        " is checked out: finished work could not be merged",
                    "finish it, or: git " + std::string(word) + " --abort");
  return {};
}

Result<void> refuse_no_room(const Project& project) {
  const std::string folder = project.root() + "/.capsule/worktrees";
  TRY_VOID(make_folders(folder));
  if (!is_folder(folder)) return tl::unexpected(io_error("make worktrees in", folder, ENOTDIR));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return tl::unexpected(io_error("make worktrees in", folder, errno));
  return {};
}

}  // namespace

void print_warning(const std::string& sentence) {
  print_error("capsule: warning: " + printable(sentence) + "\n");
}

void warn_of_budgets(const Project& project, const std::function<void(const std::string&)>& warn) {
  for (const UntoldBudget& one : untold_budgets(project.config))
    warn(one.text + (one.mend.empty() ? "" : "; " + one.mend));
}

Result<void> preflight(const Project& project, const PreflightOf& of) {
  TRY_VOID(check_main_branch(project));
  TRY_VOID(check_programs(project.config));
  TRY_VOID(refuse_no_room(project));
  if (of.merges) {
    const git::Tips tips = TRY(git::find_tips(project.repository, project.config.main_branch, ""));
    if (of.from_head) TRY_VOID(refuse_ahead(project, tips));
    TRY_VOID(refuse_unfinished(project, tips));
  }
  for (const std::string& missing : not_in_worktrees(project)) of.warn(missing);
  warn_of_budgets(project, of.warn);
  return {};
}

}  // namespace capsule::world
