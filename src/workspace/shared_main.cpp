#include "workspace/shared_main.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <thread>

#include "base/clock.h"
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

tl::unexpected<Error> no_branch(const git::Remote& remote, const std::string& name) {
  return fail(Reason::not_found, "the remote " + remote.shown + " has no branch " + name,
              "push it once: git push REMOTE " + name);
}

// Epochs only grow, and the remote's was given out by the database before it was read there.
tl::unexpected<Error> behind(const git::Remote& remote, std::int64_t there, std::int64_t here) {
  return fail(Reason::refused,
              "the remote " + remote.shown + " has seen merge " + std::to_string(there) +
                  ", but the database is only at merge " + std::to_string(here) +
                  ": it was set back, or it is not the one that this remote was merged to by",
              "nothing was merged; docs/machines.md says what to do");
}

// A person wants the process to end: whoever carries a run on has the signals blocked.
bool is_asked_to_stop() {
  sigset_t waiting;
  ::sigemptyset(&waiting);
  ::sigpending(&waiting);
  return ::sigismember(&waiting, SIGINT) == 1 || ::sigismember(&waiting, SIGTERM) == 1 ||
         ::sigismember(&waiting, SIGHUP) == 1;
}

constexpr std::int64_t kAwayMilliseconds = 900'000;  // as long as for a database

}  // namespace

template <class T>
Result<T> SharedMain::patiently(const std::function<git::Reached<T>()>& call) const {
  constexpr int kPause = 1'000, kStep = 20;
  const std::int64_t until = monotonic_ms() + kAwayMilliseconds;
  bool told = false;
  for (;;) {
    git::Reached<T> answer = call();
    if (answer) return std::move(answer).value();
    const bool away = answer.error().why == git::RemoteTrouble::away;
    if (!away || monotonic_ms() >= until)
      return tl::unexpected(git::error_of(remote_, answer.error()));
    if (!told && tell_) tell_(git::error_of(remote_, answer.error()).message + "\nwaiting for it");
    told = true;
    for (const std::int64_t end = monotonic_ms() + kPause; monotonic_ms() < end;) {
      if (is_asked_to_stop())
        return fail(Reason::interrupted, git::error_of(remote_, answer.error()).message);
      std::this_thread::sleep_for(std::chrono::milliseconds(kStep));
    }
  }
}

Result<void> SharedMain::look(const git::Repository& repository,
                              const std::string& main_ref) const {
  const auto there = git::look_at(repository, remote_, {main_ref});
  if (!there) return tl::unexpected(git::error_of(remote_, there.error()));
  if (there->empty()) return no_branch(remote_, branch_in(main_ref));
  return {};
}

Result<void> SharedMain::keep(const git::Repository& repository, const std::string& ref,
                              const std::string& commit) {
  using Refs = std::map<std::string, std::string>;
  if (!kept_.contains(ref)) {
    const Refs there =
        TRY(patiently<Refs>([&] { return git::look_at(repository, remote_, {ref}); }));
    kept_[ref] = there.contains(ref) ? there.at(ref) : "";
  }
  if (kept_[ref] == commit) return {};
  TRY(patiently<bool>([&]() -> git::Reached<bool> {
    TRY_VOID(git::push_ref(repository, remote_, ref, kept_[ref], commit));
    return true;
  }));
  kept_[ref] = commit;
  return {};
}

Result<std::string> SharedMain::kept(const git::Repository& repository, const std::string& ref) {
  const std::string commit =
      TRY(patiently<std::string>([&] { return git::fetch_ref(repository, remote_, ref); }));
  kept_[ref] = commit;
  return commit;
}

Result<git::Published> SharedMain::follow(const git::Repository& repository,
                                          const std::string& main_ref) {
  // Before the remote is asked: what another process of this clone merges is there before it is
  // here.
  const std::string before = git::read_ref(repository, main_ref);
  const git::RemoteTips tips = TRY(patiently<git::RemoteTips>([&] {
    auto seen = git::fetch_tips(repository, remote_, main_ref);
    for (int i = 0; !seen && others_were_faster(seen.error()) && i < kFenceTries; ++i)
      seen = git::fetch_tips(repository, remote_, main_ref);
    return seen;
  }));
  const std::string name = branch_in(main_ref);
  if (tips.main.empty()) return no_branch(remote_, name);
  if (TRY(git::has_all_of(repository, tips.main, before))) {
    auto followed = git::forward_main(repository, main_ref, tips.main);
    seen_.insert(tips.main);
    seen_.insert(git::read_ref(repository, main_ref));
    if (followed || followed.error().reason != Reason::refused) return followed;
  }
  return fail(Reason::refused,
              name + " has commits here that the remote " + remote_.shown + " has not",
              "share them (git push), or take them off " + name + "; then merge again");
}

Result<bool> SharedMain::publish(const git::Repository& repository, const git::MergePlan& plan) {
  // One whose answer was lost was done, or finds main moved, by itself.
  using Tried = std::optional<Result<bool>>;  // nothing: others were faster
  for (int tries = 0; tries < kFenceTries; ++tries) {
    if (tries > 0) pause_before(tries);
    const auto once = [&]() -> git::Reached<Tried> {
      const git::RemoteTips tips = TRY(git::fetch_tips(repository, remote_, plan.main_ref));
      if (tips.main != plan.from) return Tried(false);
      const Result<std::int64_t> epoch = take_(plan.main_ref);
      if (!epoch) return Tried(tl::unexpected(epoch.error()));
      if (*epoch <= tips.epoch) return Tried(behind(remote_, tips.epoch, *epoch));
      const std::string fence =
          TRY(git::take_fence(repository, remote_, plan.main_ref, tips, *epoch));
      TRY_VOID(git::publish(repository, remote_,
                            {plan.main_ref, plan.from, plan.commit, fence, *epoch}));
      seen_.insert(plan.commit);
      return Tried(true);
    };
    const Tried tried = TRY(patiently<Tried>([&]() -> git::Reached<Tried> {
      auto answer = once();
      if (!answer && others_were_faster(answer.error())) return Tried();
      return answer;
    }));
    if (tried) return *tried;
  }
  return false;
}

}  // namespace capsule::workspace
