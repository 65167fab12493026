#include "workspace/shared_main.h"

#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "base/text.h"
#include "git/refs.h"

namespace capsule::workspace {
namespace {

// Of those who take the fence at the same moment the last one merges, and the others try again.
constexpr int kFenceTries = 10;

void pause_before(int tries) {
  static std::minstd_rand random(static_cast<unsigned>(::getpid()));
  constexpr int kShortest = 20, kLongest = 1'000;
  const int longest = std::min(kLongest, kShortest << tries);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::uniform_int_distribution(kShortest / 2, longest)(random)));
}

std::string branch_in(const std::string& ref) {
  constexpr std::string_view kHeads = "refs/heads/";
  return printable(ref.starts_with(kHeads) ? ref.substr(kHeads.size()) : ref);
}

bool others_were_faster(const git::RemoteFailure& failure) {
  return failure.why == git::RemoteTrouble::moved || failure.why == git::RemoteTrouble::fenced;
}

// Epochs only grow, and the remote's was given out by the database before it was read there.
tl::unexpected<Error> behind(const git::Remote& remote, std::int64_t there, std::int64_t here) {
  return fail(Reason::refused,
              "the remote " + remote.shown + " has seen merge " + std::to_string(there) +
                  ", but the database is only at merge " + std::to_string(here) +
                  ": it was set back, or it is not the one that this remote was merged to by",
              "nothing was merged; docs/machines.md says what to do");
}

}  // namespace

Result<git::Published> SharedMain::follow(const git::Repository& repository,
                                          const std::string& main_ref) {
  git::Reached<git::RemoteTips> tips = git::fetch_tips(repository, remote_, main_ref);
  for (int tries = 0; !tips && others_were_faster(tips.error()) && tries < kFenceTries; ++tries)
    tips = git::fetch_tips(repository, remote_, main_ref);
  if (!tips) return tl::unexpected(git::error_of(remote_, tips.error()));
  const std::string name = branch_in(main_ref);
  if (tips->main.empty())
    return fail(Reason::not_found, "the remote " + remote_.shown + " has no branch " + name,
                "push it once: git push REMOTE " + name);
  seen_.insert(tips->main);
  auto followed = git::forward_main(repository, main_ref, tips->main);
  const bool ahead = followed && followed->outcome == git::Publishing::done &&
                     git::read_ref(repository, main_ref) != tips->main;
  if (!ahead && (followed || followed.error().reason != Reason::refused)) return followed;
  return fail(Reason::refused,
              name + " has commits here that the remote " + remote_.shown + " has not",
              "share them (git push), or take them off " + name + "; then merge again");
}

Result<bool> SharedMain::publish(const git::Repository& repository, const git::MergePlan& plan) {
  for (int tries = 0; tries < kFenceTries; ++tries) {
    if (tries > 0) pause_before(tries);
    const auto tried = [&]() -> git::Reached<Result<bool>> {
      const git::RemoteTips tips = TRY(git::fetch_tips(repository, remote_, plan.main_ref));
      if (tips.main != plan.from) return Result<bool>(false);
      const Result<std::int64_t> epoch = take_(plan.main_ref);
      if (!epoch) return Result<bool>(tl::unexpected(epoch.error()));
      if (*epoch <= tips.epoch) return Result<bool>(behind(remote_, tips.epoch, *epoch));
      const std::string fence =
          TRY(git::take_fence(repository, remote_, plan.main_ref, tips, *epoch));
      TRY_VOID(git::publish(repository, remote_,
                            {plan.main_ref, plan.from, plan.commit, fence, *epoch}));
      seen_.insert(plan.commit);
      return Result<bool>(true);
    }();
    if (tried) return *tried;
    if (!others_were_faster(tried.error()))
      return tl::unexpected(git::error_of(remote_, tried.error()));
  }
  return false;
}

}  // namespace capsule::workspace
