#include "ui/view/fold.h"

#include <algorithm>

#include "base/check.h"
#include "ui/view/run_fold.h"

namespace capsule::view {
namespace {

std::unique_ptr<RunFold> fold_of(const engine::RunHead& head) {
  if (head.workflow == engine::kDelivery) return delivery_fold(head);
  if (head.workflow == engine::kAuto) return auto_fold(head);
  if (head.workflow == engine::kAutoSession) return session_fold(head);
  return phases_fold(head);
}

void add_days(std::vector<Day>& all, const std::vector<Day>& more) {
  for (const Day& day : more) {
    const auto place =
        std::lower_bound(all.begin(), all.end(), day.day,
                         [](const Day& a, const std::string& b) { return a.day < b; });
    if (place == all.end() || place->day != day.day) {
      all.insert(place, day);
      continue;
    }
    place->cost_micros += day.cost_micros;
    place->tokens += day.tokens;
    place->calls += day.calls;
    place->calls_without_cost += day.calls_without_cost;
  }
}

}  // namespace

// A run, what it is shown as, and what it asks.
struct Fold::Entry {
  std::unique_ptr<RunFold> fold;
  std::vector<Item> items;
};

Fold::Fold() = default;
Fold::~Fold() = default;
Fold::Fold(Fold&&) noexcept = default;
Fold& Fold::operator=(Fold&&) noexcept = default;

RunFold& Fold::run_of(const std::string& run) {
  const auto found = index_.find(run);
  CHECK(found != index_.end());
  stale_ = true;
  RunFold& fold = *runs_[found->second].fold;
  fold.stale = true;
  return fold;
}

void Fold::head(const engine::RunHead& head) {
  if (const auto found = index_.find(head.run); found != index_.end()) {
    RunFold& fold = *runs_[found->second].fold;
    if (fold.head == head) return;
    fold.head = head;
    fold.stale = stale_ = true;
    return;
  }
  if (const auto before = newest_.find(head.subject); before != newest_.end()) {
    RunFold& fold = *runs_[before->second].fold;
    fold.superseded = fold.stale = true;
  }
  newest_[head.subject] = runs_.size();
  index_[head.run] = runs_.size();
  runs_.push_back({fold_of(head), {}});
  stale_ = true;
}

void Fold::apply(const event::Fact& fact) {
  run_of(fact.run).apply(fact);
  if (fact.seq > project_newest_.seq) project_newest_ = {fact.seq, fact.at};
}

void Fold::unreadable(const std::string& run, const std::string& why) {
  run_of(run).unreadable = why;
}

void Fold::holder(const std::string& run, const std::optional<engine::Holder>& holder) {
  run_of(run).holder = holder;
}

void Fold::activities(const std::string& run, std::map<int, dialect::Activity> doing,
                      std::map<int, std::int64_t> printed) {
  RunFold& fold = run_of(run);
  fold.doing = std::move(doing);
  fold.printed = std::move(printed);
}

void Fold::answered(const std::string& run, const std::set<int>& questions) {
  run_of(run).answered = questions;
}

bool Fold::session(const std::string& state) {
  const auto newest = newest_.find(std::string(engine::kAutoSubject));
  if (newest == newest_.end()) return false;
  RunFold& fold = *runs_[newest->second].fold;
  if (!fold.tell_session(state)) return false;
  fold.stale = stale_ = true;
  return true;
}

const Project& Fold::project() {
  if (!stale_) return project_;
  stale_ = false;
  project_.newest = project_newest_;
  project_.runs.resize(runs_.size());
  project_.inbox.clear();
  project_.days.clear();
  project_.usage = {};
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Entry& entry = runs_[i];
    if (entry.fold->stale) {
      entry.items.clear();
      entry.fold->show(project_.runs[i], entry.items);
      entry.fold->stale = false;
    }
    project_.inbox.insert(project_.inbox.end(), entry.items.begin(), entry.items.end());
    add_days(project_.days, project_.runs[i].days);
    add_usage(project_.usage, project_.runs[i].usage);
  }
  sort_items(project_.inbox);
  return project_;
}

std::optional<Attempt> Fold::attempt(const std::string& run, int agent) const {
  const auto found = index_.find(run);
  CHECK(found != index_.end());
  return runs_[found->second].fold->attempt(agent);
}

std::uint64_t Fold::applied(const std::string& run) const {
  const auto found = index_.find(run);
  return found == index_.end() ? 0 : runs_[found->second].fold->seen().newest.seq;
}

workflow::RunSummary Fold::summary(const std::string& run) const {
  const auto found = index_.find(run);
  CHECK(found != index_.end());
  return runs_[found->second].fold->summary();
}

const std::string& Fold::trouble_of(const std::string& run) const {
  const auto found = index_.find(run);
  CHECK(found != index_.end());
  return runs_[found->second].fold->unreadable;
}

}  // namespace capsule::view
