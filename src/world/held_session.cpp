#include "world/held_session.h"

#include "auto_state/state_file.h"
#include "base/clock.h"
#include "base/files.h"
#include "engine/log.h"
#include "engine/run.h"
#include "event/auto.h"
#include "git/worktree.h"
#include "store/store.h"
#include "world/auto_files.h"

namespace capsule::world {

namespace fact = event::auto_run;

Result<void> record_session(const std::string& folder) {
  const auto repository = git::open_repository(folder);
  if (!repository) return {};
  const auto text = read_file_beneath(folder, auto_state::kFile, auto_state::kMaxBytes);
  if (!text) return {};
  const auto document = auto_state::read_document(*text);
  if (!document || !run_of_state(folder).empty()) return {};
  TRY_VOID(git::exclude_capsule_dir(*repository, {std::string(auto_state::kFolder) + "/"}));
  const auto store = TRY(store::Store::open(repository->top, store::Access::read_write));
  const std::string compact = document->json.compact();
  // The same workflow has the same start and task; another one is another run.
  std::string run;
  for (const engine::RunHead& head : TRY(store->runs_of(engine::kAutoSubject))) {
    if (head.workflow != engine::kAutoSession) continue;
    const std::vector<event::Fact> facts = TRY(store->read(head.run, 0));
    if (facts.empty()) continue;
    const auto newest = fact::read_fact(facts.back().kind, facts.back().body);
    const auto* seen = newest ? std::get_if<fact::SessionSeen>(&*newest) : nullptr;
    if (seen == nullptr) continue;
    if (seen->state == compact) return {};
    const auto before = auto_state::read_document(seen->state);
    if (before && before->state.started_at == document->state.started_at &&
        before->state.task == document->state.task)
      run = head.run;
  }
  engine::Log log(*store, run.empty() ? utc_stamp() + "-" + random_hex(3) : run,
                  std::string(engine::kAutoSession), std::string(engine::kAutoSubject));
  if (!run.empty()) TRY(log.read());
  const std::string now = utc_now();
  const fact::Fact seen = fact::SessionSeen{compact, now};
  const event::NewFact envelope{std::string(fact::kind_of(seen)), now, fact::body_of(seen)};
  return log.append({&envelope, 1});
}

}  // namespace capsule::world
