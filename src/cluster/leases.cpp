#include <algorithm>
#include <chrono>
#include <functional>

#include "base/clock.h"
#include "base/text.h"
#include "cluster/parts.h"

namespace capsule::cluster {
namespace {

using engine::Holder;

// The columns of a holder, from `at` on: run, pid, start_time, boot_id, machine, host, since.
Holder holder_in(const Row& row, std::size_t at, std::string_view subject) {
  return Holder{std::string(subject),
                row[at],
                {number_of(row[at + 1]), static_cast<std::uint64_t>(number_of(row[at + 2])),
                 row[at + 3], row[at + 4], row[at + 5]},
                row[at + 6]};
}

std::string words_of(const Holder& holder) {
  return "process " + std::to_string(holder.process.pid) + " on " + printable(holder.process.host) +
         " (run " + printable(holder.run) + ", since " + printable(holder.since) + ")";
}

bool has_ended(const Parts& parts, const Holder& holder) {
  return parts.settings.has_ended && parts.settings.has_ended(holder.process);
}

}  // namespace

Lease::Lease(std::shared_ptr<Parts> parts, std::string subject, std::string run, std::int64_t epoch,
             std::unique_ptr<engine::Claim> lock)
    : parts_(std::move(parts)),
      subject_(std::move(subject)),
      run_(std::move(run)),
      epoch_(epoch),
      lock_(std::move(lock)),
      beating_([this] { beat(); }) {
  parts_->leases.push_back(this);
}

Lease::~Lease() {
  end_ = true;
  beating_.join();
  std::erase(parts_->leases, this);
  // When the database is away the lease ends by itself, or whoever comes sees that we are gone.
  (void)parts_->session.call("SELECT capsule_v1.release($1, $2, $3)",
                             {parts_->id(), subject_, std::to_string(epoch_)});
}

void Lease::beat() {
  constexpr int kSoon = 500;  // after one that did not come through
  Session session(parts_->session.address());
  const int pause = parts_->settings.beat_milliseconds;
  std::int64_t next = monotonic_ms() + pause;
  while (!end_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (monotonic_ms() < next) continue;
    const Answer kept = session.call("SELECT capsule_v1.beat($1, $2, $3)",
                                     {parts_->id(), subject_, std::to_string(epoch_)});
    next = monotonic_ms() + (kept ? pause : std::min(pause, kSoon));
    if (kept && kept->at(0).at(0) != "t") {
      lost_ = true;
      return;
    }
  }
}

namespace {

// Asks until a subject is free, and is the caller's: `ask` is told the epoch of a holder whose end
// was seen here, and is answered as by the function claim() of the schema.
Result<Row> when_free(Parts& parts, std::string_view subject,
                      const std::function<Answer(const std::string& over)>& ask) {
  constexpr int kPause = 1'000;
  const Settings& settings = parts.settings;
  const std::int64_t began = monotonic_ms();
  std::string over = "-1";
  bool told = false;
  for (;;) {
    const Answer answer = ask(over);
    if (!answer) return tl::unexpected(parts.error(answer.error()));
    const Row& row = answer->at(0);
    if (row[0] == "t") return row;
    const Holder holder = holder_in(row, 2, subject);
    if (over != row[1] && has_ended(parts, holder)) {
      over = row[1];
      continue;
    }
    // Who lives says so at least that often; the two times are of one clock, the database's.
    const bool silent = number_of(row[9]) > 2 * settings.beat_milliseconds;
    if (!silent || monotonic_ms() - began >= settings.silent_milliseconds)
      return fail(Reason::blocked,
                  printable(subject) + " is being worked on by " + words_of(holder),
                  silent ? "it has not been heard of for a while: try again later"
                         : "wait for it to end; another bead or plan can be run meanwhile");
    if (is_asked_to_stop()) return fail(Reason::interrupted, "stopped before it began");
    if (!told && settings.tell)
      settings.tell(words_of(holder) + " has not been heard of for a while; its claim on " +
                    printable(subject) + " is over in a few minutes");
    told = true;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::min(kPause, settings.beat_milliseconds)));
  }
}

}  // namespace

Result<std::unique_ptr<engine::Claim>> take(const std::shared_ptr<Parts>& parts,
                                            std::string_view subject, std::string_view run,
                                            std::string_view now) {
  const Settings& settings = parts->settings;
  std::unique_ptr<engine::Claim> lock;
  if (settings.lock_here) lock = TRY(settings.lock_here(subject));
  const std::string token = random_hex(16);
  const engine::ProcessIdentity& self = settings.self;
  const Row row = TRY(when_free(*parts, subject, [&](const std::string& over) {
    return parts->session.insist(
        "SELECT * FROM capsule_v1.claim($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        {parts->id(), std::string(subject), std::string(run), home_of(settings), token, over,
         std::to_string(self.pid), std::to_string(self.start_time), self.boot_id, self.machine,
         self.host, std::string(now)},
        settings.away_milliseconds);
  }));
  return std::make_unique<Lease>(parts, std::string(subject), std::string(run), number_of(row[1]),
                                 std::move(lock));
}

// Repeated it is the same: nobody works on the run then.
Result<void> bring_here(Parts& parts, std::string_view run) {
  TRY(when_free(parts, run, [&](const std::string& over) {
    return parts.session.insist("SELECT * FROM capsule_v1.bring_here($1, $2, $3, $4)",
                                {parts.id(), std::string(run), home_of(parts.settings), over},
                                parts.settings.away_milliseconds);
  }));
  return {};
}

Result<std::optional<Holder>> holder_of(Parts& parts, std::string_view subject) {
  const Answer answer = parts.session.insist("SELECT * FROM capsule_v1.holder($1, $2)",
                                             {parts.id(), std::string(subject)}, 0);
  if (!answer) return tl::unexpected(parts.error(answer.error()));
  if (answer->empty()) return std::nullopt;
  Holder holder = holder_in(answer->at(0), 1, subject);
  if (has_ended(parts, holder)) return std::nullopt;
  return holder;
}

}  // namespace capsule::cluster
