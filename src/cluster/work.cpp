// Work that other machines may do, by the functions of the database.
#include "cluster/work.h"

#include "base/text.h"
#include "cluster/parts.h"

namespace capsule::cluster {
namespace {

constexpr const char* kWork = "capsule_work";
constexpr const char* kEnded = "capsule_ended";
constexpr const char* kDone = "capsule_done";

std::string labels_of(const std::vector<std::string>& labels) {
  return array_of({labels.begin(), labels.end()});
}

class DatabaseWork : public engine::Work {
 public:
  explicit DatabaseWork(std::shared_ptr<const Parts> parts)
      : parts_(std::move(parts)), session_(parts_->session.address()) {
    session_.waiting = parts_->session.waiting;
  }

  engine::Knocks wait(engine::Knocks wanted, int wake, int milliseconds) override {
    std::vector<std::string> channels;
    if (wanted.work) channels.emplace_back(kWork);
    if (wanted.ended) channels.emplace_back(kEnded);
    if (wanted.done) channels.emplace_back(kDone);
    engine::Knocks came;
    for (const std::string& channel : session_.hear(channels, wake, milliseconds)) {
      came.work |= channel == kWork;
      came.ended |= channel == kEnded;
      came.done |= channel == kDone;
    }
    return came;
  }

  Result<void> put(const engine::WorkOrder& order) override {
    const Answer answer =
        session_.insist("SELECT capsule_v1.put($1, $2, $3, $4, $5, $6, $7)",
                        {parts_->id(), order.run, epoch(order.run), std::to_string(order.agent),
                         labels_of(order.needs), order.what, order.spec},
                        parts_->settings.away_milliseconds);
    if (answer) knock(kWork);
    return nothing_of(answer);
  }

  Result<void> drop(std::string_view run, int agent) override {
    const Answer answer =
        session_.insist("SELECT capsule_v1.drop($1, $2, $3, $4)",
                        {parts_->id(), std::string(run), epoch(run), std::to_string(agent)}, 0);
    if (answer && answer->at(0).at(0) == "t") knock(kEnded);
    return nothing_of(answer);
  }

  Result<std::vector<engine::WorkDone>> done(std::string_view run) override {
    const Answer answer = session_.insist("SELECT * FROM capsule_v1.done($1, $2, $3)",
                                          {parts_->id(), std::string(run), epoch(run)}, 0);
    if (!answer) return tl::unexpected(error(answer.error()));
    std::vector<engine::WorkDone> all;
    for (const Row& row : *answer)
      all.push_back({static_cast<int>(number_of(row[0])), row[1], row[2]});
    return all;
  }

  Result<engine::Served> served(const std::vector<std::string>& needs) override {
    const Answer answer = session_.insist("SELECT * FROM capsule_v1.served($1, $2)",
                                          {parts_->id(), labels_of(needs)}, 0);
    if (!answer) return tl::unexpected(error(answer.error()));
    const Row& row = answer->at(0);
    return engine::Served{static_cast<int>(number_of(row[0])), static_cast<int>(number_of(row[1]))};
  }

  Result<std::int64_t> enlist(const std::string& name, const std::vector<std::string>& labels,
                              int slots) override {
    const Answer answer =
        session_.insist("SELECT capsule_v1.enlist($1, $2, $3, $4)",
                        {parts_->id(), name, labels_of(labels), std::to_string(slots)}, 0);
    if (!answer) return tl::unexpected(error(answer.error()));
    return number_of(answer->at(0).at(0));
  }

  Result<engine::Attendance> attend(std::int64_t worker, bool leaving) override {
    const Answer answer = session_.insist("SELECT * FROM capsule_v1.attend($1, $2)",
                                          {std::to_string(worker), leaving ? "t" : "f"}, 0);
    if (!answer) return tl::unexpected(error(answer.error()));
    if (answer->empty())
      return fail(Reason::conflict,
                  "this worker was silent for too long, and what it had is somebody else's");
    engine::Attendance attendance;
    for (const Row& row : *answer)
      if (const std::int64_t token = number_of(row[1]); token != 0)
        attendance.tokens.push_back(token);
      else
        attendance.lease_milliseconds = static_cast<int>(number_of(row[0]));
    return attendance;
  }

  // Not repeated: a claim whose answer was cut off is found by attend(), and given back.
  Result<std::optional<engine::WorkClaim>> take(std::int64_t worker) override {
    const Answer answer =
        session_.call("SELECT * FROM capsule_v1.take($1)", {std::to_string(worker)});
    if (!answer) return tl::unexpected(error(answer.error()));
    if (answer->empty()) return std::nullopt;
    const Row& row = answer->at(0);
    return engine::WorkClaim{number_of(row[0]), row[1], static_cast<int>(number_of(row[2])), row[3],
                             row[4]};
  }

  Result<bool> report(std::int64_t worker, std::int64_t token, const std::string& result) override {
    const Answer answer =
        session_.insist("SELECT capsule_v1.report($1, $2, $3)",
                        {std::to_string(worker), std::to_string(token), result}, 0);
    if (!answer) return tl::unexpected(error(answer.error()));
    knock(kDone);
    return answer->at(0).at(0) == "t";
  }

  Result<void> give_back(std::int64_t worker, std::int64_t token) override {
    const Answer answer = session_.insist("SELECT capsule_v1.give_back($1, $2)",
                                          {std::to_string(worker), std::to_string(token)}, 0);
    if (answer) knock(kWork);
    return nothing_of(answer);
  }

  Result<void> leave(std::int64_t worker) override {
    const Answer answer =
        session_.insist("SELECT capsule_v1.leave($1)", {std::to_string(worker)}, 0);
    if (answer) knock(kWork);
    return nothing_of(answer);
  }

 private:
  // Beside the commit that it tells of, not in it: whoever commits would wait for whoever listens.
  void knock(const char* channel) { (void)session_.call("SELECT pg_notify($1, '')", {channel}); }
  std::string epoch(std::string_view run) const { return std::to_string(parts_->epoch_of(run)); }
  Error error(const Refusal& refusal) const { return parts_->error(refusal); }
  Result<void> nothing_of(const Answer& answer) const {
    if (!answer) return tl::unexpected(error(answer.error()));
    return {};
  }

  std::shared_ptr<const Parts> parts_;
  Session session_;
};

std::vector<std::string> labels_in(const std::string& text) {
  std::vector<std::string> labels;
  if (text.empty()) return labels;
  for (const std::string_view label : split(text, ',')) labels.emplace_back(label);
  return labels;
}

}  // namespace

std::unique_ptr<engine::Work> make_work(std::shared_ptr<const Parts> parts) {
  return std::make_unique<DatabaseWork>(std::move(parts));
}

Result<std::vector<engine::WorkerSeen>> workers_in(const Rows& rows) {
  std::vector<engine::WorkerSeen> all;
  for (const Row& row : rows) {
    const auto state = engine::worker_state_named(row[2]);
    if (!state)
      return fail(Reason::damaged,
                  "the database has a worker in an unknown state: " + printable(row[2]));
    all.push_back({number_of(row[0]), row[1], *state, labels_in(row[3]),
                   static_cast<int>(number_of(row[4])), static_cast<int>(number_of(row[5])),
                   static_cast<int>(number_of(row[6]) / 1000)});
  }
  return all;
}

std::vector<engine::QueueSeen> queue_in(const Rows& rows) {
  std::vector<engine::QueueSeen> all;
  for (const Row& row : rows)
    all.push_back({labels_in(row[0]), static_cast<int>(number_of(row[1])),
                   static_cast<int>(number_of(row[2])), static_cast<int>(number_of(row[3]))});
  return all;
}

}  // namespace capsule::cluster
