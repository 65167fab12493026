#include "gate/clean_checkout.h"

#include <memory>
#include <utility>

#include "git/snapshot.h"
#include "git/worktree.h"

namespace capsule::gate {

Result<CleanCheckout> CleanCheckout::make(const git::Repository& repository,
                                          const std::string& commit, For what) {
  git::TemporaryFolder folder = TRY(git::TemporaryFolder::make(repository));
  TRY_VOID(what == For::setup ? git::create_detached(repository, folder.path(), commit)
                              : git::restore_snapshot(repository, commit, folder.path()));
  return CleanCheckout(std::move(folder));
}

void run_clean(const git::Repository& repository, Checks& checks, const std::string& commit,
               const std::vector<std::string>& names, Checks::Done done,
               const std::function<Result<void>(const std::string& folder)>& prepare) {
  Setup* setup = checks.setup();
  auto made = CleanCheckout::make(
      repository, commit,
      setup != nullptr ? CleanCheckout::For::setup : CleanCheckout::For::checks);
  if (!made) return done(tl::unexpected(made.error()));
  // Shared because a std::function can be copied.
  auto checkout = std::make_shared<CleanCheckout>(std::move(*made));
  const std::string folder = checkout->path();
  if (prepare)
    if (const auto prepared = prepare(folder); !prepared)
      return done(tl::unexpected(prepared.error()));
  auto finish = [checkout,
                 done = std::move(done)](const Result<std::vector<Verdict>>& verdicts) mutable {
    checkout.reset();
    done(verdicts);
  };
  if (setup == nullptr) return checks.run(folder, names, std::move(finish), Writes::stay);
  setup->run(folder, File(),
             [&checks, folder, names, finish](const Result<Verdict>& ready) mutable {
               if (!ready) return finish(tl::unexpected(ready.error()));
               if (ready->ending == Ending::passed)
                 return checks.run(folder, names, std::move(finish), Writes::stay);
               // Files that cannot be set up pass no check; the set-up's words say why.
               std::vector<Verdict> verdicts;
               for (const std::string& name : names) {
                 verdicts.push_back(*ready);
                 verdicts.back().name = name;
                 verdicts.back().ending = Ending::not_run;
               }
               finish(verdicts);
             });
}

}  // namespace capsule::gate
