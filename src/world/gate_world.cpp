#include "world/gate_world.h"

#include "base/clock.h"
#include "base/files.h"
#include "git/diff.h"
#include "git/exclusion.h"
#include "git/remove_tree.h"
#include "git/snapshot.h"

namespace capsule::world {
namespace {

gate::Command command_of(const std::optional<config::Command>& command) {
  return command ? gate::Command{command->argv, command->shell} : gate::Command{};
}

// A folder with the files of a commit, for as long as the value lives.
class CleanCheckout {
 public:
  static Result<CleanCheckout> make(const Project& project, const std::string& commit) {
    const std::string parent = project.root() + "/.capsule/tmp";
    TRY_VOID(make_folders(parent));
    CleanCheckout checkout(parent + "/" + random_hex(6));
    TRY_VOID(git::restore_snapshot(project.repository, commit, checkout.path_));
    return checkout;
  }
  CleanCheckout(CleanCheckout&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  CleanCheckout& operator=(CleanCheckout&&) = delete;
  ~CleanCheckout() {
    if (!path_.empty()) (void)git::remove_tree(path_);
  }
  const std::string& path() const { return path_; }

 private:
  explicit CleanCheckout(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

template <typename T>
Result<T> unless(const Interrupted& interrupted, Result<T> verdict) {
  if (interrupted()) return fail(Reason::interrupted, "interrupted while the checks ran");
  return verdict;
}

// What a command leaves in a worktree is no agent's doing, and no part of the work.
template <typename Run>
auto leaving_nothing(const Project& project, const std::string& worktree, const std::string& commit,
                     const Run& run) -> decltype(run()) {
  const std::string files = TRY(git::note_files(project.repository, worktree, commit));
  auto answer = run();
  TRY_VOID(git::put_files_back(project.repository, worktree, files));
  return answer;
}

}  // namespace

gate::Verify verify_of(const config::Config& config) {
  return {command_of(config.verify.test), command_of(config.verify.lint),
          command_of(config.verify.build), config.verify.dir, config.verify.timeout};
}

gate::World gate_world(const Project& project, process::Loop& loop,
                       const Interrupted& interrupted) {
  const gate::Verify verify = verify_of(project.config);
  gate::World world;
  world.has_test = !verify.test.empty();
  world.changes = [&project](const std::string& from,
                             const std::string& to) -> Result<std::vector<gate::Changed>> {
    std::vector<gate::Changed> changes;
    for (const git::Change& change : TRY(git::diff_trees(project.repository, from, to)))
      if (!git::is_excluded(change.path, project.config.exclude))
        changes.push_back({change.status, change.path, change.from});
    return changes;
  };
  world.is_test_file = [&project](std::string_view path) {
    return gate::is_test_file(path, project.config.test_files);
  };
  using Verdicts = std::vector<gate::Verdict>;
  world.test = [verify, &project, &loop, interrupted](const std::string& worktree,
                                                      const std::string& commit) {
    return leaving_nothing(project, worktree, commit, [&] {
      return unless(interrupted, gate::run_check(loop, verify.test, verify, worktree));
    });
  };
  world.verify = [verify, &project, &loop, interrupted](
                     const std::string& worktree, const std::string& commit) -> Result<Verdicts> {
    if (verify.empty()) return Verdicts{};
    return leaving_nothing(project, worktree, commit, [&] {
      return unless(interrupted, gate::run_each_check(loop, verify, worktree));
    });
  };
  world.verify_clean = [verify, &project, &loop,
                        interrupted](const std::string& commit) -> Result<Verdicts> {
    if (verify.empty()) return Verdicts{};
    const CleanCheckout checkout = TRY(CleanCheckout::make(project, commit));
    return unless(interrupted, gate::run_each_check(loop, verify, checkout.path()));
  };
  return world;
}

std::function<Result<std::string>(const std::string&)> verify_merged(
    const Project& project, process::Loop& loop, const Interrupted& interrupted) {
  const gate::Verify verify = verify_of(project.config);
  if (verify.empty()) return {};
  return [verify, &project, &loop, interrupted](const std::string& commit) -> Result<std::string> {
    const CleanCheckout checkout = TRY(CleanCheckout::make(project, commit));
    const gate::Verdict verdict =
        TRY(unless(interrupted, gate::run_all_checks(loop, verify, checkout.path())));
    if (verdict.ending == gate::Ending::passed) return std::string();
    return verdict.command + ": " + describe(verdict) + "\n" + verdict.tail;
  };
}

}  // namespace capsule::world
