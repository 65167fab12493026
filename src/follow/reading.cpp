#include "follow/reading.h"

#include "engine/run.h"
#include "world/answers.h"
#include "world/held_session.h"

namespace capsule::follow {
namespace {

bool same(const std::optional<engine::Holder>& a, const std::optional<engine::Holder>& b) {
  if (!a || !b) return !a && !b;
  return a->run == b->run && a->process == b->process;
}

}  // namespace

Result<bool> Reading::update(engine::Records& store) {
  bool changed = false;
  std::vector<OpenRun> open;
  const std::vector<engine::RunHead> heads = TRY(store.runs());
  std::map<std::string, std::string> last;  // by subject: its newest run
  if (newest_)
    for (const engine::RunHead& head : heads) last[head.subject] = head.run;
  for (const engine::RunHead& head : heads) {
    if (head.subject == engine::kAutoSubject) session_ = head.workflow == engine::kAutoSession;
    if (newest_ && last[head.subject] != head.run) continue;
    if (head.ended_at.empty()) open.push_back({head, std::nullopt});
    const auto known = heads_.find(head.run);
    if (known != heads_.end() && known->second == head) continue;
    changed = true;
    fold_.head(head);
    heads_[head.run] = head;
    const auto facts = store.read(head.run, fold_.applied(head.run));
    if (!facts) {
      fold_.unreadable(head.run, "its facts cannot be read: " + facts.error().message);
      continue;
    }
    for (const event::Fact& fact : *facts) fold_.apply(fact);
  }
  open_ = std::move(open);
  changed |= update_holders(store);
  changed |= update_answers();
  return changed;
}

const engine::RunHead* Reading::head(const std::string& run) const {
  const auto found = heads_.find(run);
  return found == heads_.end() ? nullptr : &found->second;
}

world::Run Reading::run(const engine::RunHead& head) const {
  world::Run run;
  run.head = head;
  if (const auto found = holders_.find(head.run); found != holders_.end())
    run.holder = found->second;
  run.summary = fold_.summary(head.run);
  run.unreadable = fold_.trouble_of(head.run);
  return run;
}

// Of runs that have ended, too: they may be about to go on.
bool Reading::update_holders(engine::Records& store) {
  bool changed = false;
  std::set<std::string> live;
  for (OpenRun& run : open_) {
    auto holder = store.holder(run.head.subject);
    if (!holder || !*holder || (*holder)->run != run.head.run) continue;
    run.holder = *std::move(holder);
    live.insert(run.head.run);
    std::optional<engine::Holder>& before = holders_[run.head.run];
    if (same(before, run.holder)) continue;
    before = run.holder;
    fold_.holder(run.head.run, run.holder);
    changed = true;
  }
  for (auto& [run, before] : holders_) {
    if (!before || live.contains(run)) continue;
    before.reset();
    fold_.holder(run, std::nullopt);
    changed = true;
  }
  return changed;
}

bool Reading::update_session() { return session_ && fold_.session(world::session_state(root_)); }

bool Reading::update_answers() {
  bool changed = false;
  const view::Project& project = fold_.project();
  std::map<std::string, std::set<int>> now;
  for (const view::Item& item : project.inbox)
    if (item.question > 0 && world::pending_answer(root_, item.run, item.question))
      now[item.run].insert(item.question);
  for (const auto& [run, questions] : answers_)
    if (!now.contains(run)) now[run];
  for (const auto& [run, questions] : now) {
    if (answers_[run] == questions) continue;
    answers_[run] = questions;
    fold_.answered(run, questions);
    changed = true;
  }
  return changed;
}

}  // namespace capsule::follow
