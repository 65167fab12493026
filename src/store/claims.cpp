// Claims: locks on files, which say whether somebody holds the subject, and a row that says who.
#include <ctime>
#include <vector>

#include "base/text.h"
#include "store/identity.h"
#include "store/parts.h"
#include "store/subject_lock.h"

namespace capsule::store {

using engine::Holder;
using engine::ProcessIdentity;

namespace {

Result<std::optional<Holder>> read_claim(Statement& query, std::string_view subject) {
  if (!TRY(query.bind(1, subject).step())) return std::nullopt;
  Holder holder{std::string(subject),
                query.text(0),
                {static_cast<std::int64_t>(query.number(1)), query.number(2), query.text(3),
                 query.text(4), query.text(5)},
                query.text(6)};
  query.reset();
  return holder;
}

std::string words_of(const Holder& holder) {
  const ProcessIdentity& process = holder.process;
  return "process " + std::to_string(process.pid) + " on " + printable(process.host) + " (run " +
         printable(holder.run) + ", since " + printable(holder.since) + ")";
}

tl::unexpected<Error> held(std::string_view subject, const std::optional<Holder>& holder, Life life,
                           const std::string& written) {
  if (!holder)
    return fail(Reason::blocked,
                printable(subject) + " is being worked on by " +
                    (written.empty() ? "another capsule" : written),
                "wait for it to end");
  return fail(Reason::blocked, printable(subject) + " is being worked on by " + words_of(*holder),
              life == Life::alive ? "wait for it to end; another bead or plan can be run meanwhile"
                                  : "wait for it to end; if that machine is gone for good, "
                                    "docs/journal.md explains how to free the claim");
}

void sleep_milliseconds(int milliseconds) {
  timespec left{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  while (::nanosleep(&left, &left) != 0) {
  }
}

// Claims need not survive a power loss: a claim of before the restart is dead by its boot id. So
// they cost no sync.
class Unsynced {
 public:
  explicit Unsynced(Database& database) : database_(database) {
    (void)database_.execute("PRAGMA synchronous = NORMAL");
  }
  Unsynced(const Unsynced&) = delete;
  Unsynced& operator=(const Unsynced&) = delete;
  ~Unsynced() { (void)database_.execute("PRAGMA synchronous = FULL"); }

 private:
  Database& database_;
};

template <class Parts>
class HeldClaim : public engine::Claim {
 public:
  HeldClaim(std::shared_ptr<Parts> parts, std::vector<SubjectLock> locks, Holder holder)
      : parts_(std::move(parts)), locks_(std::move(locks)), holder_(std::move(holder)) {
    for (const SubjectLock& lock : locks_) {
      lock.write_holder(words_of(holder_));
      parts_->locks.push_back(&lock);
    }
  }

  // A row that cannot be removed names a process without a lock: it is taken over by the next.
  ~HeldClaim() override {
    for (const SubjectLock& lock : locks_) std::erase(parts_->locks, &lock);
    const Unsynced unsynced(*parts_->database);
    if (auto drop = parts_->statement(Query::drop_claim))
      (void)(*drop)
          ->bind(1, holder_.subject)
          .bind(2, holder_.run)
          .bind(3, static_cast<std::uint64_t>(holder_.process.pid))
          .bind(4, holder_.process.start_time)
          .run();
  }

 private:
  std::shared_ptr<Parts> parts_;
  std::vector<SubjectLock> locks_;  // given up after the row is gone
  Holder holder_;
};

// All of them or none: nullopt, and who has the one that is not free.
Result<std::optional<std::vector<SubjectLock>>> try_take_all(
    const std::vector<std::string>& folders, std::string_view subject, std::string& written) {
  std::vector<SubjectLock> locks;
  for (const std::string& folder : folders) {
    std::optional<SubjectLock> lock = TRY(SubjectLock::try_take(folder, subject));
    if (!lock) {
      written = SubjectLock::read_holder(folder, subject);
      return std::nullopt;
    }
    locks.push_back(*std::move(lock));
  }
  return locks;
}

}  // namespace

Result<std::unique_ptr<engine::Claim>> Store::claim(std::string_view subject, std::string_view run,
                                                    std::string_view now) {
  constexpr int kPauseMilliseconds = 20;
  constexpr int kLeavingTakes = 5;  // times as long as children of a dead holder
  const ProcessIdentity self = this_process();
  int waited = 0;
  for (;;) {
    std::string written;
    auto locks = TRY(try_take_all(parts_->lock_folders, subject, written));
    const std::optional<Holder> before =
        TRY(read_claim(*TRY(parts_->statement(Query::get_claim)), subject));
    const Life life = before ? life_of(before->process) : Life::dead;
    if (!locks) {
      // The holder is dead but a child of its is not, or it is just about to write its row; or its
      // run has ended, and it is on its way out: it may still be telling people of that.
      bool leaves = false;
      if (before && life == Life::alive) {
        const auto its_run = head(before->run);
        leaves = its_run && !its_run->ended_at.empty();
      }
      const int patience = parts_->take_over_milliseconds * (leaves ? kLeavingTakes : 1);
      if ((life != Life::dead && !leaves) || waited >= patience)
        return held(subject, life == Life::dead ? std::nullopt : before, life, written);
      sleep_milliseconds(kPauseMilliseconds);
      waited += kPauseMilliseconds;
      continue;
    }
    // We have the locks. On this machine that settles it, unless the files were removed under a
    // living holder; containers of one machine share its boot id, but not its names and pids.
    const bool other = before && before->process != self;
    if (other &&
        (life == Life::alive || (life == Life::unknown && before->process.boot_id != self.boot_id)))
      return held(subject, before, life, "");
    Holder holder{std::string(subject), std::string(run), self, std::string(now)};
    const Unsynced unsynced(*parts_->database);
    Statement& put = *TRY(parts_->statement(Query::put_claim));
    TRY_VOID(put.bind(1, holder.subject)
                 .bind(2, holder.run)
                 .bind(3, static_cast<std::uint64_t>(self.pid))
                 .bind(4, self.start_time)
                 .bind(5, self.boot_id)
                 .bind(6, self.machine)
                 .bind(7, self.host)
                 .bind(8, holder.since)
                 .run());
    return std::make_unique<HeldClaim<Parts>>(parts_, *std::move(locks), std::move(holder));
  }
}

namespace {

struct LocalLocks : engine::Claim {
  explicit LocalLocks(std::vector<SubjectLock> taken) : locks(std::move(taken)) {}
  std::vector<SubjectLock> locks;
};

}  // namespace

Result<std::unique_ptr<engine::Claim>> lock_subject(const std::vector<std::string>& folders,
                                                    std::string_view subject, int milliseconds) {
  constexpr int kPauseMilliseconds = 20;
  for (int waited = 0;; waited += kPauseMilliseconds) {
    std::string written;
    auto locks = TRY(try_take_all(folders, subject, written));
    if (locks) {
      const ProcessIdentity self = this_process();
      for (const SubjectLock& lock : *locks)
        lock.write_holder("process " + std::to_string(self.pid) + " on " + printable(self.host));
      return std::make_unique<LocalLocks>(*std::move(locks));
    }
    if (waited >= milliseconds) return held(subject, std::nullopt, Life::unknown, written);
    sleep_milliseconds(kPauseMilliseconds);
  }
}

Result<std::optional<Holder>> Store::holder(std::string_view subject) {
  std::optional<Holder> found = TRY(read_claim(*TRY(parts_->statement(Query::get_claim)), subject));
  if (found && life_of(found->process) == Life::dead) found.reset();
  return found;
}

}  // namespace capsule::store
